"""Show Unity's console, and find the event that last changed a line named there.

Implements docs/design/review.md "Other views". The Editor is asked when somebody opens the view.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import ToolError
from mcp_server.review.page.access import number_in
from mcp_server.review.page.rendering import refused, rendered
from mcp_server.review.page.sources import Sources
from mcp_server.review.record.events import Event, EventFile, EventFilter
from snippet_engine.answer.unified_diff import LineDiff
from snippet_engine.errors import SnippetError
from snippet_engine.source_text import decode

_PLACE = re.compile(
    r"(?<![\w/.])(?P<path>(?:Assets|Packages)/[^\n:()<>\"|?*]{1,400}?\.cs)"
    r"(?::(?P<line>\d{1,7})|\((?P<column_line>\d{1,7}),\d{1,7}\))"
)
"""``Assets/A.cs:12`` as in a stack trace, or ``Assets/A.cs(12,3)`` as in a compiler's error."""


class Part(NamedTuple):
    """A part of a text. With a ``path`` and a ``line`` (from 1), it names a place in a script."""

    text: str
    path: str = ""
    line: int = 0


def parts_of(text: str) -> Iterator[Part]:
    """Divide ``text`` into parts, so that each place in a script is a part of its own."""
    at = 0
    for found in _PLACE.finditer(text):
        if at < found.start():
            yield Part(text[at : found.start()])
        line = int(found["line"] or found["column_line"])
        yield Part(found[0], found["path"], line)
        at = found.end()
    if at < len(text):
        yield Part(text[at:])


TextOf = Callable[[str], bytes | None]
"""Returns the text with a hash; ``None`` if it isn't stored."""


class Touch(NamedTuple):
    """The event that last changed a line, or at least its file."""

    event: Event
    is_of_line: bool
    """Whether the event is known to have changed the line.

    Otherwise no event has, as far back as the line could be followed.
    """


def last_touch(events: Iterable[Event], path: str, line: int, text_of: TextOf) -> Touch | None:
    """Return the last event that changed line ``line`` (from 1) of the file's newest text.

    ``events`` are those that changed files, newest first. If no event is known to have changed the
    line, return the file's last event; ``None`` if no event changed the file.
    """
    newest: Event | None = None
    row, end = line - 1, None
    for event in events:
        file = _file(event, path)
        if file is None:
            continue
        newest = newest or event
        if end is not None and file.after != end:
            break  # an unrecorded change lies between the two events
        before, after = _lines(file.before, text_of), _lines(file.after, text_of)
        if before is None or after is None:
            break
        earlier = _row_before(before, after, row)
        if earlier is None:
            return Touch(event, is_of_line=True)
        row, end, path = earlier, file.before, file.path
    return None if newest is None else Touch(newest, is_of_line=False)


def _file(event: Event, path: str) -> EventFile | None:
    return next((each for each in event.files if (each.moved_to or each.path) == path), None)


def _lines(digest: str | None, text_of: TextOf) -> list[str] | None:
    if digest is None:
        return []  # no file, so every line of the other text is new
    data = text_of(digest)
    source = None if data is None else decode(data)
    return None if source is None or isinstance(source, SnippetError) else source.view.split("\n")


def _row_before(before: Sequence[str], after: Sequence[str], row: int) -> int | None:
    """Return the index that row ``row`` of ``after`` has in ``before``; ``None`` if it changed."""
    moved = 0
    for change in LineDiff().changes(before, after):
        if row < change.new_start:
            break
        if row < change.new_end:
            return None
        moved = change.old_end - change.new_end
    return row + moved


LEVELS = ("log", "warning", "error", "assert", "exception")
MAX_ENTRIES = 200
MAX_EVENTS = 1_000
_MAX_TEXT = 200
_TIMEOUT_MS = 5_000


async def console_page(sources: Sources, request: Request) -> Response:
    """Show Unity's console, as the Editor reports it now."""
    query = request.query_params
    levels = [each for each in query.getlist("level") if each in LEVELS]
    contains = query.get("q", "")[:_MAX_TEXT].strip()
    asked: dict[str, Any] = {"max_entries": MAX_ENTRIES, "timeout_ms": _TIMEOUT_MS}
    asked |= {"types": list(dict.fromkeys(levels))} if levels else {}
    asked |= {"contains": contains} if contains else {}
    problem, found, is_connected = "", {}, sources.editor.connected
    if is_connected:
        outcome = await sources.ask(CATALOG["read_console"], asked)
        problem = outcome.message if isinstance(outcome, ToolError) else ""
        found = {} if isinstance(outcome, ToolError) else outcome.structured
    return await rendered(
        request,
        "console.html",
        is_connected=is_connected,
        problem=problem,
        entries=found.get("entries", ())[::-1],
        is_cut=found.get("truncated", False),
        levels=LEVELS,
        chosen=levels,
        contains=contains,
        parts_of=parts_of,
    )


async def touched(sources: Sources, request: Request) -> Response:
    """Redirect to the event that last changed a line.

    If only the file's last event is known, redirect to that one. If no event is known, answer 404.
    """
    path, line = request.query_params.get("path", ""), request.query_params.get("line")
    row, store = number_in(line) or 1, sources.store
    events = store.events(EventFilter(is_written=True), limit=MAX_EVENTS)
    found = await asyncio.to_thread(last_touch, events, path, row, store.text)
    if found is None:
        why = f"No entry of the timeline changed {path or 'that file'}."
        return await refused(request, 404, why)
    if found.is_of_line:
        return RedirectResponse(f"/event/{found.event.number}", 303)
    return await rendered(request, "touched.html", event=found.event, file=path, line=row)
