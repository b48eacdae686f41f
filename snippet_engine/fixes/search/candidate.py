"""A candidate: a place similar to an anchor, and how much of the anchor is wrong there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from snippet_engine.anchors.whole_words import is_word
from snippet_engine.fixes.search.alignment import Pairs
from snippet_engine.fixes.search.edge_whitespace import with_blanks
from snippet_engine.fixes.search.sent import Sent
from snippet_engine.fixes.search.token_cost import (
    ABSENT,
    ANOTHER,
    CLEARLY,
    MISSPELLED,
    MORE,
    NEXT_ABSENT,
    NEXT_MORE,
    Words,
    cost_of,
    is_identifier,
    is_longer_name,
    is_name,
    is_slip,
)
from snippet_engine.fixes.search.tokens import Token
from snippet_engine.source_text import SourceText, TextRange

_LEAST_SIDE = 5
"""Fewest tokens of context that identify a place, if all on that side match."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place in the file, and the cost of the anchor's mistakes there, in tokens."""

    place: TextRange
    mistakes: float
    """The cost in the target."""
    in_context: float
    """The cost in the context."""
    size: int
    """Tokens of target and context together."""
    target_size: int
    """Tokens of the target."""
    plain: int
    """Mistakes that aren't misspellings."""
    wrong: frozenset[int]
    """Where the anchor differs from the file, as numbers.

    ``2 * i + 1`` means the anchor's token ``i``, and ``2 * i`` the gap before that token.
    """
    right: int
    """How many tokens of the anchor match here."""
    right_in_target: int
    """How many tokens of the target match here."""
    is_singular: bool
    """Whether an identifier of the anchor occurs only here, and no stranger is in the target."""
    strangers: int
    """Names of the anchor that the file replaces by other names here, but has elsewhere.

    They are a sign that another place is meant. A name with a word added to it doesn't count.
    Joined words count, and so do numbers of the target that are missing here.
    """
    unknown: int
    """Names of the anchor that occur nowhere, and that the file replaces by other names here."""
    gaps: tuple[tuple[str, str], ...]
    """Pairs of corresponding white space: as sent, in the file."""
    beside: tuple[int, int]
    """How many tokens of the context match directly before the place, and directly after it."""
    sides: tuple[int, int]
    """How many tokens the context has before the target, and after it."""
    has_whole_side: bool
    """Whether all context on one side is here, and it has at least ``_LEAST_SIDE`` tokens."""
    breaks: int
    """Tokens of the target that begin a line either here or as sent, but not both.

    The first token counts only if it was sent with its indentation and is within a line here.
    """
    has_names: bool
    """Whether one of the anchor's identifiers is here, if it has any."""
    has_edges: bool
    """Whether the first and the last token of the target here are known."""

    @property
    def distance(self) -> float:
        """Return the place's distance from the anchor: a mistake in the target counts twice."""
        return 2 * self.mistakes + self.in_context


