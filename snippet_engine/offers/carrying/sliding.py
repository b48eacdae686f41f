"""Where a change goes that could as well be put elsewhere: one of two equal things comes or goes.

Part of docs/design/engine.md §8. In the text as it was sent, all of these come to the same; in the
file, where one of them was remembered wrongly, they need not.
"""

from __future__ import annotations

from collections.abc import Sequence

from snippet_engine.offers.places.tokens import Hunk, Token


def by_lines(base: Sequence[Token], mine: Sequence[Token], change: Hunk) -> Hunk:
    """``change`` slid to where it is one of whole lines, if that is one place: then it is there."""
    if change.low == change.start and change.high == change.end:
        return change
    is_insertion = change.start == change.end
    found: list[Hunk] = []
    for shift in range(change.low - change.start, change.high - change.end + 1):
        start, end = change.start + shift, change.end + shift
        other, other_end = change.other_start + shift, change.other_end + shift
        first, behind = (mine[other], mine[other_end]) if is_insertion else (base[start], base[end])
        is_last = behind is (mine if is_insertion else base)[-1]
        is_first = first is (mine if is_insertion else base)[0]
        if ("\n" in first.gap or is_first) and ("\n" in behind.gap or is_last):
            found.append(Hunk(start, end, other, other_end, start, end))
    return found[0] if len(found) == 1 else change


def apart_from(
    mistakes: Sequence[Hunk], change: Hunk, mine: Sequence[Token], theirs: Sequence[Token]
) -> Hunk:
    """``change`` slid to where a token is between it and every mistake, if there is such a place.

    What it comes to is the same. Not away from a mistake within its reach that has words of its
    own: which of them stand there already can't be told then.
    """
    own = {
        each.text
        for each in mine[change.other_start : change.other_end]
        if each.text.isidentifier()
    }
    for each in mistakes:
        near = change.low <= each.high and each.low <= change.high + change.end - change.start
        words = {token.text for token in theirs[each.other_start : each.other_end]}
        if near and own & words:
            return change
    shifts = range(change.low - change.start, change.high - change.end + 1)
    for shift in sorted(shifts, key=abs):
        start, end = change.start + shift, change.end + shift
        if all(each.high < start or end < each.low for each in mistakes):
            other, other_end = change.other_start + shift, change.other_end + shift
            return Hunk(start, end, other, other_end, start, end)
    return change


def takes_either(change: Hunk, mistake: Hunk) -> bool:
    """Whether ``change`` takes one of two equal things, of which the file has one otherwise: put
    here it takes that one, put there the other."""
    if not (change.start < change.end and mistake.start < mistake.end):
        return False
    length = change.end - change.start
    always = range(change.high - length, change.low + length)
    if mistake.low in always and mistake.high - 1 in always:
        return False
    return change.low < mistake.high and mistake.low < change.high


def may_be_either(
    base: Sequence[Token],
    theirs: Sequence[Token],
    change: Hunk,
    in_theirs: Sequence[int | None],
) -> bool:
    """Whether ``change`` could as well be put on the other side of a line break that the file has
    otherwise than it was sent; ``in_theirs`` are the file's tokens for those of ``base``."""
    if (change.low, change.high) == (change.start, change.end):
        return False
    pairs = ((at, in_theirs[at]) for at in range(change.low + 1, min(change.high, len(in_theirs))))
    return any(
        base[at].gap.count("\n") != theirs[other].gap.count("\n")
        for at, other in pairs
        if other is not None
    )


def is_put_either(change: Hunk, mistake: Hunk) -> bool:
    """Whether what ``change`` puts in may be before or behind what was forgotten."""
    if change.start < change.end or mistake.start < mistake.end:
        return False
    return change.low < change.high and change.low <= mistake.start <= change.high


def is_told_by_breaks(before: str, behind: str, sent: str, standing: str) -> bool:
    """Whether it is told on which side of what is put in a blank line stays, since there is none.

    ``before`` and ``behind`` are the white space around what is put in, which was ``sent`` without
    it, and is ``standing`` in the file: the blank line isn't there, and was sent on one side.
    """
    breaks, there = sent.count("\n"), standing.count("\n")
    return breaks == there or (
        breaks > there > 0 and {before.count("\n"), behind.count("\n")} == {breaks, there}
    )
