"""Tell open pages that something has happened, over server-sent events.

Implements docs/design/review.md "The feed". A message only says how far the server is; the page
then asks for what it doesn't have yet. So nothing is missed while a page or the server was away.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

if TYPE_CHECKING:
    from starlette.requests import Request

GATHER_S = 0.03
"""How long a change waits for others to come with it, in seconds."""

REST_S = 0.16
"""Least time between two messages to the same page, in seconds."""

MAX_PAGES = 32
"""Most pages that listen; a browser needs one for all of its windows."""

RETRY_MS = 500
"""How long a page waits before it connects again, in milliseconds."""


class Feed:
    """The pages that listen. Lives on one event loop."""

    def __init__(
        self, state: Callable[[], Mapping[str, Any]], on_listeners: Callable[[int], None]
    ) -> None:
        """``state`` returns the content of a message, with the number of the last event as
        ``last``.

        ``on_listeners`` gets 1 when a page comes, and -1 when it leaves.
        """
        self._state = state
        self._on_listeners = on_listeners
        self._loop: asyncio.AbstractEventLoop | None = None
        self._listeners: set[asyncio.Event] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._sent_at = 0.0
        self._ended = False

    def routes(self) -> list[Route]:
        """Return the feed's route."""
        return [Route("/feed", self._listen, methods=["GET"])]

    def changed(self) -> None:
        """Tell all pages soon. Costs nothing while there is none."""
        if self._listeners and self._timer is None:
            loop = asyncio.get_running_loop()
            wait_s = max(GATHER_S, self._sent_at + REST_S - loop.time())
            self._timer = loop.call_later(wait_s, self._tell)

    def changed_elsewhere(self) -> None:
        """Tell all pages soon. For other threads than the event loop's."""
        # A message that is due says what is so when it is sent, so it needs no second one.
        if self._listeners and self._loop is not None and self._timer is None:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self.changed)

    def end(self) -> None:
        """End every page's request, because the server stops."""
        self._ended = True
        if self._listeners:
            self._tell()

    def _tell(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._sent_at = asyncio.get_running_loop().time()
        for each in self._listeners:
            each.set()

    async def _listen(self, _request: Request) -> Response:
        if self._ended or len(self._listeners) >= MAX_PAGES:
            return PlainTextResponse("Too many pages are open.\n", 503)
        return StreamingResponse(self._messages(), media_type="text/event-stream")

    async def _messages(self) -> AsyncIterator[str]:
        wake = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._listeners.add(wake)
        self._on_listeners(1)
        try:
            yield f"retry: {RETRY_MS}\n\n"
            while not self._ended:
                wake.clear()
                state = self._state()
                yield f"id: {state['last']}\ndata: {json.dumps(state)}\n\n"
                await wake.wait()
        finally:
            self._listeners.discard(wake)
            self._on_listeners(-1)