def candidate_of(
    source: SourceText, sent: Sent, window: tuple[int, list[Token]], pairs: Pairs, words: Words
) -> Candidate | None:
    """Return the place that a window's tokens belong to; ``None`` if no token has a counterpart.

    ``window`` has the window's start in the file, and its tokens. ``words`` are the file's words.
    """
    begin, tokens = window
    edges = _edges(sent, pairs, tokens)
    known = [each for each in pairs[sent.first : sent.last] if each is not None]
    known = known or [each for each in pairs if each is not None]
    if not known:
        return None
    first, last = edges or (known[0], known[-1])
    place = with_blanks(
        source.view, TextRange(begin + tokens[first].start, begin + tokens[last].end), sent.target
    )
    mistakes, in_context, plain = _costs(sent, pairs, tokens, words)
    same = [
        at
        for at, other in enumerate(pairs)
        if other is not None and _is_same(sent, at, tokens, other)
    ]
    right = [sent.keys[at] for at in same]
    others = {
        sent.keys[at]
        for at, other in enumerate(pairs)
        if other is not None and _is_other_name(sent.keys[at], tokens[other].key, words)
    }
    standing = {each for each in others if words.stands(each)}
    # Words that were joined because the sign between them was forgotten.
    standing |= {
        sent.keys[at]
        for at, other in enumerate(pairs)
        if other is not None and _is_half(sent.keys[at], tokens[other : other + 3], words)
    }
    # If a number is missing, it is another statement.
    standing |= {
        sent.keys[at]
        for at in range(sent.first, sent.last)
        if pairs[at] is None and sent.keys[at][0].isdigit()
    }
    gaps = tuple(
        (sent.tokens[at].gap, gap)
        for at in same
        if "\n" in sent.tokens[at].gap
        and (gap := tokens[pairs[at] or 0].gap) is not None
        and (
            sent.tells_indentation(at, _end_of_row(at, pairs, same))
            or gap[-1:] == sent.tokens[at].gap[-1:] == "\n"
        )
    )
    near = _beside(sent, pairs, (first, last), {*same})
    return Candidate(
        place,
        mistakes,
        in_context,
        size=len(sent.keys),
        target_size=sent.last - sent.first,
        plain=plain,
        wrong=_wrong(pairs, {*same}),
        right=len(same),
        right_in_target=sum(sent.first <= at < sent.last for at in same),
        is_singular=any(is_identifier(key) and words.count(key) == 1 for key in right)
        and standing.isdisjoint(sent.keys[sent.first : sent.last]),
        strangers=len(standing),
        unknown=len(others - standing),
        gaps=gaps,
        beside=near,
        sides=sent.sides,
        has_whole_side=any(
            count == side >= _LEAST_SIDE for count, side in zip(near, sent.sides, strict=True)
        ),
        breaks=_breaks(sent, pairs, tokens, first),
        has_names=any(map(is_identifier, right)) or not any(map(is_identifier, sent.keys)),
        has_edges=edges is not None,
    )


def _wrong(pairs: Pairs, same: set[int]) -> frozenset[int]:
    known = [(at, other) for at, other in enumerate(pairs) if other is not None]
    more = (2 * below for (_, one), (below, other) in pairwise(known) if other - one > 1)
    return frozenset((*more, *(2 * at + 1 for at in range(len(pairs)) if at not in same)))


def _end_of_row(at: int, pairs: Pairs, same: Sequence[int]) -> int:
    """Return the end of the run of sent tokens that are also adjacent in the file."""
    known = {*same}
    end = at + 1
    while end in known and (pairs[end] or 0) - (pairs[at] or 0) == end - at:
        end += 1
    return end


def _is_same(sent: Sent, at: int, tokens: Sequence[Token], other: int) -> bool:
    return sent.keys[at] == tokens[other].key


def _is_other_name(one: str, other: str, words: Words) -> bool:
    """Whether the file has another name here.

    A misspelling counts as one only if the file has the sent name elsewhere, because the agent may
    mean that place.
    """
    if not is_name(one) or one.casefold() == other.casefold() or is_longer_name(one, other):
        return False
    return not is_slip(one, other) or words.stands(one)


def _is_half(one: str, there: Sequence[Token], words: Words) -> bool:
    """Whether a sent word joins two words of the file, but only the first is here."""
    half, *behind = (each.key for each in there)
    rest = one[len(half) :]
    if not (is_word(half[0]) and one.startswith(half) and len(rest) > 1) or rest in behind:
        return False
    return words.stands(rest)


def _edges(sent: Sent, pairs: Pairs, tokens: Sequence[Token]) -> tuple[int, int] | None:
    last = pairs[sent.last - 1]
    first = next((at for at in range(sent.first, sent.last) if pairs[at] is not None), None)
    if first is None or last is None:
        return None
    start = pairs[first]
    assert start is not None
    if first > sent.first:
        begins_line = not start or "\n" in tokens[start].gap
        is_next = pairs[sent.first - 1] == start - 1 if sent.first else begins_line
        signs = sent.keys[sent.first + 1 : first]
        if not is_next or len(signs) > 1 or any(is_word(each[0]) for each in signs):
            return None
    for at, other, step in ((first, start, 1), (sent.last - 1, last, -1)):
        if not _is_same(sent, at, tokens, other) and not _on_same_line(
            sent, pairs, tokens, at, step
        ):
            return None
    return start, last


