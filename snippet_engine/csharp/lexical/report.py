"""Collect what a scan of lines finds: problems, and on demand comments, literals and openers.

Part of docs/design/roslyn.md §1.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from snippet_engine import budget
from snippet_engine.csharp.lexical.lexical_state import Frame
from snippet_engine.csharp.lexical.problem import Problem

MAX_STEPS = 250_000
"""Most steps of a scan from one bracket, string, comment or directive to the next.

Only unusual lines take steps: twenty thousand such lines take about a sixth of the limit.
"""
_MAX_DETAILED_STEPS = 600_000
"""The limit if each comment and literal of some lines is reported, one step each."""
_CHECKED_EVERY = 256


class TooManyStepsError(Exception):
    """The scan of a text takes more than :data:`MAX_STEPS`."""


@dataclass(slots=True)
class Segment:
    """A comment, or a stretch of a literal's text, in view offsets."""

    start: int
    end: int
    is_comment: bool
    is_single_line: bool = False


class _Opener(NamedTuple):
    """Where a frame was opened: the view offset, and the indentation of the line."""

    offset: int
    indentation: int


class Report:
    """Collects problems; on demand also comments and literals' text, or the openers of frames.

    Columns count from the latest offset given to :meth:`begin_line`. A scan of a whole file needs
    only the problems, so it collects nothing else.
    """

    def __init__(self, *, of_segments: bool = False, of_openers: bool = False) -> None:
        self.of_segments = of_segments
        self.of_openers = of_openers
        self._steps = 0
        self._checked_at = _CHECKED_EVERY
        self._most_steps = _MAX_DETAILED_STEPS if of_segments else MAX_STEPS
        self.problems: list[Problem] = []
        self.segments: list[Segment] = []
        """In text order. A comment or text that spans lines is one segment."""
        self._openers: dict[int, _Opener] = {}
        self._line_start = self._indentation = 0
        self._unclosed: int | None = None
        self._extra: int | None = None

    def begin_line(self, view_offset: int, text: str) -> None:
        """Note that the line ``text`` begins at ``view_offset``."""
        self._line_start = view_offset
        self._indentation = len(text) - len(text.lstrip())

    def step(self, count: int = 1) -> None:
        """Count steps; raise :class:`TooManyStepsError` after too many.

        Raises :class:`.StoppedError` once the request has ended.
        """
        self._steps += count
        if self._steps >= self._checked_at:
            self._checked_at = self._steps + _CHECKED_EVERY
            budget.check()
            if self._steps > self._most_steps:
                raise TooManyStepsError

    def problem(self, column: int, id: str, message: str, unclosed: Frame | None = None) -> None:  # noqa: A002
        """Note an error; ``unclosed`` is the unclosed frame that it is about, if any."""
        opener = self._openers.get(unclosed.depth) if unclosed is not None else None
        suspect = None
        if unclosed is not None and unclosed.kind == "{":
            suspect, self._unclosed = self._unclosed, None
        offset = opener.offset if opener is not None else None
        self.problems.append(Problem(column, id, message, offset, suspect, unclosed is not None))

    def stray(self, column: int, closer: str) -> None:
        """Note a closing bracket without an opening one."""
        suspect = None
        if closer == "}":
            suspect, self._extra = self._extra, None
        message = f"unexpected {closer}: nothing is open that it closes"
        self.problems.append(Problem(column, "CS1022", message, suspect=suspect, is_unpaired=True))

    def opened(self, frame: Frame, column: int) -> None:
        """Note that ``frame`` was opened at ``column``."""
        if self.of_openers:
            self._openers[frame.depth] = _Opener(self._line_start + column, self._indentation)

    def closed(self, frame: Frame, column: int) -> None:
        """Note that the bracket at ``column`` closed ``frame``.

        A brace at the beginning of its line should align with the line of its opening brace. In a
        file with one brace too few or too many, the first brace that doesn't align shows where.
        """
        opener = self._openers.get(frame.depth)
        if opener is None or frame.kind != "{" or column != self._indentation:
            return
        if column < opener.indentation and self._unclosed is None:
            self._unclosed = opener.offset
        elif column > opener.indentation and self._extra is None:
            self._extra = self._line_start + column

    def comment(self, start: int, end: int, *, single_line: bool) -> None:
        """Note a comment, or its part on this line, delimiters included."""
        if self.of_segments:
            self._add(Segment(self._line_start + start, self._line_start + end, True, single_line))

    def text(self, start: int, end: int) -> None:
        """Note a part of a literal's text on this line, without quotes and holes."""
        if self.of_segments:
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
