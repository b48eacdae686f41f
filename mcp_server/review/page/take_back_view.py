"""Take back events: show what would change; after confirmation, write exactly that.

Implements docs/design/review.md "Take back".
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from mcp_server.contract.errors import ToolError
from mcp_server.review.asking import CLIENT
from mcp_server.review.page.access import checked_form, number_in
from mcp_server.review.page.event_view import MAX_FILES, ShownFile, said, shown_change
from mcp_server.review.page.rendering import refused, rendered
from mcp_server.review.page.sources import Sources
from mcp_server.review.take_back.plans import Plan
from mcp_server.review.take_back.take_back import SETTLE_S

MAX_CHANGES = 1_000
CHANGED_MEANWHILE = "Something has changed since you looked. Taking back would now change this:"


class Wanted(NamedTuple):
    """What the person wants to take back, read from the page's address or a form."""

    event: int | None
    since: int | None
    path: str
    """If not empty, take back only ``changes`` of the file at this path."""
    changes: tuple[int, ...]

    @classmethod
    def of(cls, fields: Mapping[str, str], mark: int) -> Wanted:
        """Read the choice from an address or a form. ``mark`` is the last event seen."""
        since = mark if fields.get("since") == "mark" else number_in(fields.get("since"))
        numbers = (number_in(each) for each in fields.get("changes", "").split(",")[:MAX_CHANGES])
        changes = tuple(each for each in numbers if each is not None)
        return cls(number_in(fields.get("event")), since, fields.get("path", ""), changes)


async def take_back_page(sources: Sources, request: Request) -> Response:
    """Show what taking back would change."""
    wanted = Wanted.of(request.query_params, sources.store.mark)
    return await _plan_page(request, wanted, await _plan(sources, wanted))


async def take_back(sources: Sources, request: Request) -> Response:
    """Write the plan that the person has confirmed, unless the plan has changed since."""
    form = checked_form(request)
    wanted = Wanted.of(form, sources.store.mark)
    plan = await _plan(sources, wanted)
    if plan is None or plan.key != form.get("key"):
        return await _plan_page(request, wanted, plan, why=CHANGED_MEANWHILE)
    all_the_same = form.get("all_the_same") == "1"
    outcome = await sources.review.take_back.do(plan, all_the_same=all_the_same)
    if isinstance(outcome, ToolError):
        # Plan again: the reason for the refusal may have changed the plan.
        return await _plan_page(request, wanted, await _plan(sources, wanted), error=outcome)
    await asyncio.to_thread(sources.store.settle, SETTLE_S)
    newest = next(iter(sources.store.events(limit=1)), None)
    is_ours = newest is not None and newest.client == CLIENT
    return RedirectResponse(f"/event/{newest.number}" if newest and is_ours else "/", 303)


async def _plan(sources: Sources, wanted: Wanted) -> Plan | None:
    take_back = sources.review.take_back
    if wanted.since is not None:
        return await asyncio.to_thread(take_back.plan_since, wanted.since)
    if wanted.event is None:
        return None
    hunks = {wanted.path: wanted.changes} if wanted.path and wanted.changes else None
    return await asyncio.to_thread(take_back.plan, wanted.event, hunks)


async def _plan_page(
    request: Request,
    wanted: Wanted,
    plan: Plan | None,
    why: str = "",
    error: ToolError | None = None,
) -> Response:
    if plan is None:
        return await refused(request, 404, "The address names nothing to take back.")
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
        errors=() if error is None else said(error.to_json()).errors,
        side=False,
    )


def _shown_files(plan: Plan) -> list[ShownFile]:
    return [
        shown_change(each.path, each.moved_to, each.now, each.then)
        for each in plan.files[:MAX_FILES]
        if not each.is_unseen
    ]
