"""The review page of one server, put together: each view is a class with a method ``routes``.

Implements docs/design/review.md "The page".
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from mcp_server.contract.server_schemas import PAGE_LINK_PATH
from mcp_server.review.page.access import PageAccess
from mcp_server.review.page.diffs.kept_diffs import KeptDiffs
from mcp_server.review.page.event_view import EventView
from mcp_server.review.page.feed import Feed
from mcp_server.review.page.gate import Gate
from mcp_server.review.page.login import link_route, login_routes
from mcp_server.review.page.net_view import NetView
from mcp_server.review.page.sources import Sources
from mcp_server.review.page.static_files import static_routes
from mcp_server.review.page.take_back_view import TakeBackView
from mcp_server.review.page.timeline import Timeline

if TYPE_CHECKING:
    from starlette.routing import Route

    from mcp_server.review.page.now import Now
    from mcp_server.review.record.events import Event
    from mcp_server.review.review import Review


READY_S = 5.0
"""How long a view waits for the events of earlier servers, in seconds."""


class Lifetime(Protocol):
    """How long the server lives."""

    def expect_person(self) -> None:
        """Note that somebody is about to open the page."""
        ...

    def count(self, change: int, /) -> None:
        """Note that pages have come or gone."""
        ...


class ReviewPage:
    """The page on one port."""

    def __init__(
        self,
        access: PageAccess,
        review: Review,
        now: Now,
        lifetime: Lifetime,
        more: Sequence[Route] = (),
    ) -> None:
        """``more`` are routes of further views."""
        self._access = access
        self._server = secrets.token_hex(8)
        self._is_ready = False
        self.feed = Feed(self._state, lifetime.count)
        self.sources = Sources(review, now, self.feed, KeptDiffs(review.store.text))
        self._timeline = Timeline(self.sources)
        self.link_route = link_route(PAGE_LINK_PATH, access.link, lifetime.expect_person)
        gate = Gate(access, self._ready)
        views = (
            self.feed,
            self._timeline,
            *(view(self.sources) for view in (EventView, NetView, TakeBackView)),
        )
        routes = [route for view in views for route in view.routes()]
        self.routes: list[Route] = [
            *gate.open([*static_routes(), *login_routes(access)]),
            *gate.guarded([*routes, *more]),
        ]
        review.store.on_added.append(self._on_event)
        review.calls.on_change = now.on_changed = self.feed.changed
        review.held.on_changed.append(self.feed.changed)

    async def _ready(self) -> None:
        """Wait until the events of earlier servers are read, once."""
        if not self._is_ready:
            store = self.sources.store
            self._is_ready = await asyncio.to_thread(store.settle, READY_S)

    def _on_event(self, event: Event) -> None:
        """Show an event. Called on the store's thread."""
        self._timeline.note(event)
        self.feed.changed_elsewhere()

    def _state(self) -> dict[str, Any]:
        """Return what the feed reports."""
        sources = self.sources
        return {
            "server": self._server,
            "last": sources.store.last_number,
            "again": self._timeline.again,
            "mark": sources.store.mark,
            "waits": sources.waits,
            "held": sources.review.held.revision,
        }
