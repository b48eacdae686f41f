"""Compare an anchor's context lines with the text around a place.

Implements docs/design/engine.md §1, "Text anchor": ``before`` must end where the target begins, and
``after`` must begin where the target ends, apart from white space in between. Trailing white space
of each context line is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from snippet_engine import budget
from snippet_engine.anchors.whole_words import is_in_word
from snippet_engine.source_text import TextRange

_NOTHING = TextRange(0, -1)
_BLANKS = re.compile(r"\s*+")
_FEW_BLANKS = 64


class Context:
    """The ``before`` and ``after`` of an anchor, prepared for comparison at many places of a view.

    Fastest for places in ascending order, because it remembers the last run of white space that it
    skipped. One run may hold a million places.
    """

    def __init__(self, before: str, after: str) -> None:
        # White space sent next to the target must separate words; its amount doesn't count.
        self._parts_before, self._parts_after = before[-1:].isspace(), after[:1].isspace()
        self._before = before.rstrip()
        *above, last = after.lstrip().split("\n")
        self._after = "\n".join((*above, last.rstrip()))
        self._lines_before = [line.rstrip() for line in self._before.split("\n")]
        self._lines_after = [line.rstrip() for line in self._after.split("\n")]
        self._blank_before = self._blank_after = _NOTHING

    @property
    def has_text(self) -> bool:
        """Whether the context has any text but white space."""
        return bool(self._before or self._after)

    def may_be_in(self, view: str) -> bool:
        """Whether the lines next to the target are in ``view`` at all."""
        budget.spend_reading(len(view))
        return self._lines_before[-1] in view and self._lines_after[0] in view

    def fits(self, view: str, place: TextRange) -> bool:
        """Whether both contexts match around ``place`` in ``view``."""
        return self.fits_before(view, place.start) and self.fits_after(view, place.end)

    def fits_before(self, view: str, start: int) -> bool:
        """Whether ``before`` ends at ``start``."""
        if self._parts_before and is_in_word(view, start):
            return False
        if not self._before:
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
        return self.is_above(view, end)

    def is_above(self, view: str, end: int) -> bool:
        """Whether ``before``, without white space at its end, ends at ``end``."""
        before = self._before
        # The usual case: the text is exactly as sent. A negative start would count from the view's
        # end.
        if view.startswith(before, end - len(before)) and end >= len(before):
            return True
        first, *lines = self._lines_before
        # The last line has no trailing blanks that could differ, so it must end exactly here.
        if not lines or not view.endswith(lines[-1], 0, end):
            return False
        # Go up line by line, since trailing blanks don't count. Only the first context line may
        # match a part of a line. Otherwise "{" would match every line that ends with "{".
        for line in reversed(lines):
            line_start = view.rfind("\n", 0, end) + 1
            budget.spend_reading(end - line_start)
            if view[line_start:end].rstrip() != line or not line_start:
                return False
            end = line_start - 1
        return view[view.rfind("\n", 0, end) + 1 : end].rstrip().endswith(first)

    def fits_after(self, view: str, end: int) -> bool:
        """Whether ``after`` begins at ``end``."""
        if self._parts_after and is_in_word(view, end):
            return False
        if not self._after:
            return True
        low, high = self._blank_after
        if low <= end <= high:
            start = high
        else:
            start = blanks_after(view, end)
            self._blank_after = TextRange(end, start)
        return self.is_below(view, start)

    def is_below(self, view: str, start: int) -> bool:
        """Whether ``after``, without white space at its beginning, begins at ``start``."""
        after = self._after
        if view.startswith(after, start):
            return True
        *lines, last = self._lines_after
        if not lines or not view.startswith(lines[0], start):
            return False
        for line in lines:
            line_end = view.find("\n", start)
            budget.spend_reading(max(line_end - start, 0))
            if line_end < 0 or view[start:line_end].rstrip() != line:
                return False
            start = line_end + 1
        return view.startswith(last, start)


def blanks_before(view: str, offset: int, floor: int = 0) -> int:
    """Return where the white space that ends at ``offset`` begins, but at least ``floor``."""
    floor = max(floor, 0)
    start = max(offset - _FEW_BLANKS, floor)
    while start > floor and view[start:offset].isspace():
        start = max(offset - 2 * (offset - start), floor)
    _spend_reading(offset - start)
    return start + len(view[start:offset].rstrip())


def blanks_after(view: str, offset: int) -> int:
    """Return where the white space that begins at ``offset`` ends."""
    blanks = _BLANKS.match(view, offset)
    assert blanks is not None
    _spend_reading(blanks.end() - offset)
    return blanks.end()


def _spend_reading(blanks: int) -> None:
    """Charge the budget for reading many blanks; reading a few costs nothing."""
    if blanks > _FEW_BLANKS:
        budget.spend_reading(blanks)


def occurrences(view: str, target: str, scopes: Iterable[TextRange]) -> Iterator[TextRange]:
    """Yield every occurrence of ``target`` in ``scopes``, including overlapping ones."""
    for scope in scopes:
        at = view.find(target, scope.start, scope.end)
        while at >= 0:
            yield TextRange(at, at + len(target))
            # From the next code point, not from the match's end: "aa" occurs twice in "aaa", and an
            # anchor that could mean either is ambiguous.
            at = view.find(target, at + 1, scope.end)
