"""Find the longest chain of pairs of numbers in which both numbers increase."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence


def longest_chain(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest chain of ``pairs``, which must be sorted by their first items."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, (_, other) in enumerate(pairs):
        at = bisect_left(ends, other)
        ends[at : at + 1] = [other]
        last[at : at + 1] = [number]
        before.append(last[at - 1] if at else -1)
    chain = []
    number = last[-1] if last else -1
    while number >= 0:
        chain.append(pairs[number])
        number = before[number]
    return chain[::-1]
