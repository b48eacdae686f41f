"""A whole server in this process, on a real port, with a clock that the test can hold."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import logging
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fake_editor import PATIENCE_S, FakeEditor
from mcp import Client

from mcp_server.host.config import EditorRoad, ServerConfig, bind
from mcp_server.host.serve import UnityServer
from mcp_server.host.stopping import StopSignal
from unity_bridge.clock import Clock
from unity_bridge.timing import Pace, Timing

Json = dict[str, Any]

NO_HEARTBEAT = Timing(heartbeat_interval_ms=1e12)
"""For tests that move the clock far while an Editor is connected."""


@dataclass(order=True)
class _Timer:
    at_ms: float
    number: int
    callback: Callable[[], None] = field(compare=False)
    cancelled: bool = field(default=False, compare=False)

    def cancel(self) -> None:
        self.cancelled = True


class HeldClock:
    """Time that passes only when the test says so."""

    def __init__(self) -> None:
        self._now_ms = 1_000.0
        self._timers: list[_Timer] = []
        self._numbers = itertools.count()

    def now_ms(self) -> float:
        return self._now_ms

    def call_at(self, at_ms: float, callback: Callable[[], None]) -> _Timer:
        timer = _Timer(at_ms, next(self._numbers), callback)
        heapq.heappush(self._timers, timer)
        return timer

    def advance(self, duration_ms: float) -> None:
        """Let time pass; whatever becomes due happens in order."""
        until = self._now_ms + duration_ms
        while self._timers and self._timers[0].at_ms <= until:
            timer = heapq.heappop(self._timers)
            if not timer.cancelled:
                self._now_ms = max(self._now_ms, timer.at_ms)
                timer.callback()
        self._now_ms = until


class _Events(logging.Handler):
    """The server's log, as it happens."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.seen: list[tuple[str, Json]] = []
        self.arrived = asyncio.Event()

    def emit(self, record: logging.LogRecord) -> None:
        self.seen.append((record.getMessage(), getattr(record, "fields", {})))
        self.arrived.set()


class LiveServer:
    """An async context manager: serving inside, stopped after."""

    def __init__(
        self,
        *,
        timing: Timing | None = None,
        clock: Clock | None = None,
        project: Path | None = None,
        token: str | None = None,
        editor: EditorRoad = EditorRoad.AUTO,
        pace: Pace | None = None,
        port: int = 0,
        lsp: str = "off",
    ) -> None:
        listener = bind(port)
        assert isinstance(listener, socket.socket)
        self._listener = listener
        self.port = listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/mcp"
        self.unity_url = f"ws://127.0.0.1:{self.port}/unity"
        self._events = _Events()
        self._listening = asyncio.Event()
        config = ServerConfig(self.port, project, token=token, editor=editor, lsp=lsp)
        stop_signal = StopSignal()
        self.server = UnityServer(
            config, stop_signal, self._listening.set, timing=timing, clock=clock, pace=pace
        )

    async def __aenter__(self) -> LiveServer:
        logger = logging.getLogger("mcp_server")
        logger.setLevel(logging.DEBUG)
        logger.addHandler(self._events)
        self.task = asyncio.create_task(self.server.serve_until_stopped(self._listener))
        await self._listening.wait()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.server.should_exit = True
        await asyncio.wait_for(self.task, PATIENCE_S)
        logging.getLogger("mcp_server").removeHandler(self._events)

    def editor(self, **attributes: Any) -> FakeEditor:
        """An Editor that has not connected yet."""
        return FakeEditor(self.unity_url, **attributes)

    def client(self, **options: Any) -> Client:
        """An MCP client of this server."""
        return Client(self.url, **options)

    @property
    def log(self) -> list[tuple[str, Json]]:
        """Every event so far: its name and fields."""
        return self._events.seen

    async def logs_more(self) -> None:
        """Wait until something is logged."""
        self._events.arrived.clear()
        await self._events.arrived.wait()

    async def logged(self, event: str, *, times: int = 1, **fields: Any) -> Json:
        """Wait until ``event`` with these fields was logged ``times`` times; its fields."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                found = [
                    seen
                    for name, seen in self._events.seen
                    if name == event and fields.items() <= seen.items()
                ]
                if len(found) >= times:
                    return found[times - 1]
                await self.logs_more()