def _on_same_line(sent: Sent, pairs: Pairs, tokens: Sequence[Token], at: int, step: int) -> bool:
    """Whether a neighbour of the misread token ``at`` matches, with the same line break between."""
    for near in (at + step, at - step):
        if not 0 <= near < len(pairs) or pairs[near] is None:
            continue
        other, beside = pairs[at], pairs[near]
        assert other is not None
        assert beside is not None
        if abs(other - beside) != 1 or not _is_same(sent, near, tokens, beside):
            continue
        if ("\n" in sent.tokens[max(at, near)].gap) == ("\n" in tokens[max(other, beside)].gap):
            return True
    return False


def _costs(
    sent: Sent, pairs: Pairs, tokens: Sequence[Token], words: Words
) -> tuple[float, float, int]:
    """Return the cost of mistakes in target and context, and how many aren't misspellings."""
    in_target = in_context = 0.0
    plain = 0
    for start, end, other, other_end in _differences(sent, pairs, tokens):
        is_target = (start < sent.last and end > sent.first) or sent.first < start < sent.last
        cost, more = _cost_of(sent, pairs, tokens, (start, end, other, other_end), words)
        plain += more
        in_target, in_context = in_target + cost * is_target, in_context + cost * (not is_target)
    return in_target, in_context, plain


def _differences(
    sent: Sent, pairs: Pairs, tokens: Sequence[Token]
) -> Iterator[tuple[int, int, int, int]]:
    last, other_last = -1, -1
    for at in range(len(pairs) + 1):
        other = pairs[at] if at < len(pairs) else None
        is_same = other is not None and _is_same(sent, at, tokens, other)
        if at < len(pairs) and not is_same and at not in (sent.first, sent.last):
            continue
        known = [each for each in pairs[last + 1 : at] if each is not None]
        begin = other_last + 1 if other_last >= 0 else known[0] if known else other or 0
        stop = other if other is not None else known[-1] + 1 if known else begin
        if last + 1 < at or begin < stop:
            yield last + 1, at, begin, stop
        if at < len(pairs):
            last = at if is_same else at - 1
            other_last = other if is_same and other is not None else stop - 1


def _cost_of(
    sent: Sent,
    pairs: Pairs,
    tokens: Sequence[Token],
    difference: tuple[int, int, int, int],
    words: Words,
) -> tuple[float, int]:
    """Return a difference's cost, and how many of its mistakes aren't misspellings."""
    start, end, other, other_end = difference
    old, new = sent.keys[start:end], [each.key for each in tokens[other:other_end]]
    is_joined = bool(old) and bool(new) and len(old) != len(new)
    is_joined = is_joined and not any(is_name(each) and words.stands(each) for each in old)
    if is_joined and is_slip("".join(old), "".join(new), CLEARLY):
        return MISSPELLED, 0
    costs = [
        _cost_of_one(one, tokens[pair].key, words)
        for one, pair in zip(old, pairs[start:end], strict=True)
        if pair is not None
    ]
    is_target = sent.first <= start < sent.last
    absent, more = len(old) - len(costs), len(new) - len(costs)
    runs = [
        ABSENT + (absent - 1) * NEXT_ABSENT[is_target] if absent > 0 else 0.0,
        MORE + (more - 1) * NEXT_MORE if more > 0 else 0.0,
    ]
    # A line replaced by another line is one mistake.
    return sum(costs) + max(runs), sum(each >= ANOTHER for each in costs) + (max(runs) > 0)


def _cost_of_one(one: str, other: str, words: Words) -> float:
    cost = cost_of(one, other)
    # A sent name that the file has elsewhere isn't a misspelling.
    return ANOTHER if cost == MISSPELLED and _is_other_name(one, other, words) else cost


def _beside(sent: Sent, pairs: Pairs, edges: tuple[int, int], same: set[int]) -> tuple[int, int]:
    """Count the tokens of the context directly before the place, and directly behind it."""
    above = below = 0
    while (at := sent.first - 1 - above) in same and pairs[at] == edges[0] - 1 - above:
        above += 1
    while (at := sent.last + below) in same and pairs[at] == edges[1] + 1 + below:
        below += 1
    return above, below


def _breaks(sent: Sent, pairs: Pairs, tokens: Sequence[Token], first: int) -> int:
    found = sum(
        ("\n" in sent.tokens[at].gap) != ("\n" in tokens[other].gap)
        for at in range(sent.first + 1, sent.last)
        if (other := pairs[at]) is not None
    )
    return found + (sent.begins_line and "\n" not in tokens[first].gap and first > 0)
