"""The present state of the server, its compiler, its Editor and its agents.

Implements docs/design/review.md "Now". Unity doesn't report when play mode begins or ends. So the
Editor is asked while somebody looks, and the page shows when it answered. A message of the feed has
only the numbers of the latest events and changes. The page then loads what it doesn't have yet. So
it misses nothing, even if it or the server was away.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from mcp_server.calls.server.server_status import ServerStatus
from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import ToolError
from mcp_server.editor.requests import new_request_id
from mcp_server.editor.tools import EditorTools
from unity_bridge.link import EditorLink

ASK_AGAIN_S = 2.0
"""Least seconds between two questions for play mode."""

FIRST_ANSWER_S = 0.3
"""Most seconds that a page waits for the first answer about play mode."""

_TIMEOUT_MS = 2_000


@dataclass(frozen=True, slots=True)
class PlayMode:
    """The Editor's answer about play mode, and its time as of ``time.time``."""

    state: str
    seen_s: float


class Now:
    """The state of one server, for the page. Lives on one event loop."""

    def __init__(
        self,
        status: Callable[[], ServerStatus],
        compiler: Callable[[], str],
        editor: EditorTools,
        link: EditorLink,
    ) -> None:
        """``compiler`` describes in a few words what the language server does."""
        self._status = status
        self._compiler = compiler
        self._editor = editor
        self._link = link
        self._play_mode: PlayMode | None = None
        self._asking: asyncio.Task[None] | None = None
        self._not_before_s = 0.0
        self.on_changed: Callable[[], None] = lambda: None
        """Called when the play mode has changed."""

    async def look(self) -> None:
        """Ask for the play mode, at most every :data:`ASK_AGAIN_S` seconds.

        Waits only for the first answer, at most :data:`FIRST_ANSWER_S` seconds.
        """
        view = self._link.view
        if not view.connected:
            self._play_mode = None
        if view.ready and (self._asking is None or self._asking.done()):
            wait_s = max(0.0, self._not_before_s - time.monotonic())
            self._asking = asyncio.create_task(self._ask(wait_s))
            if self._play_mode is None and not wait_s:
                await asyncio.wait({self._asking}, timeout=FIRST_ANSWER_S)

    async def _ask(self, wait_s: float) -> None:
        await asyncio.sleep(wait_s)
        asked = CATALOG["get_play_mode_state"]
        arguments = {"timeout_ms": _TIMEOUT_MS}
        outcome = await self._editor.call(asked, arguments, new_request_id())
        self._not_before_s = time.monotonic() + ASK_AGAIN_S
        if isinstance(outcome, ToolError):
            return
        last = self._play_mode
        self._play_mode = PlayMode(outcome.structured["state"], time.time())
        if last is None or last.state != self._play_mode.state:
            self.on_changed()

    def values(self) -> dict[str, Any]:
        """Return the template's values about the server and its Editor."""
        view = self._link.view
        blocked = view.blocked if view.connected else None
        return {
            "server": self._status(),
            "compiler": self._compiler(),
            "editor_since_s": self._time_s(view.since_ms) if view.epoch else None,
            "blocked": blocked,
            "blocked_since_s": None if blocked is None else self._time_s(blocked.since_ms),
            "play_mode": self._play_mode if view.connected else None,
            "now_s": time.time(),
        }

    def _time_s(self, time_ms: float) -> float:
        """Return a time of the link's clock as one of ``time.time``."""
        return time.time() - (self._editor.now_ms() - time_ms) / 1000


GATHER_S = 0.03
"""Seconds for which a change waits, so that one message announces several."""

REST_S = 0.16
"""Least seconds between two messages to a page."""

MAX_PAGES = 32
"""Most pages that listen. A browser needs only one for all its windows."""

RETRY_MS = 500
"""Milliseconds that a page waits before it connects again."""


class Feed:
    """Sends messages to the open pages. Lives on one event loop."""

    def __init__(
        self, state: Callable[[], Mapping[str, Any]], on_listeners: Callable[[int], None]
    ) -> None:
        """``state`` returns the content of a message. Its ``last`` is the last event's number.

        ``on_listeners`` gets 1 when a page connects, and -1 when it leaves.
        """
        self._state = state
        self._on_listeners = on_listeners
        self._loop: asyncio.AbstractEventLoop | None = None
        self._listeners: set[asyncio.Event] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._sent_at = 0.0
        self._ended = False

    def changed(self) -> None:
        """Send a message to all open pages soon; several changes share one message.

        Does nothing if no page is open.
        """
        if self._listeners and self._timer is None:
            loop = asyncio.get_running_loop()
            wait_s = max(GATHER_S, self._sent_at + REST_S - loop.time())
            self._timer = loop.call_later(wait_s, self._wake_pages)

    def changed_elsewhere(self) -> None:
        """Call :meth:`changed` from another thread than the event loop's."""
        # A scheduled message has the state at the time of sending, so no second one is needed.
        if self._listeners and self._loop is not None and self._timer is None:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self.changed)

    def end(self) -> None:
        """End every page's request, because the server stops."""
        self._ended = True
        if self._listeners:
            self._wake_pages()

    def _wake_pages(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._sent_at = asyncio.get_running_loop().time()
        for each in self._listeners:
            each.set()

    async def listen(self, _request: Request) -> Response:
        """Send server-sent events until the page leaves. Answer 503 if too many pages listen."""
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
