"""Whether an anchor's context lines stand around a place.

Implements docs/design/engine.md §1, "Text anchor": ``before`` must end where the target
begins and ``after`` must begin where it ends, apart from white space in between; each
context line is compared with trailing white space ignored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from snippet_engine.source_text import TextRange

_NOTHING = TextRange(0, -1)


class Context:
    """The ``before`` and ``after`` of an anchor, prepared to be tried at many places of a view.

    Quickest when the places come in order: it remembers the white space that it skipped last,
    since a million of them may stand in one run of blanks.
    """

    def __init__(self, before: str, after: str) -> None:
        self._before = before.rstrip()
        *above, last = after.lstrip().split("\n")
        self._after = "\n".join((*above, last.rstrip()))
        self._blank_before = self._blank_after = _NOTHING

    def fits(self, view: str, place: TextRange) -> bool:
        """Whether both contexts stand around ``place`` in ``view``."""
        return self.fits_before(view, place.start) and self.fits_after(view, place.end)

    def fits_before(self, view: str, start: int) -> bool:
        """Whether ``before`` ends at ``start``."""
        before = self._before
        if not before:
            return True
        end = start
        low, high = self._blank_before
        # Skip blanks up to those skipped last time. From each place anew, a target of one blank in
        # a run of a million would take a million times a million steps.
        while not low <= end <= high and end and view[end - 1].isspace():
            end -= 1
        if low <= end <= high:
            end = low
        self._blank_before = TextRange(end, start)
        # As sent, which is nearly always so. A negative start would count from the end of the view.
        if view.startswith(before, end - len(before)) and end >= len(before):
            return True
        lines = before.split("\n")
        # The last line has no trailing blanks left that could differ: it stands right here, or
        # nowhere.
        if len(lines) == 1 or not view.endswith(lines[-1], 0, end):
            return False
        # Line by line, up from the target: trailing blanks don't count, which no search for the
        # text as a whole can leave out. Only the first line of the context may be a part of its
        # line; a "{" in its middle would else fit any line that ends in one.
        for index in range(len(lines) - 1, -1, -1):
            # More lines of context than there are above the place.
            if end < 0:
                return False
            line_start = view.rfind("\n", 0, end) + 1
            standing = view[line_start:end].rstrip()
            wanted = lines[index].rstrip()
            if not (standing == wanted if index else standing.endswith(wanted)):
                return False
            end = line_start - 1
        return True

    def fits_after(self, view: str, end: int) -> bool:
        """Whether ``after`` begins at ``end``."""
        after = self._after
        if not after:
            return True
        start = end
        low, high = self._blank_after
        while not low <= start <= high and start < len(view) and view[start].isspace():
            start += 1
        if low <= start <= high:
            start = high
        self._blank_after = TextRange(end, start)
        if view.startswith(after, start):
            return True
        lines = after.split("\n")
        if len(lines) == 1 or not view.startswith(lines[0].rstrip(), start):
            return False
        last = len(lines) - 1
        for index, line in enumerate(lines):
            # More lines of context than there are below the place.
            if start > len(view):
                return False
            line_end = view.find("\n", start)
            if line_end < 0:
                line_end = len(view)
            standing = view[start:line_end].rstrip()
            wanted = line.rstrip()
            if not (standing.startswith(wanted) if index == last else standing == wanted):
                return False
            start = line_end + 1
        return True


def occurrences(view: str, target: str, scopes: Iterable[TextRange]) -> Iterator[TextRange]:
    """Every place in ``scopes`` where ``target`` stands, overlapping ones included."""
    for scope in scopes:
        at = view.find(target, scope.start, scope.end)
        while at >= 0:
            yield TextRange(at, at + len(target))
            # From the next code point on, not from the match's end: "aa" stands in "aaa" twice, and
            # an anchor that could mean either is ambiguous.
            at = view.find(target, at + 1, scope.end)
