"""Compare an anchor's context lines with the text around a place.

Implements docs/design/engine.md §1, "Text anchor": ``before`` must end where the target begins, and
``after`` must begin where the target ends, apart from white space in between. Trailing white space
of each context line is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from snippet_engine import budget
from snippet_engine.anchors.whole_words import is_in_word
from snippet_engine.source_text import TextRange

_NOTHING = TextRange(0, -1)
_BLANKS = re.compile(r"\s*+")
_FEW_BLANKS = 64


class Context:
    """The ``before`` and ``after`` of an anchor, prepared for comparison at many places of a view.

    Fastest if the places come in order: it remembers the white space that it skipped last, because
    one run of blanks may hold a million places.
    """

    def __init__(self, before: str, after: str) -> None:
        # White space sent next to the target separates words; how much of it doesn't count.
        self._parts_before, self._parts_after = before[-1:].isspace(), after[:1].isspace()
        self._before = before.rstrip()
        *above, last = after.lstrip().split("\n")
        self._after = "\n".join((*above, last.rstrip()))
        self._lines_before = [line.rstrip() for line in self._before.split("\n")]
        self._lines_after = [line.rstrip() for line in self._after.split("\n")]
        self._blank_before = self._blank_after = _NOTHING
        self._blocks: dict[tuple[bool, int, int], str] = {}
        self._ends_after: list[int] = []
        """Offset of each line of ``after``, from its start."""
        self._joined_after = ""

    @property
    def has_text(self) -> bool:
        """Whether the context has any text but white space."""
        return bool(self._before or self._after)

    @property
    def lines_before(self) -> Sequence[str]:
        """Return the lines of ``before``, right-trimmed; the first may be the end of a line."""
        return self._lines_before

    @property
    def lines_after(self) -> Sequence[str]:
        """Return the lines of ``after``; the first and the last may be parts of lines."""
        return self._lines_after

    def fits(self, view: str, place: TextRange) -> bool:
        """Whether both contexts match around ``place`` in ``view``."""
        return self.fits_before(view, place.start) and self.fits_after(view, place.end)

    def fits_before(self, view: str, start: int) -> bool:
        """Whether ``before`` ends at ``start``."""
        before = self._before
        if self._parts_before and is_in_word(view, start):
            return False
        if not before:
            return True
        # Don't skip the same blanks again: for a target of one blank in a run of a million, that
        # would take a million times a million steps.
        low, high = self._blank_before
        if low <= start <= high:
            end = low
        else:
            end = blanks_before(view, start, high if high < start else 0)
            end = low if low <= end == high else end
            self._blank_before = TextRange(end, start)
        # Nearly always it is as sent. A negative start would count from the end of the view.
        if view.startswith(before, end - len(before)) and end >= len(before):
            return True
        lines = self._lines_before
        # The last line has no trailing blanks that could differ, so it must be right here.
        if len(lines) == 1 or not view.endswith(lines[-1], 0, end):
            return False
        # Go up from the target, line by line, since trailing blanks don't count. Only the context's
        # first line may be a part of a line: any other "{" would fit every line that ends in one.
        index, many = len(lines) - 1, 1
        while index > 0:
            # More lines of context than there are above the place.
            if end < 0:
                return False
            block = self._block(lines, max(index - many, 0) + 1, index + 1)
            if view.endswith(block, 0, end):
                end -= len(block)
                index, many = max(index - many, 0), 2 * many
            elif many > 1:
                many //= 2
            else:
                line_start = view.rfind("\n", 0, end) + 1
                if view[line_start:end].rstrip() != lines[index]:
                    return False
                end = line_start - 1
                index -= 1
        if end < 0:
            return False
        line_start = view.rfind("\n", 0, end) + 1
        return view[line_start:end].rstrip().endswith(lines[0])

    def fits_after(self, view: str, end: int) -> bool:
        """Whether ``after`` begins at ``end``."""
        after = self._after
        if self._parts_after and is_in_word(view, end):
            return False
        if not after:
            return True
        low, high = self._blank_after
        if low <= end <= high:
            start = high
        else:
            start = blanks_after(view, end)
            self._blank_after = TextRange(end, start)
        if view.startswith(after, start):
            return True
        lines = self._lines_after
        if len(lines) == 1 or not view.startswith(lines[0], start):
            return False
        # Compare many lines at once while they are equal; one by one where trailing blanks differ.
        last = len(lines) - 1
        index, many = self._equal_after(view, start), 1
        start += self._ends_after[index]
        while index < last:
            # More lines of context than there are below the place.
            if start > len(view):
                return False
            block = self._block(lines, index, min(index + many, last))
            if view.startswith(block, start):
                start += len(block)
                index, many = min(index + many, last), 2 * many
            elif many > 1:
                many //= 2
            else:
                line_end = view.find("\n", start)
                if line_end < 0:
                    line_end = len(view)
                if view[start:line_end].rstrip() != lines[index]:
                    return False
                start = line_end + 1
                index += 1
        if start > len(view):
            return False
        return view.startswith(lines[last], start)

    def _equal_after(self, view: str, start: int) -> int:
        """Return how many lines of ``after``, except the last, equal the view at ``start``.

        A binary search, because a place that doesn't match usually differs in one line far down.
        """
        if not self._ends_after:
            self._ends_after = [0]
            for line in self._lines_after[:-1]:
                self._ends_after.append(self._ends_after[-1] + len(line) + 1)
            self._joined_after = "\n".join(self._lines_after)
        budget.spend_reading(len(self._joined_after))
        low, high = 0, len(self._ends_after) - 1
        while low < high:
            middle = (low + high + 1) // 2
            at, end = self._ends_after[low], self._ends_after[middle]
            if view.startswith(self._joined_after[at:end], start + at):
                low = middle
            else:
                high = middle - 1
        return low

    def _block(self, lines: Sequence[str], first: int, end: int) -> str:
        """Join some lines, after a line break for those before the target, else before one.

        Cached, because the same lines are compared at each place.
        """
        key = lines is self._lines_before, first, end
        block = self._blocks.get(key)
        if block is None:
            text = "\n".join(lines[first:end])
            block = self._blocks[key] = f"\n{text}" if key[0] else f"{text}\n"
        budget.spend_reading(len(block))
        return block


def blanks_before(view: str, offset: int, floor: int = 0) -> int:
    """Return where the white space that ends at ``offset`` begins, but at least ``floor``."""
    floor = max(floor, 0)
    start = max(offset - _FEW_BLANKS, floor)
    while start > floor and view[start:offset].isspace():
        start = max(offset - 2 * (offset - start), floor)
    budget.spend_reading(offset - start)
    return start + len(view[start:offset].rstrip())


def blanks_after(view: str, offset: int) -> int:
    """Return where the white space that begins at ``offset`` ends."""
    blanks = _BLANKS.match(view, offset)
    assert blanks is not None
    budget.spend_reading(blanks.end() - offset)
    return blanks.end()


def occurrences(view: str, target: str, scopes: Iterable[TextRange]) -> Iterator[TextRange]:
    """Yield every occurrence of ``target`` in ``scopes``, including overlapping ones."""
    for scope in scopes:
        at = view.find(target, scope.start, scope.end)
        while at >= 0:
            yield TextRange(at, at + len(target))
            # From the next code point, not from the match's end: "aa" occurs twice in "aaa", and an
            # anchor that could mean either is ambiguous.
            at = view.find(target, at + 1, scope.end)
