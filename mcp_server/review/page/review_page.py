"""Join every view and action of one server's review page.

Implements docs/design/review.md "The page".
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from mcp_server.contract.server_schemas import PAGE_LINK_PATH
from mcp_server.editor.tools import EditorTools
from mcp_server.review.asking import Asking, Call
from mcp_server.review.page.access import Gate, PageAccess, View, login, open_routes
from mcp_server.review.page.console import console_page, touched
from mcp_server.review.page.diffs.file_diff import KeptDiffs
from mcp_server.review.page.event_view import event_page
from mcp_server.review.page.figures import figures_page
from mcp_server.review.page.holds import answer, held_files, holds_page, set_hold, write_note
from mcp_server.review.page.jobs import cancel_job, jobs_page
from mcp_server.review.page.now import Feed, Now
from mcp_server.review.page.problems import Problems
from mcp_server.review.page.rendering import static_file
from mcp_server.review.page.sources import Sources
from mcp_server.review.page.take_back_view import take_back, take_back_page
from mcp_server.review.page.timeline import Timeline, net_page
from mcp_server.review.record.events import Event
from mcp_server.review.review import Review

READY_S = 5.0
"""Most seconds that a view waits for the events of earlier servers."""


class ReviewPage:
    """The review page of one server."""

    def __init__(
        self,
        access: PageAccess,
        review: Review,
        now: Now,
        editor: EditorTools,
        call: Call,
        on_listeners: Callable[[int], None],
        on_link: Callable[[], None],
    ) -> None:
        """``call`` runs a tool call, as for every client.

        ``on_listeners`` gets 1 when a page connects, and -1 when it leaves. ``on_link`` is called
        when somebody is about to open the page.
        """
        self._access = access
        self._server = secrets.token_hex(8)
        self._is_ready = False
        self._on_link = on_link
        self.feed = Feed(self._state, on_listeners)
        ask, diffs = Asking(call), KeptDiffs(review.store.text)
        self.sources = sources = Sources(review, now, self.feed, diffs, editor, ask)
        self._timeline = Timeline(sources)
        problems = Problems(review.store, ask)
        self.link_route = Route(PAGE_LINK_PATH, self._link, methods=["POST"])
        views: dict[str, View] = {
            "/": self._timeline.page,
            "/rows": self._timeline.rows,
            "/feed": self.feed.listen,
            "/event/{number}": partial(event_page, sources),
            "/net": partial(net_page, sources),
            "/take-back": partial(take_back_page, sources),
            "/holds": partial(holds_page, sources),
            "/holds/{key}": partial(held_files, sources),
            "/jobs": partial(jobs_page, sources),
            "/console": partial(console_page, sources),
            "/touched": partial(touched, sources),
            "/problems": problems.page,
            "/figures": partial(figures_page, sources),
        }
        actions: dict[str, View] = {
            "/actions/mark": self._timeline.set_mark,
            "/actions/take-back": partial(take_back, sources),
            "/actions/hold": partial(set_hold, sources),
            "/actions/answer": partial(answer, sources),
            "/actions/note": partial(write_note, sources),
            "/actions/cancel-job": partial(cancel_job, sources),
            "/actions/check": problems.check,
        }
        gate = Gate(access, self._ready)
        self.routes: list[Route] = [
            *open_routes("GET", {"/static/{name}": static_file}),
            *open_routes("POST", {"/login": partial(login, access)}),
            *gate.guarded("GET", views),
            *gate.guarded("POST", actions),
        ]
        review.store.on_added.append(self._on_event)
        review.calls.on_change = now.on_changed = self.feed.changed
        review.held.on_changed.append(self.feed.changed)

    async def _link(self, _request: Request) -> Response:
        """Answer with a link to the page. Only holders of the bearer token may ask for it."""
        self._on_link()
        return JSONResponse({"url": self._access.link()}, headers={"Cache-Control": "no-store"})

    async def _ready(self) -> None:
        """Wait until the events of earlier servers are read, at most :data:`READY_S` seconds."""
        if not self._is_ready:
            store = self.sources.store
            self._is_ready = await asyncio.to_thread(store.settle, READY_S)

    def _on_event(self, event: Event) -> None:
        """Announce an event to the timeline and the open pages. Called on the store's thread."""
        self._timeline.note(event)
        self.feed.changed_elsewhere()

    def _state(self) -> dict[str, Any]:
        """Return the content of a message of the feed."""
        sources = self.sources
        return {
            "server": self._server,
            "last": sources.store.last_number,
            "again": self._timeline.again,
            "mark": sources.store.mark,
            "waits": sources.waits,
            "held": sources.review.held.revision,
        }
