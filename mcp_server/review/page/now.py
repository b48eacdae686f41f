"""The present state of the server, its compiler, its Editor and its agents.

Implements docs/design/review.md "Now". Unity doesn't tell by itself that play mode begins or ends:
it is asked while somebody looks, and its answer is shown with the time.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import ToolError
from mcp_server.editor.requests import new_request_id

if TYPE_CHECKING:
    from mcp_server.calls.server.server_status import ServerStatus
    from mcp_server.editor.tools import EditorTools
    from unity_bridge.link import EditorLink

ASK_AGAIN_S = 2.0
"""Least time between two questions for play mode, in seconds."""

FIRST_ANSWER_S = 0.3
"""How long a page waits for the first answer, in seconds."""

_TIMEOUT_MS = 2_000


@dataclass(frozen=True, slots=True)
class PlayMode:
    """What the Editor answered, and when, as a time of the epoch."""

    state: str
    seen_s: float


class Now:
    """The state of one server, as the page shows it. Lives on one event loop."""

    def __init__(
        self,
        status: Callable[[], ServerStatus],
        compiler: Callable[[], str],
        editor: EditorTools,
        link: EditorLink,
    ) -> None:
        """``compiler`` says in a few words what the language server does."""
        self._status = status
        self._compiler = compiler
        self._editor = editor
        self._link = link
        self._play_mode: PlayMode | None = None
        self._asking: asyncio.Task[None] | None = None
        self._not_before_s = 0.0
        self.on_changed: Callable[[], None] = lambda: None
        """Called when the answer is another one than the last."""

    async def look(self) -> None:
        """Ask for the play mode, after a pause if it was asked just before. Waits for the first
        answer only.
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
        """Return what the template shows of the server and its Editor."""
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
        """Return a time of the link's clock as one of the epoch."""
        return time.time() - (self._editor.now_ms() - time_ms) / 1000
