"""Unity's console, and the way from a place in it to the event that last touched that line.

Implements docs/design/review.md "Other views". The Editor is asked when somebody opens the view.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from starlette.responses import RedirectResponse
from starlette.routing import Route

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import ToolError
from mcp_server.review.page.rendering import rendered
from mcp_server.review.page.timeline import number_in
from mcp_server.review.record.event_filter import EventFilter
from mcp_server.review.views.last_touch import last_touch
from mcp_server.review.views.places import parts_of

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from mcp_server.editor.tools import EditorTools
    from mcp_server.review.asking import Asking
    from mcp_server.review.record.event_store import EventStore

LEVELS = ("log", "warning", "error", "assert", "exception")
MAX_ENTRIES = 200
MAX_EVENTS = 1_000
"""Most events of a file that are looked through for one line."""

_MAX_TEXT = 200
_TIMEOUT_MS = 5_000


class Console:
    """The view over the Editor's console."""

    def __init__(self, editor: EditorTools, ask: Asking, store: EventStore) -> None:
        self._editor = editor
        self._ask = ask
        self._store = store

    def routes(self) -> list[Route]:
        """Return the view's routes."""
        return [
            Route("/console", self._page, methods=["GET"]),
            Route("/touched", self._touched, methods=["GET"]),
        ]

    async def _page(self, request: Request) -> Response:
        query = request.query_params
        levels = [each for each in query.getlist("level") if each in LEVELS]
        contains = query.get("q", "")[:_MAX_TEXT].strip()
        asked: dict[str, Any] = {"max_entries": MAX_ENTRIES, "timeout_ms": _TIMEOUT_MS}
        asked |= {"types": list(dict.fromkeys(levels))} if levels else {}
        asked |= {"contains": contains} if contains else {}
        problem, found = "", {}
        if self._editor.connected:
            outcome = await self._ask(CATALOG["read_console"], asked)
            problem = outcome.message if isinstance(outcome, ToolError) else ""
            found = {} if isinstance(outcome, ToolError) else outcome.structured
        return await rendered(
            request,
            "console.html",
            is_connected=self._editor.connected,
            problem=problem,
            entries=found.get("entries", ())[::-1],
            is_cut=found.get("truncated", False),
            levels=LEVELS,
            chosen=levels,
            contains=contains,
            parts_of=parts_of,
        )

    async def _touched(self, request: Request) -> Response:
        path, line = request.query_params.get("path", ""), request.query_params.get("line")
        row = number_in(line) or 1
        found = await asyncio.to_thread(self._last_touch, path, row)
        if found is None:
            why = f"No entry of the timeline has changed {path or 'that file'}."
            return await rendered(request, "refused.html", status=404, why=why)
        if found.is_of_line:
            return RedirectResponse(f"/event/{found.event.number}", 303)
        return await rendered(request, "touched.html", event=found.event, file=path, line=row)

    def _last_touch(self, path: str, row: int) -> Any:
        chosen = EventFilter(is_written=True)
        events = self._store.events(chosen, limit=MAX_EVENTS)
        return last_touch(events, path, row, self._store.text)
