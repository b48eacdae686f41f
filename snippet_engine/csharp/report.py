"""What scanning lines tells besides the state they end in: problems, and on demand details.

Part of spec 04-roslyn §1.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from snippet_engine.csharp.lexical_state import Frame


class Problem(NamedTuple):
    """An error on one line: zero-based column in code points, Roslyn's id, what is wrong."""

    column: int
    id: str
    message: str
    opener: int | None = None
    """View offset of what isn't closed; only a detailed report knows it."""


@dataclass(slots=True)
class Segment:
    """A comment, or a stretch of a literal's text, in view offsets."""

    start: int
    end: int
    is_comment: bool
    is_single_line: bool = False


class Report:
    """Collects problems; a ``detailed`` one also comments, literals' text, and openers.

    Columns that go in count from the view offset that :meth:`begin_line` named last. All that
    a scan of a whole file needs are the problems, so that the rest costs it nothing.
    """

    def __init__(self, *, detailed: bool = False) -> None:
        self.detailed = detailed
        self.problems: list[Problem] = []
        self.segments: list[Segment] = []
        """In text order. A comment or text that goes on over a line's end is one segment."""
        self._openers: dict[int, int] = {}
        self._line_start = 0

    def begin_line(self, view_offset: int) -> None:
        """A line begins at ``view_offset``."""
        self._line_start = view_offset

    def problem(self, column: int, id: str, message: str, unclosed: Frame | None = None) -> None:  # noqa: A002
        """Note an error; ``unclosed`` is the frame that it is about, if it is about one."""
        opener = self._openers.get(unclosed.depth) if unclosed is not None else None
        self.problems.append(Problem(column, id, message, opener))

    def opened(self, frame: Frame, column: int) -> None:
        """Note that ``frame`` was opened at ``column``."""
        if self.detailed:
            self._openers[frame.depth] = self._line_start + column

    def comment(self, start: int, end: int, *, single_line: bool) -> None:
        """Note a comment, or the part of it on this line, delimiters included."""
        if self.detailed:
            self._add(Segment(self._line_start + start, self._line_start + end, True, single_line))

    def text(self, start: int, end: int) -> None:
        """Note a part of a literal's text on this line, without quotes and holes."""
        if self.detailed:
            self._add(Segment(self._line_start + start, self._line_start + end, False))

    def _add(self, segment: Segment) -> None:
        last = self.segments[-1] if self.segments else segment
        goes_on = (
            segment.start == self._line_start
            and last.end == segment.start - 1
            and last.is_comment == segment.is_comment
            and not segment.is_single_line
            and not last.is_single_line
        )
        if goes_on:
            last.end = segment.end
        else:
            self.segments.append(segment)
