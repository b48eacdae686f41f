"""Whether a target that was found stands beside its double, which may be the one.

Part of docs/design/engine.md §8. In lines that are alike, a context that is wrong somewhere fits
the one on this side and the other one on that.
"""

from __future__ import annotations

from collections.abc import Sequence

Range = tuple[int, int]
"""``[first, last)`` of some tokens."""


def has_rival(sent: Sequence[str], target: Range, window: Sequence[str], place: Range) -> bool:
    """Whether what stands at ``place`` of a window stands in it again, where it may be meant.

    ``sent`` are the tokens of an anchor, whose ``target`` was found there. The other place may be
    meant if it has a part of the context beside it that ``place`` has not, or just as much.
    """
    first, last = place
    standing = window[first:last]
    known = beside(sent, target, window, place)
    for at in range(len(window) - len(standing) + 1):
        other = at, at + len(standing)
        if other[1] > first and at < last:
            continue
        is_double = window[slice(*other)] == standing
        if is_double and is_rival(known, beside(sent, target, window, other)):
            return True
    return False


def is_rival(known: Range, other: Range) -> bool:
    """Whether a place may be meant rather than another one with the same text.

    ``known`` is how many tokens of the context stand right before and behind that one, ``other``
    the same of the place that may be.
    """
    is_less = other[0] <= known[0] and other[1] <= known[1]
    is_near = 2 * sum(other) >= sum(known)
    return other == known or (is_near and not is_less)


def beside(
    sent: Sequence[str], target: Range, window: Sequence[str], place: Range
) -> tuple[int, int]:
    """How many tokens of the context stand right before ``place``, and right behind it."""
    (start, end), (first, last) = target, place
    above = below = 0
    while above < min(first, start) and window[first - above - 1] == sent[start - above - 1]:
        above += 1
    rest = min(len(window) - last, len(sent) - end)
    while below < rest and window[last + below] == sent[end + below]:
        below += 1
    return above, below
