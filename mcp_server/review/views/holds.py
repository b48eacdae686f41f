"""The changes that wait: their differences, and the person's answer.

Implements docs/design/review.md "Hold".
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from starlette.responses import RedirectResponse
from starlette.routing import Route

from mcp_server.review.hold.approvals import AnsweredBefore, Ended, Ending
from mcp_server.review.hold.setting import MAX_LIMIT_S, MIN_LIMIT_S, HoldSetting
from mcp_server.review.page.event_view import ShownFile, shown_change
from mcp_server.review.page.gate import checked_form
from mcp_server.review.page.rendering import rendered
from mcp_server.review.page.timeline import number_in

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from mcp_server.review.hold.held_calls import HeldCall, HeldCalls

MAX_SHOWN_FILES = 50
"""Most files whose differences come at once; the others have pages of their own."""

_SAID = {
    Ending.APPROVED: "approved",
    Ending.REFUSED: "refused",
    Ending.TIMED_OUT: "not answered in time",
    Ending.WITHDRAWN: "withdrawn: the agent cancelled the call, or went away",
    Ending.STOPPED: "ended, because the server stopped",
}


class Holds:
    """The view over one server's held calls."""

    def __init__(self, held: HeldCalls) -> None:
        self._held = held

    def routes(self) -> list[Route]:
        """Return the view's routes."""
        return [
            Route("/holds", self._page, methods=["GET"]),
            Route("/holds/{key}", self._more_files, methods=["GET"]),
            Route("/actions/hold", self._switch, methods=["POST"]),
            Route("/actions/answer", self._answer, methods=["POST"]),
        ]

    async def _page(self, request: Request) -> Response:
        return await self._rendered(request)

    async def _more_files(self, request: Request) -> Response:
        key = request.path_params["key"]
        call = next((each for each in self._held.waiting if each.key == key), None)
        if call is None:
            why = "This change doesn't wait any more."
            return await rendered(request, "refused.html", status=404, why=why)
        first = number_in(request.query_params.get("from")) or 0
        files = await asyncio.to_thread(_files, call, first)
        return await rendered(request, "held_files.html", call=call, files=files, first=first)

    async def _rendered(self, request: Request, said: str = "", status: int = 200) -> Response:
        waiting = self._held.waiting
        side = request.query_params.get("side") == "1"
        return await rendered(
            request,
            "holds.html",
            status=status,
            setting=self._held.setting,
            revision=self._held.revision,
            limits=(MIN_LIMIT_S, MAX_LIMIT_S),
            waiting=[(each, await asyncio.to_thread(_files, each)) for each in waiting],
            side=side,
            lately=[
                (call, _SAID[each.ending], time.monotonic() - each.at_s)
                for call, each in self._held.lately
            ],
            said=said,
        )

    async def _switch(self, request: Request) -> Response:
        form = checked_form(request)
        limit_s = number_in(form.get("limit_s")) or self._held.setting.limit_s
        limit_s = max(MIN_LIMIT_S, min(limit_s, MAX_LIMIT_S))
        try:
            await self._held.set(HoldSetting(form.get("on") == "1", limit_s))
        except OSError as error:
            why = f"This lasts until the server ends: it could not be stored ({error.strerror})."
            return await self._rendered(request, why, 500)
        return RedirectResponse("/holds", 303)

    async def _answer(self, request: Request) -> Response:
        form = checked_form(request)
        answer = form.get("answer")
        if answer not in ("approve", "refuse"):
            return await self._rendered(request, "That was no answer. Nothing was done.", 400)
        came_of_it = self._held.answer(
            form.get("key", ""), approves=answer == "approve", reason=form.get("reason", "")
        )
        if isinstance(came_of_it, Ended):
            return RedirectResponse("/holds", 303)
        if isinstance(came_of_it, AnsweredBefore):
            return await self._rendered(request, _said_before(came_of_it.ended), 409)
        why = (
            "This change is not known here any more: the server was restarted since, or it ended "
            "long ago. It was not carried out by your answer."
        )
        return await self._rendered(request, why, 409)


def _said_before(ended: Ended) -> str:
    ago = round(time.monotonic() - ended.at_s)
    reason = f" The reason was: {ended.reason}" if ended.reason else ""
    return (
        f"Your answer came too late and changed nothing: {ago} s ago this change was "
        f"{_SAID[ended.ending]}.{reason}"
    )


def _files(call: HeldCall, first: int = 0) -> list[ShownFile]:
    """Return the differences of a held call from a file on. Blocks."""
    return [
        shown_change(
            each.script.relative,
            None if each.target is None else each.target.relative,
            each.before,
            each.after,
        )
        for each in call.files[first : first + MAX_SHOWN_FILES]
    ]
