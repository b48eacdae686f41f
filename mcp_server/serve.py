"""The server process: boots, serves until it is told to stop, and stops in time.

Implements spec 02-server-and-bridge §1. SIGINT and SIGTERM end it with exit code 0 within
two seconds; what is still running then can't be torn, as every write is atomic.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import uvicorn

from mcp_server.config import LOOPBACK_ADDRESS, ServerConfig
from mcp_server.event_log import configure_logging, log_event
from mcp_server.execution_coordinator import ExecutionCoordinator
from mcp_server.http_host import make_http_app
from mcp_server.lifecycle import Lifecycle, ServerState
from mcp_server.local_tools import LocalTools
from mcp_server.mcp_endpoint import make_mcp_server
from mcp_server.stop_signal import StopSignal

TOOL_GRACE_S = 0.6
"""How long tools may still run once the server is stopping, in seconds."""

CONNECTION_GRACE_S = 1
"""How long connections may then take to send their answers, in seconds from the same moment."""


def serve(
    config: ServerConfig,
    listener: socket.socket,
    stop_signal: StopSignal,
    on_listening: Callable[[], None],
) -> None:
    """Serve on ``listener`` until ``stop_signal`` is received.

    ``on_listening`` is called once requests are answered.
    """
    configure_logging(config.log_format)
    lifecycle = Lifecycle(_log_transition)
    local_tools = LocalTools(config.project)
    coordinator = ExecutionCoordinator(local_tools)
    app = make_http_app(make_mcp_server(coordinator), port=config.port, token=config.token)
    server = _HttpServer(
        uvicorn.Config(
            app,
            host=LOOPBACK_ADDRESS,
            port=config.port,
            loop="asyncio",
            http="h11",
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=CONNECTION_GRACE_S,
        ),
        lifecycle,
        coordinator,
        stop_signal,
        on_listening,
    )

    async def run() -> None:
        try:
            removed = await asyncio.to_thread(local_tools.prepare)
        except Exception:  # the tools will say so; the rest of the server can work
            logging.getLogger(__name__).exception("the script tools can't be prepared")
        else:
            if removed:
                log_event("leftovers_removed", paths=removed)
        await server.serve([listener])

    asyncio.run(run())
    lifecycle.enter(ServerState.STOPPED)
    if not coordinator.idle:
        sys.stdout.flush()
        os._exit(0)  # the interpreter would wait for the tools' threads


def _log_transition(previous: ServerState, state: ServerState) -> None:
    log_event("server_state", state=state.value, previous=previous.value)


class _HttpServer(uvicorn.Server):
    """uvicorn's server, with our states, and without its dying of the signal it obeyed."""

    def __init__(
        self,
        config: uvicorn.Config,
        lifecycle: Lifecycle,
        coordinator: ExecutionCoordinator,
        stop_signal: StopSignal,
        on_listening: Callable[[], None],
    ) -> None:
        super().__init__(config)
        self._lifecycle = lifecycle
        self._coordinator = coordinator
        self._stop_signal = stop_signal
        self._on_listening = on_listening

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._lifecycle.enter(ServerState.WAITING_EDITOR)
        if not self._stop_signal.received:
            self._on_listening()

    async def on_tick(self, counter: int) -> bool:
        return await super().on_tick(counter) or self._stop_signal.received

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._lifecycle.enter(ServerState.STOPPING)
        await asyncio.gather(super().shutdown(sockets), self._coordinator.stop(TOOL_GRACE_S))

    def capture_signals(self) -> AbstractContextManager[None]:  # type: ignore[override]
        # Not uvicorn's handlers: they would raise the signal again once all is done, and
        # sse-starlette looks for them to cut off answers that are still on their way.
        return nullcontext()
