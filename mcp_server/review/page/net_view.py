"""What a range of events changed in all, one difference a file.

Implements docs/design/review.md "The net difference".
"""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import TYPE_CHECKING

from starlette.routing import Route

from mcp_server.review.page.event_view import shown_files
from mcp_server.review.page.rendering import rendered
from mcp_server.review.page.timeline import MAX_QUERY, number_in
from mcp_server.review.record.event_filter import EventFilter
from mcp_server.review.record.event_store import MAX_EVENTS
from mcp_server.review.record.net_difference import net_difference

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from mcp_server.review.page.sources import Sources
    from mcp_server.review.record.events import Event

MARK, TODAY = "mark", "today"


class NetView:
    """The view over one server's sources."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def routes(self) -> list[Route]:
        """Return the view's route."""
        return [Route("/net", self._page, methods=["GET"])]

    async def _page(self, request: Request) -> Response:
        query = request.query_params
        since, client = query.get("since", MARK), query.get("client", "")[:MAX_QUERY]
        after, events = await asyncio.to_thread(self._events, since, client)
        found = await asyncio.to_thread(net_difference, events)
        files = await asyncio.to_thread(shown_files, self._sources, [each.file for each in found])
        clients = {each.client for each in self._sources.store.events(limit=1000) if each.client}
        return await rendered(
            request,
            "net.html",
            since=since if since in (MARK, TODAY) else "number",
            after=after,
            client=client,
            clients=sorted(clients),
            count=len(events),
            files=files,
            found=found[: len(files)],
            files_left_out=len(found) - len(files),
            side=query.get("side") == "1",
        )

    def _events(self, since: str, client: str) -> tuple[int, list[Event]]:
        """Return the number after which the events come, and those that changed files."""
        store = self._sources.store
        after = store.mark if since == MARK else number_in(since) or 0
        if since == TODAY:
            today = datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
            # A clock that was set back parts nothing: what came after the first one is in it.
            of_today = (
                each.number
                for each in store.events(limit=MAX_EVENTS)
                if each.time_s >= today.timestamp()
            )
            after = min(of_today, default=store.last_number + 1) - 1
        wanted = EventFilter(client=client, after=after, is_written=True)
        return after, store.events(wanted, limit=MAX_EVENTS)
