"""One event: its differences, who judged it and how, and what a refusal offered.

Implements docs/design/review.md "An event".
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.routing import Route

from mcp_server.review.asking import is_by_agent
from mcp_server.review.page.diffs.asset_changes import (
    AssetChanges,
    asset_changes,
    is_asset_text,
)
from mcp_server.review.page.diffs.file_diff import CONTEXT_LINES, FileDiff, file_diff
from mcp_server.review.page.diffs.kept_diffs import ALL_LINES
from mcp_server.review.page.rendering import rendered
from mcp_server.review.page.said import as_json, said
from mcp_server.review.page.timeline import number_in
from mcp_server.review.record.event_filter import WRITTEN
from mcp_server.review.record.events import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.requests import Request
    from starlette.responses import Response

    from mcp_server.review.page.sources import Sources
    from mcp_server.review.record.events import EventFile

MAX_FILES = 50
"""Most files of one view whose differences are shown."""

MAX_VIEW_ROWS = 10_000
"""Most rows of all of them."""


NOT_SEEN = "Its text was not seen."


@dataclass(frozen=True, slots=True)
class ShownFile:
    """A file and its differences."""

    path: str
    moved_to: str | None
    diff: FileDiff
    asset: AssetChanges | None
    """Its changed fields, if it is one of Unity's assets."""
    was_there: bool
    is_there: bool


class EventView:
    """The view over one server's sources."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def routes(self) -> list[Route]:
        """Return the view's route."""
        return [Route("/event/{number}", self._page, methods=["GET"])]

    async def _page(self, request: Request) -> Response:
        store = self._sources.store
        number = number_in(request.path_params["number"])
        event = None if number is None else store.event(number)
        if event is None:
            why = "There is no such entry. The oldest ones go when there are too many."
            return await rendered(request, "refused.html", status=404, why=why)
        detail = await asyncio.to_thread(store.detail, event.number)
        is_whole = request.query_params.get("lines") == "all"
        context = ALL_LINES if is_whole else CONTEXT_LINES
        is_refused = event.outcome in (Outcome.REFUSED, Outcome.GUARDED)
        not_seen = "It was not changed." if is_refused else NOT_SEEN
        files = await asyncio.to_thread(shown_files, self._sources, event.files, context, not_seen)
        known = detail or {}
        return await rendered(
            request,
            "event.html",
            event=event,
            said=said(known),
            late=store.late(event.number),
            can_be_noted=is_by_agent(event),
            notes=self._sources.review.notes.about(event.number),
            files=files,
            files_left_out=max(0, len(event.files) - len(files)),
            side=request.query_params.get("side") == "1",
            is_whole=is_whole,
            can_go_back=event.outcome in WRITTEN and bool(event.files),
            sent=as_json(known["arguments"]) if known.get("arguments") else "",
            answered=as_json(known.get("error") or known.get("result") or ""),
        )


def shown_files(
    sources: Sources,
    files: Iterable[EventFile],
    context: int = CONTEXT_LINES,
    not_seen: str = NOT_SEEN,
) -> list[ShownFile]:
    """Return the first of ``files`` with their differences. Blocks.

    ``not_seen`` is what is said of a file whose text nobody saw.
    """
    shown: list[ShownFile] = []
    rows = 0
    for each in files:
        if len(shown) == MAX_FILES or rows > MAX_VIEW_ROWS:
            break
        path = each.moved_to or each.path
        diff = FileDiff(note=not_seen)
        if not each.is_unknown:
            diff = sources.diffs.diff(path, each.before, each.after, context)
        rows += sum(len(hunk.rows) for hunk in diff.hunks)
        hashes = each.before, each.after
        asset = None
        if not path.endswith(".cs"):
            before, after = (None if key is None else sources.store.text(key) for key in hashes)
            asset = _asset(path, before, after)
        was_there, is_there = (each.is_unknown or key is not None for key in hashes)
        shown.append(ShownFile(each.path, each.moved_to, diff, asset, was_there, is_there))
    return shown


def shown_change(
    path: str, moved_to: str | None, before: bytes | None, after: bytes | None
) -> ShownFile:
    """Return a file with these texts and their differences. Blocks."""
    name = moved_to or path
    diff = file_diff(before, after, is_csharp=name.endswith(".cs"))
    there = before is not None, after is not None
    return ShownFile(path, moved_to, diff, _asset(name, before, after), *there)


def _asset(path: str, before: bytes | None, after: bytes | None) -> AssetChanges | None:
    if path.endswith(".cs") or before is None or after is None:
        return None
    if not (is_asset_text(before) and is_asset_text(after)):
        return None
    return asset_changes(before, after)
