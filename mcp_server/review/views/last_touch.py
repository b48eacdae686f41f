"""Find the recorded event that last touched a line of a file. Pure.

A line is followed backwards through the recorded changes of its file, as long as each ends with the
text with which the next one begins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from mcp_server.review.record.events import Event, EventFile
from snippet_engine.answer.line_diff import LineDiff
from snippet_engine.errors import SnippetError
from snippet_engine.source_text import decode

TextOf = Callable[[str], bytes | None]
"""Returns the text with a hash, if it is kept."""


class Touch(NamedTuple):
    """The event that last touched a file."""

    event: Event
    is_of_line: bool
    """Whether it is known to have touched the line. Otherwise no recorded event has, as far as they
    could be followed.
    """


def last_touch(events: Iterable[Event], path: str, line: int, text_of: TextOf) -> Touch | None:
    """Return who last touched a line (from 1) of a file; ``None`` if no event touched the file.

    ``events`` are those that changed files, newest first. The line is one of the newest text.
    """
    newest: Event | None = None
    row, end = line - 1, None
    for event in events:
        file = _file(event, path)
        if file is None:
            continue
        newest = newest or event
        if end is not None and file.after != end:
            break  # something between them wasn't recorded
        before, after = _lines(file.before, text_of), _lines(file.after, text_of)
        if before is None or after is None:
            break
        earlier = _row_before(before, after, row)
        if earlier is None:
            return Touch(event, is_of_line=True)
        row, end, path = earlier, file.before, file.path
    return None if newest is None else Touch(newest, is_of_line=False)


def _file(event: Event, path: str) -> EventFile | None:
    """Return the file of an event that is at ``path`` afterwards."""
    return next((each for each in event.files if (each.moved_to or each.path) == path), None)


def _lines(digest: str | None, text_of: TextOf) -> list[str] | None:
    if digest is None:
        return []  # no file: everything in it is new
    data = text_of(digest)
    source = None if data is None else decode(data)
    return None if source is None or isinstance(source, SnippetError) else source.view.split("\n")


def _row_before(before: Sequence[str], after: Sequence[str], row: int) -> int | None:
    """Return where the row ``row`` of ``after`` was before; ``None`` if it was changed."""
    moved = 0
    for change in LineDiff().changes(before, after):
        if row < change.new_start:
            break
        if row < change.new_end:
            return None
        moved = change.old_end - change.new_end
    return row + moved
