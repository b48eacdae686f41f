"""Align an anchor with lines of the file, token by token, at the lowest cost.

This is the only measure of similarity for offers (docs/design/engine.md §8). Context and target are
aligned together. White space and line breaks don't count. The file may have more tokens before and
after.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from snippet_engine import budget
from snippet_engine.fixes.search.token_cost import ABSENT, MORE, NEXT_ABSENT, NEXT_MORE, cost_of
from snippet_engine.longest_chain import longest_chain

Pairs = list[int | None]
"""For each token of the anchor, the index of its counterpart; ``None`` if it has none."""

_FEW = 600
"""Most pairs of tokens that are compared without looking for seeds."""
_MOST = 15_000
"""Most pairs of tokens between two seeds that are compared. With more, none are counterparts."""
_REACH = 30
"""How many more tokens the file may have between an end of the anchor and its nearest seed."""
_IN_A_STEP = 40
"""Comparing this many pairs of tokens costs one step."""
_SEED = 3
"""Length in tokens of a run that seeds an alignment, if each text has the run once."""
_FAR = float("inf")


def align(
    sent: Sequence[str],
    there: Sequence[str],
    weights: Sequence[int],
    *,
    from_start: bool = False,
    to_end: bool = False,
) -> Pairs:
    """Return each sent token's counterpart in the file.

    The file's tokens before the first counterpart cost something only with ``from_start``, those
    after the last counterpart only with ``to_end``.
    """
    pairs: Pairs = [None] * len(sent)
    seeds = _seeds(sent, there) if len(sent) * len(there) > _FEW else []
    for start, other in seeds:
        pairs[start] = other
    ends = (-1, -1), (len(sent), len(there))
    for (above, other), (below, other_below) in pairwise((ends[0], *seeds, ends[1])):
        start, at = above + 1, other + 1
        is_free_before = above < 0 and not from_start
        is_free_behind = below == len(sent) and not to_end
        while (
            not is_free_before and start < below and at < other_below and sent[start] == there[at]
        ):
            pairs[start] = at
            start, at = start + 1, at + 1
        while (
            not is_free_behind
            and start < below
            and at < other_below
            and sent[below - 1] == there[other_below - 1]
        ):
            below, other_below = below - 1, other_below - 1  # noqa: PLW2901 - both ends draw near
            pairs[below] = other_below
        reach = 2 * (below - start) + _REACH
        if is_free_before and below < len(sent):
            at = max(at, other_below - reach)
        elif is_free_behind and (above >= 0 or from_start):
            other_below = min(other_below, at + reach)  # noqa: PLW2901
        if start < below:
            found = _between(
                sent[start:below],
                there[at:other_below],
                weights[start : below + 1],
                is_free_before=is_free_before,
                is_free_behind=is_free_behind,
            )
            pairs[start:below] = [None if each is None else at + each for each in found]
    return pairs


def align_around(
    sent: Sequence[str],
    there: Sequence[str],
    weights: Sequence[int],
    target: tuple[int, int],
    place: tuple[int, int],
) -> Pairs:
    """Return each token's counterpart if the ``target`` corresponds to the tokens of ``place``."""
    (first, last), (start, end) = target, place
    # Reversed, so that the tokens next to the place come first.
    above = align(sent[:first][::-1], there[:start][::-1], [1] * (first + 1), from_start=True)
    within = align(
        sent[first:last],
        there[start:end],
        [*weights[first:last], 1],
        from_start=True,
        to_end=True,
    )
    below = align(sent[last:], there[end:], [1] * (len(sent) - last + 1), from_start=True)
    return [
        *(None if each is None else start - 1 - each for each in reversed(above)),
        *(None if each is None else start + each for each in within),
        *(None if each is None else end + each for each in below),
    ]


