"""The person's notes to agents: written at an event, and whether they were given.

Implements docs/design/review.md "Notes".
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from starlette.responses import RedirectResponse
from starlette.routing import Route

from mcp_server.review.asking import is_by_agent
from mcp_server.review.hold.notes import MAX_WAITING, Note
from mcp_server.review.page.gate import checked_form
from mcp_server.review.page.rendering import rendered
from mcp_server.review.page.timeline import number_in

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from mcp_server.review.hold.note_box import NoteBox
    from mcp_server.review.record.event_store import EventStore


class NoteActions:
    """Writes notes about the events of one store."""

    def __init__(self, store: EventStore, notes: NoteBox) -> None:
        self._store = store
        self._notes = notes

    def routes(self) -> list[Route]:
        """Return the action's route."""
        return [Route("/actions/note", self._write, methods=["POST"])]

    async def _write(self, request: Request) -> Response:
        form = checked_form(request)
        number = number_in(form.get("event"))
        event = None if number is None else self._store.event(number)
        if event is None:
            why = "There is no such entry, so no agent can get a note about it."
            return await rendered(request, "refused.html", status=404, why=why)
        back = RedirectResponse(f"/event/{event.number}#notes", 303)
        if not form.get("text", "").strip():
            return back
        if not is_by_agent(event):
            why = "No agent is known to have done this, so none can get a note about it."
            return await rendered(request, "refused.html", status=409, why=why)
        paths = {path for each in event.files for path in (each.path, each.moved_to) if path}
        file = form.get("file", "")
        note = Note(
            0,
            form["text"],
            time.time(),
            event.number,
            f"entry {event.number}: {event.line}",
            event.session,
            event.client,
            file if file in paths else None,
            number_in(form.get("line")) or None if file in paths else None,
        )
        if not self._notes.write(note):
            why = f"{MAX_WAITING} notes still wait for their agents. Write it once they call."
            return await rendered(request, "refused.html", status=409, why=why)
        return back
