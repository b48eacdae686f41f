"""Find the longest common runs of tokens of two texts, and pair their brackets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from snippet_engine import budget

_CLOSED_BY = {"(": ")", "[": "]", "{": "}"}


def in_balance(
    sent: Sequence[str],
    target: tuple[int, int],
    standing: Sequence[str],
    edges: tuple[int, int],
    blocks: list[Block],
) -> tuple[tuple[int, int], list[Block]]:
    """The ``edges`` of a place without brackets at its ends whose other halves are outside of it,
    and the ``blocks`` without these.

    ``target`` is ``[first, last)`` of the tokens ``sent``, and ``edges`` of those ``standing``.
    Where the target has a half of a pair itself, all stays as it is.
    """
    if any(_halves(sent[slice(*target)])):
        return edges, blocks
    first, last = edges
    while last - first > 1:
        opened, closed = _halves(standing[first:last])
        if last - first - 1 in closed:
            last -= 1
            blocks = _without(blocks, last)
        elif 0 in opened:
            blocks = _without(blocks, first)
            first += 1
        else:
            break
    return (first, last), blocks


def _halves(keys: Sequence[str]) -> tuple[list[int], list[int]]:
    """Which brackets nothing closes, and which close nothing."""
    opened: list[int] = []
    closed: list[int] = []
    for at, key in enumerate(keys):
        if key in _CLOSED_BY:
            opened.append(at)
        elif key in _CLOSED_BY.values():
            if opened and _CLOSED_BY[keys[opened[-1]]] == key:
                opened.pop()
            else:
                closed.append(at)
    return opened, closed


def _without(blocks: list[Block], at: int) -> list[Block]:
    """``blocks`` without the pair of tokens that the standing one at ``at`` is in, if any."""
    found: list[Block] = []
    for start, other, size in blocks:
        cut = at - other
        if not 0 <= cut < size:
            found.append((start, other, size))
            continue
        parts = ((start, other, cut), (start + cut + 1, at + 1, size - cut - 1))
        found += [part for part in parts if part[2]]
    return found


Block = tuple[int, int, int]
"""Equal tokens: where they begin in the one text, where in the other, and how many they are."""

_LARGE = 4
"""From how many equal tokens in a row on it is hardly by chance."""
_PAIRS_IN_A_STEP = 50
"""Pairs of tokens that are compared in the time of a step."""


def equal_blocks(left: Sequence[str], right: Sequence[str]) -> list[Block]:
    """The equal tokens of two texts, as many as can be."""
    blocks = _drawn_in(_blocks(left, right), right)
    kept = _without_strays(blocks)
    return kept if kept == blocks else _with_ends(kept, left, right)


def large_first(blocks: Sequence[Block], left: Sequence[str], right: Sequence[str]) -> list[Block]:
    """``blocks`` of two texts, the large ones put first, and the others found again beside them.

    As many equal tokens as can be are not always the fewest differences. Empty if none is large.
    """
    large = _drawn_in([each for each in blocks if each[2] >= _LARGE], right, _LARGE - 1)
    return _without_strays(_filled(large, left, right)) if large else []


def gaps(count: int, blocks: Sequence[Block]) -> Iterator[tuple[int, int, int, int]]:
    """What lies between the blocks: ``[start, end)`` in the one text, which has ``count``
    tokens, and in the other.

    What the other has before the first and after the last one doesn't count, but for as many tokens
    as the one has there.
    """
    start, other, size = blocks[0]
    if start:
        yield 0, start, max(other - start, 0), other
    for (start, other, size), (following, other_following, _) in pairwise(blocks):
        yield start + size, following, other + size, other_following
    start, other, size = blocks[-1]
    rest = count - start - size
    if rest:
        yield start + size, count, other + size, other + size + rest


def counterpart(at: int, blocks: list[Block], count: int) -> int | None:
    """The token of the window that stands for the one at ``at``: the same, or one in its stead."""
    above, other_above = 0, None
    for start, other, size in blocks:
        if start <= at < start + size:
            return other + at - start
        if start > at:
            if other_above is None:
                found = other - (start - at)
                return found if found >= 0 else None
            same_length = start - above == other - other_above
            return other_above + at - above if same_length else None
        above, other_above = start + size, other + size
    assert other_above is not None
    found = other_above + at - above
    return found if found < count else None


def _filled(blocks: Sequence[Block], left: Sequence[str], right: Sequence[str]) -> list[Block]:
    """``blocks`` with the equal tokens of what lies between them."""
    found: list[Block] = []
    start = other = 0
    for block in (*blocks, (len(left), len(right), 0)):
        within = _blocks(left[start : block[0]], right[other : block[1]])
        found += [(start + one, other + two, size) for one, two, size in within]
        if block[2]:
            found.append(block)
        start, other = block[0] + block[2], block[1] + block[2]
    return found


def _with_ends(blocks: list[Block], left: Sequence[str], right: Sequence[str]) -> list[Block]:
    """``blocks`` with the equal tokens of what is right before the first and behind the last one.

    What was a stray far away may stand there as well.
    """
    start, other, _ = blocks[0]
    above = max(0, other - start)
    last, other_last, size = blocks[-1]
    end, other_end = last + size, other_last + size
    below = other_end + len(left) - end
    return [
        *(
            (one, above + two, count)
            for one, two, count in _blocks(left[:start], right[above:other])
        ),
        *blocks,
        *(
            (end + one, other_end + two, count)
            for one, two, count in _blocks(left[end:], right[other_end:below])
        ),
    ]


def _blocks(left: Sequence[str], right: Sequence[str]) -> list[Block]:
    """The equal tokens of two sequences, as the comparison finds them."""
    budget.spend(len(left) + len(right) + len(left) * len(right) // _PAIRS_IN_A_STEP)
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    return [(one.a, one.b, one.size) for one in matcher.get_matching_blocks()[:-1]]


def _drawn_in(blocks: list[Block], keys: Sequence[str], overlap: int = 0) -> list[Block]:
    """With each block as near to the largest one as its words stand in ``keys``, in their order.

    Of equal words the comparison takes the first ones, though a line away. The block that another
    one is drawn to may lose ``overlap`` tokens by that.
    """
    if len(blocks) < 2:
        return blocks
    middle = max(range(len(blocks)), key=lambda index: blocks[index][2])
    drawn = list(blocks)
    for index in range(middle - 1, -1, -1):
        start, other, size = drawn[index]
        below, following, rest = drawn[index + 1]
        limit = following + min(overlap, rest - 1) - size
        at = _last(keys, keys[other : other + size], limit)
        lost = max(0, at + size - following)
        drawn[index] = start, at, size
        drawn[index + 1] = below + lost, following + lost, rest - lost
    for index in range(middle + 1, len(drawn)):
        start, other, size = drawn[index]
        _, above, above_size = drawn[index - 1]
        words = keys[other : other + size]
        at = next(
            at for at in range(above + above_size, other + 1) if keys[at : at + size] == words
        )
        drawn[index] = start, at, size
    return drawn


def _last(keys: Sequence[str], words: Sequence[str], limit: int) -> int:
    """The last place up to ``limit`` where ``words`` stand."""
    return next(at for at in range(limit, -1, -1) if keys[at : at + len(words)] == words)


def _without_strays(blocks: list[Block]) -> list[Block]:
    """Without blocks at either end that cost more than they bring: they match by chance.

    Where that holds of one that has more tokens than all others together, these are the strays.
    """
    while len(blocks) > 1 and _is_far(blocks[0], blocks[0], blocks[1]):
        if blocks[0][2] > sum(size for _, _, size in blocks[1:]):
            return blocks[:1]
        blocks = blocks[1:]
    while len(blocks) > 1 and _is_far(blocks[-1], blocks[-2], blocks[-1]):
        if blocks[-1][2] > sum(size for _, _, size in blocks[:-1]):
            return blocks[-1:]
        blocks = blocks[:-1]
    return blocks


def _is_far(block: Block, above: Block, below: Block) -> bool:
    """Whether what lies between two blocks is more than the one of them at an end brings.

    Where it is as much, a word that was forgotten is likelier than another one in its stead.
    """
    gap, other_gap = (below[side] - above[side] - above[2] for side in (0, 1))
    return block[2] + gap < max(gap, other_gap)
