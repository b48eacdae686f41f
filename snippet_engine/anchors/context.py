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
        self._lines_before = [line.rstrip() for line in self._before.split("\n")]
        self._lines_after = [line.rstrip() for line in self._after.split("\n")]
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
        lines = self._lines_before
        # The last line has no trailing blanks left that could differ: it stands right here, or
        # nowhere.
        if len(lines) == 1 or not view.endswith(lines[-1], 0, end):
            return False
        # Up from the target: trailing blanks don't count, which no search for the text as a whole
        # can leave out. Only the first line of the context may be a part of its line; a "{" in its
        # middle would else fit any line that ends in one.
        index, many = len(lines) - 1, 1
        while index > 0:
            # More lines of context than there are above the place.
            if end < 0:
                return False
            block = "\n" + "\n".join(lines[max(index - many, 0) + 1 : index + 1])
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
        lines = self._lines_after
        if len(lines) == 1 or not view.startswith(lines[0], start):
            return False
        # As many lines at once as stand there as they are, which is quick; one by one where blanks
        # end them, as these don't count.
        last = len(lines) - 1
        index, many = 0, 1
        while index < last:
            # More lines of context than there are below the place.
            if start > len(view):
                return False
            block = "\n".join(lines[index : min(index + many, last)]) + "\n"
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


def occurrences(view: str, target: str, scopes: Iterable[TextRange]) -> Iterator[TextRange]:
    """Every place in ``scopes`` where ``target`` stands, overlapping ones included."""
    for scope in scopes:
        at = view.find(target, scope.start, scope.end)
        while at >= 0:
            yield TextRange(at, at + len(target))
            # From the next code point on, not from the match's end: "aa" stands in "aaa" twice, and
            # an anchor that could mean either is ambiguous.
            at = view.find(target, at + 1, scope.end)
