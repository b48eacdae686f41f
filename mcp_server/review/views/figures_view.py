"""Small plots of what happened, each with a table that says the same.

Implements docs/design/review.md "Other views".
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from starlette.routing import Route

from mcp_server.review.page.rendering import rendered
from mcp_server.review.record.event_store import MAX_EVENTS
from mcp_server.review.views.figures import EDIT_OUTCOMES, Figures, figures
from mcp_server.review.views.plots import HEIGHT, WIDTH, ranges, stacked

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from mcp_server.review.record.event_store import EventStore

RANGES = {"hour": 3_600, "day": 86_400, "week": 7 * 86_400}
"""The ranges that can be chosen, in seconds; any other: all that is recorded."""


class FiguresView:
    """The view over one store."""

    def __init__(self, store: EventStore) -> None:
        self._store = store

    def routes(self) -> list[Route]:
        """Return the view's route."""
        return [Route("/figures", self._page, methods=["GET"])]

    async def _page(self, request: Request) -> Response:
        chosen = request.query_params.get("range", "day")
        found = await asyncio.to_thread(self._figures, chosen)
        rows, marks = ranges(found.durations)
        return await rendered(
            request,
            "figures.html",
            figures=found,
            chosen=chosen if chosen in RANGES else "all",
            ranges=[*RANGES, "all"],
            outcomes=EDIT_OUTCOMES,
            plot=stacked(found.spans),
            rows=rows,
            marks=marks,
            width=WIDTH,
            height=HEIGHT,
        )

    def _figures(self, chosen: str) -> Figures:
        now_s = time.time()
        events = self._store.events(limit=MAX_EVENTS)
        oldest_s = min((each.time_s for each in events), default=now_s)
        begin_s = now_s - RANGES[chosen] if chosen in RANGES else oldest_s
        return figures(events, begin_s, now_s)
