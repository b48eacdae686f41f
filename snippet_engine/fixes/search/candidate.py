"""A candidate: a place like an anchor, and how much of the anchor is wrong there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from snippet_engine.source_text import TextRange


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place, and how much of the anchor is wrong if it is the one, in tokens."""

    place: TextRange
    mistakes: float
    """In the target."""
    in_context: float
    """In the context."""
    size: int
    """Tokens of target and context together."""
    target_size: int
    """Tokens of the target."""
    is_singular: bool
    """Whether a word of the anchor stands here and nowhere else."""
    strangers: int
    """Words of the anchor that stand elsewhere in the file, and have others in their stead here.

    They may have been meant. A slip of the pen or a keyword is no stranger, nor one with its own
    name and a word more in its stead.
    """
    unknown: int
    """Words of the anchor that stand nowhere, and have others in their stead here."""
    gaps: tuple[tuple[str, str], ...]
    """White space that stands for one another: as sent, in the file."""
    lines: int = 0
    """Lines of the anchor that stand here as they are, in whatever order."""
    beside: tuple[int, int] = (0, 0)
    """Tokens of the context that stand right before the place, and right behind it."""
    has_whole_side: bool = False
    """Whether that is all of the context on one side, and some of it."""
    renamed: int = 0
    """Words of the anchor that have their own name and a word more in their stead."""
    wrong: frozenset[int] = frozenset()
    """Where the anchor differs: at its token ``i`` ``2 * i + 1``, and before that ``2 * i``."""
    breaks: int = 0
    """Words of the target that begin a line where they were sent within one, or the other way; of
    its first word only the latter counts, where it was sent with its indentation."""
    is_told: bool = True
    """Whether it can be told what of the place stands for the target."""
    has_names: bool = True
    """Whether one of the anchor's names stands here, if it has any."""
    weight: float = 0.0
    """The distance, where slips of the pen count less, and so does what was put in."""
    lines_wrong: int = 0
    """Lines of the anchor on which something is wrong."""

    @property
    def as_indented(self) -> int:
        """How many of its lines are indented as they were sent, of those that are at all."""
        return sum(one == other for one, other in self._indents if one)

    @property
    def shifted(self) -> int:
        """How many aren't."""
        return sum(one != other for one, other in self._indents)

    @property
    def _indents(self) -> list[tuple[str, str]]:
        return [
            (one.rpartition("\n")[2], other.rpartition("\n")[2])
            for one, other in self.gaps
            if "\n" in one and "\n" in other
        ]

    @property
    def distance(self) -> float:
        """How far the place is from the anchor: what is wrong in the target counts twice."""
        return 2 * self.mistakes + self.in_context


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
