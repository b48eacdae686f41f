"""Show the held changes, take the person's answers, and take notes to agents.

Implements docs/design/review.md "Hold" and "Notes".
"""

from __future__ import annotations

import asyncio
import time

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from mcp_server.review.asking import is_by_agent
from mcp_server.review.hold.approvals import AnsweredBefore, Ended, Ending
from mcp_server.review.hold.held_calls import MAX_LIMIT_S, MIN_LIMIT_S, HeldCall, HoldSetting
from mcp_server.review.hold.notes import MAX_WAITING, Note
from mcp_server.review.page.access import checked_form, number_in
from mcp_server.review.page.event_view import ShownFile, shown_change
from mcp_server.review.page.rendering import refused, rendered
from mcp_server.review.page.sources import Sources

MAX_SHOWN_FILES = 50
"""Most files of a held change on one page. More files are on further pages."""

_SAID = {
    Ending.APPROVED: "approved",
    Ending.REFUSED: "refused",
    Ending.TIMED_OUT: "not answered in time",
    Ending.WITHDRAWN: "withdrawn: the agent cancelled the call, or disconnected",
    Ending.STOPPED: "ended, because the server stopped",
}


async def holds_page(
    sources: Sources, request: Request, said: str = "", status: int = 200
) -> Response:
    """Show the held changes, and the switch for holding."""
    held = sources.review.held
    return await rendered(
        request,
        "holds.html",
        status=status,
        setting=held.setting,
        revision=held.revision,
        limits=(MIN_LIMIT_S, MAX_LIMIT_S),
        waiting=[(each, await asyncio.to_thread(_files, each)) for each in held.waiting],
        side=request.query_params.get("side") == "1",
        lately=[
            (call, _SAID[each.ending], time.monotonic() - each.at_s) for call, each in held.lately
        ],
        said=said,
    )


async def held_files(sources: Sources, request: Request) -> Response:
    """Show the next files of a held change."""
    key = request.path_params["key"]
    call = next((each for each in sources.review.held.waiting if each.key == key), None)
    if call is None:
        return await refused(request, 404, "This change no longer waits.")
    first = number_in(request.query_params.get("from")) or 0
    files = await asyncio.to_thread(_files, call, first)
    return await rendered(request, "held_files.html", call=call, files=files, first=first)


async def set_hold(sources: Sources, request: Request) -> Response:
    """Switch holding on or off, and set its time limit."""
    form, held = checked_form(request), sources.review.held
    limit_s = number_in(form.get("limit_s")) or held.setting.limit_s
    limit_s = max(MIN_LIMIT_S, min(limit_s, MAX_LIMIT_S))
    try:
        await held.set(HoldSetting(form.get("on") == "1", limit_s))
    except OSError as error:
        why = f"This lasts until the server ends: it could not be stored ({error.strerror})."
        return await holds_page(sources, request, why, 500)
    return RedirectResponse("/holds", 303)


async def answer(sources: Sources, request: Request) -> Response:
    """Approve or refuse a held change, as the person's form says."""
    form = checked_form(request)
    said = form.get("answer")
    if said not in ("approve", "refuse"):
        why = "The form had no answer. Nothing was done."
        return await holds_page(sources, request, why, 400)
    came_of_it = sources.review.held.answer(
        form.get("key", ""), approves=said == "approve", reason=form.get("reason", "")
    )
    if isinstance(came_of_it, Ended):
        return RedirectResponse("/holds", 303)
    why = (
        "This change is no longer known: the server was restarted, or the change ended long ago. "
        "It was not carried out by your answer."
    )
    if isinstance(came_of_it, AnsweredBefore):
        why = _said_before(came_of_it.ended)
    return await holds_page(sources, request, why, 409)


def _said_before(ended: Ended) -> str:
    ago = round(time.monotonic() - ended.at_s)
    reason = f" The reason was: {ended.reason}" if ended.reason else ""
    return (
        f"Your answer came too late and changed nothing: {ago} s ago this change was "
        f"{_SAID[ended.ending]}.{reason}"
    )


def _files(call: HeldCall, first: int = 0) -> list[ShownFile]:
    return [
        shown_change(
            each.script.relative,
            None if each.target is None else each.target.relative,
            each.before,
            each.after,
        )
        for each in call.files[first : first + MAX_SHOWN_FILES]
    ]


async def write_note(sources: Sources, request: Request) -> Response:
    """Store a note to the agent of an event."""
    form = checked_form(request)
    number = number_in(form.get("event"))
    event = None if number is None else sources.store.event(number)
    if event is None:
        why = "There is no such entry, so no agent can get a note about it."
        return await refused(request, 404, why)
    back = RedirectResponse(f"/event/{event.number}#notes", 303)
    if not form.get("text", "").strip():
        return back
    if not is_by_agent(event):
        why = "No agent is known to have done this, so none can get a note about it."
        return await refused(request, 409, why)
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
    if not sources.review.notes.write(note):
        why = f"{MAX_WAITING} notes wait for their agents. Write it after an agent has called."
        return await refused(request, 409, why)
    return back