def _seeds(sent: Sequence[str], there: Sequence[str]) -> list[tuple[int, int]]:
    """Return index pairs of tokens in runs that occur exactly once in each text, in order."""
    rows = [list(zip(*(text[at:] for at in range(_SEED)), strict=False)) for text in (sent, there)]
    counts = [Counter(each) for each in rows]
    where = {row: at for at, row in enumerate(rows[1]) if counts[1][row] == 1}
    common = [(at, where[row]) for at, row in enumerate(rows[0]) if row in where]
    chain = longest_chain([each for each in common if counts[0][rows[0][each[0]]] == 1])
    seeds = {(at + more, other + more) for at, other in chain for more in range(_SEED)}
    # If runs overlap in one text only, their tokens would have two counterparts.
    lefts, rights = Counter(at for at, _ in seeds), Counter(other for _, other in seeds)
    return sorted(each for each in seeds if lefts[each[0]] == rights[each[1]] == 1)


def _between(
    sent: Sequence[str],
    there: Sequence[str],
    weights: Sequence[int],
    *,
    is_free_before: bool,
    is_free_behind: bool,
) -> Pairs:
    """Return each token's counterpart by the cheapest alignment, with affine gap costs.

    ``weights`` has one item more than ``sent``. An added token costs as much as the lighter of its
    two neighbours.
    """
    rows, columns = len(sent), len(there)
    budget.spend(1 + rows * columns // _IN_A_STEP)
    if not columns or rows * columns > _MOST:
        return [None] * rows
    # Each row has the costs of three endings: a pair, a missing token, and an added token.
    paired = [0.0] + [_FAR] * columns
    absent = [_FAR] * (columns + 1)
    more = [_FAR] + [
        0.0 if is_free_before else weights[0] * (MORE + at * NEXT_MORE) for at in range(columns)
    ]
    table = [(paired, absent, more)]
    tolls = list(_tolls(weights, is_free_behind=is_free_behind))
    for row, one in enumerate(sent):
        weight = weights[row]
        gone, gone_next, first, following = tolls[row]
        above = table[-1]
        last_paired, last_absent, last_more = _FAR, above[1][0] + gone_next, _FAR
        last_absent = min(last_absent, above[0][0] + gone, above[2][0] + gone)
        paired, absent, more = [last_paired], [last_absent], [last_more]
        for other, one_paired, one_absent, one_more, over_paired, over_absent, over_more in zip(
            there, *above, *(each[1:] for each in above), strict=False
        ):
            # Written out for speed: offers spend most of their time here.
            before = one_paired if one_paired < one_absent else one_absent
            if one_more < before:  # noqa: PLR1730 - a call costs as much as all the rest
                before = one_more
            opened = (last_paired if last_paired < last_absent else last_absent) + first
            extended = last_more + following
            last_paired = before if one == other else before + weight * cost_of(one, other)
            fresh = (over_paired if over_paired < over_more else over_more) + gone
            again = over_absent + gone_next
            last_absent = fresh if fresh < again else again
            last_more = opened if opened < extended else extended
            paired.append(last_paired)
            absent.append(last_absent)
            more.append(last_more)
        table.append((paired, absent, more))
    return _traced(table, rows, columns, tolls)


def _tolls(
    weights: Sequence[int], *, is_free_behind: bool
) -> Iterator[tuple[float, float, float, float]]:
    """Yield each token's costs: first missing, further missing, first added, further added."""
    for row, weight in enumerate(weights[:-1]):
        gap = min(weight, weights[row + 1])
        if is_free_behind and row == len(weights) - 2:
            gap = 0
        yield weight * ABSENT, weight * NEXT_ABSENT[weight - 1], gap * MORE, gap * NEXT_MORE


def _traced(
    table: Sequence[tuple[list[float], list[float], list[float]]],
    rows: int,
    columns: int,
    tolls: Sequence[tuple[float, float, float, float]],
) -> Pairs:
    pairs: Pairs = [None] * rows
    row, at = rows, columns
    state = _cheapest([each[at] for each in table[row]])
    while row:
        gone, gone_next, first, following = tolls[row - 1]
        if state == 0:
            row, at = row - 1, at - 1
            pairs[row] = at
            state = _cheapest([each[at] for each in table[row]])
        elif state == 1:
            row -= 1
            paired, absent, more = (each[at] for each in table[row])
            state = _cheapest([paired + gone, absent + gone_next, more + gone])
        else:
            at -= 1
            paired, absent, more = (each[at] for each in table[row])
            state = _cheapest([paired + first, absent + first, more + following])
    return pairs


def _cheapest(costs: list[float]) -> int:
    return costs.index(min(costs))
