"""Take back what was done: first what that would change, then, once confirmed, exactly that.

Implements docs/design/review.md "Take back".
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from starlette.responses import RedirectResponse
from starlette.routing import Route

from mcp_server.contract.errors import ToolError
from mcp_server.review.asking import CLIENT
from mcp_server.review.page.event_view import MAX_FILES, shown_change
from mcp_server.review.page.gate import checked_form
from mcp_server.review.page.rendering import rendered
from mcp_server.review.page.said import said
from mcp_server.review.page.timeline import number_in
from mcp_server.review.take_back.take_back import SETTLE_S

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from mcp_server.review.page.event_view import ShownFile
    from mcp_server.review.page.sources import Sources
    from mcp_server.review.take_back.plans import Plan

MAX_CHANGES = 1_000
"""Most changes of a file that are named in one request."""

CHANGED_MEANWHILE = "Something has changed since you looked. This is what it would be now."


class Wanted(NamedTuple):
    """What the person wants to take back, as in the page's address."""

    event: int | None
    """One event."""
    since: int | None
    """Take back every event after this one."""
    path: str
    """Take back only ``changes`` of the file at this path."""
    changes: tuple[int, ...]
    """Numbers of changes."""

    @classmethod
    def of(cls, fields: Mapping[str, str], mark: int) -> Wanted:
        """Return the choice that an address or a form carries."""
        since = mark if fields.get("since") == "mark" else number_in(fields.get("since"))
        numbers = (number_in(each) for each in fields.get("changes", "").split(",")[:MAX_CHANGES])
        changes = tuple(each for each in numbers if each is not None)
        return cls(number_in(fields.get("event")), since, fields.get("path", ""), changes)


class TakeBackView:
    """The view over one server's sources."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def routes(self) -> list[Route]:
        """Return the view's routes."""
        return [
            Route("/take-back", self._preview, methods=["GET"]),
            Route("/actions/take-back", self._confirm, methods=["POST"]),
        ]

    async def _preview(self, request: Request) -> Response:
        wanted = Wanted.of(request.query_params, self._sources.store.mark)
        return await self._shown(request, wanted, await self._plan(wanted))

    async def _confirm(self, request: Request) -> Response:
        form = checked_form(request)
        wanted = Wanted.of(form, self._sources.store.mark)
        plan = await self._plan(wanted)
        if plan is None or plan.key != form.get("key"):
            return await self._shown(request, wanted, plan, why=CHANGED_MEANWHILE)
        all_the_same = form.get("all_the_same") == "1"
        outcome = await self._sources.review.take_back.do(plan, all_the_same=all_the_same)
        if isinstance(outcome, ToolError):
            return await self._shown(request, wanted, await self._plan(wanted), error=outcome)
        return RedirectResponse(await self._last_address(), 303)

    async def _plan(self, wanted: Wanted) -> Plan | None:
        """Return the plan; ``None`` if the request names nothing."""
        take_back = self._sources.review.take_back
        if wanted.since is not None:
            return await asyncio.to_thread(take_back.plan_since, wanted.since)
        if wanted.event is None:
            return None
        hunks = {wanted.path: wanted.changes} if wanted.path and wanted.changes else None
        return await asyncio.to_thread(take_back.plan, wanted.event, hunks)

    async def _shown(
        self,
        request: Request,
        wanted: Wanted,
        plan: Plan | None,
        why: str = "",
        error: ToolError | None = None,
    ) -> Response:
        if plan is None:
            return await rendered(
                request, "refused.html", status=404, why="The address names nothing to take back."
            )
        told = None if error is None else said(error.to_json())
        return await rendered(
            request,
            "take_back.html",
            status=200 if error is None and not why else 409,
            wanted=wanted,
            plan=plan,
            files=await asyncio.to_thread(_shown_files, plan),
            files_left_out=max(0, len(plan.files) - MAX_FILES),
            why=why,
            error=error,
            errors=() if told is None else told.errors,
            side=False,
        )

    async def _last_address(self) -> str:
        """Return where the event of what the person just did is shown."""
        store = self._sources.store
        await asyncio.to_thread(store.settle, SETTLE_S)
        newest = next(iter(store.events(limit=1)), None)
        is_ours = newest is not None and newest.client == CLIENT
        return f"/event/{newest.number}" if newest is not None and is_ours else "/"


def _shown_files(plan: Plan) -> list[ShownFile]:
    return [
        shown_change(each.path, each.moved_to, each.now, each.then)
        for each in plan.files[:MAX_FILES]
        if not each.is_unseen
    ]
