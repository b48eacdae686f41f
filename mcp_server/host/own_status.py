"""The server's status, and how long the server lives for its stdio clients.

Part of docs/design/command-line.md ``mcp`` and ``doctor``. A client holds a lease: a request whose
answer begins with the server's status and doesn't end. When a client ends, its connection ends, and
so does its lease.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from dataclasses import replace

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from mcp_server.calls.local_tools import LocalTools
from mcp_server.calls.server.server_status import ServerStatus
from mcp_server.editor.tools import Lifecycle
from mcp_server.host.config import ServerConfig
from mcp_server.host.guarding.outside_watch import OutsideWatch
from mcp_server.host.http.loopback_guard import disconnected
from mcp_server.version import package_version
from unity_bridge.link import EditorLink


class OwnStatus:
    """Reports what this server does now."""

    def __init__(
        self,
        config: ServerConfig,
        lifecycle: Lifecycle,
        leases: ClientLeases,
        link: EditorLink,
        outside: OutsideWatch,
    ) -> None:
        self._config = config
        self._lifecycle = lifecycle
        self._leases = leases
        self._link = link
        self._outside = outside
        self._project = None if config.project is None else str(config.project.resolve())

    def now(self) -> ServerStatus:
        """Return the present status."""
        view = self._link.view
        return ServerStatus(
            version=package_version(),
            pid=os.getpid(),
            project=self._project,
            state=self._lifecycle.state.value,
            ends_with_clients=self._leases.ends_with_clients,
            clients=self._leases.held,
            editor_connected=view.connected,
            editor_state=view.state.value,
            editor_link=self._link.name if view.connected else "none",
            editor_project=view.project,
            unity_version=view.unity_version,
            plugin_version=view.plugin_version,
            lsp=self._config.lsp,
            watch=self._outside.state,
        )

    def endpoint(self, local_tools: LocalTools) -> Callable[[Request], Awaitable[JSONResponse]]:
        """Return the endpoint that answers with the status and the language server's memory use."""

        async def answer(_request: Request) -> JSONResponse:
            takes, limit = await asyncio.to_thread(local_tools.server_memory_mb)
            status = replace(self.now(), lsp_memory_mb=takes, lsp_memory_limit_mb=limit)
            return JSONResponse(status.to_json(), headers={"Cache-Control": "no-store"})

        return answer


FIRST_LEASE_S = 20.0
"""Seconds to wait for the first client."""

LINGER_S = 3.0
"""Seconds to wait for another client after the last one left."""

PERSON_S = 600.0
"""Seconds to wait for a person who has asked for a link to the page."""

MAX_LEASES = 40
"""Most leases. Beyond it, the oldest ends, so that connections are left for calls."""


class ClientLeases:
    """Counts the leases and open pages, and decides when the server ends."""

    def __init__(self, now_s: Callable[[], float], *, ends_with_clients: bool) -> None:
        """``ends_with_clients``: the server ends when no lease is held. ``now_s`` is any clock."""
        self.ends_with_clients = ends_with_clients
        self.held = 0
        self._pages = 0
        self._now_s = now_s
        self._over_at_s = now_s() + FIRST_LEASE_S
        self._person_until_s = now_s()

    def take(self) -> None:
        """Count a new client."""
        self.held += 1

    def give_back(self) -> None:
        """Count a client that has left."""
        self.held -= 1
        self._over_at_s = self._now_s() + LINGER_S

    def count(self, change: int) -> None:
        """Add ``change`` to the number of the review page's open windows."""
        self._pages += change
        if change < 0:
            self._over_at_s = self._now_s() + LINGER_S

    def expect_person(self) -> None:
        """Note that somebody is about to open the review page."""
        self._person_until_s = self._now_s() + PERSON_S

    def over(self) -> bool:
        """Return whether the server should end."""
        wait_until_s = max(self._over_at_s, self._person_until_s)
        is_used = self.held or self._pages
        return self.ends_with_clients and not is_used and self._now_s() >= wait_until_s


class LeaseEndpoint:
    """ASGI application: each open request is one lease."""

    def __init__(self, leases: ClientLeases, status: Callable[[], ServerStatus]) -> None:
        self._leases = leases
        self._status = status
        self._ends: list[asyncio.Event] = []
        self._stopping = False

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        """Hold one lease until the client leaves, or :meth:`end` is called."""
        self._leases.take()
        end = asyncio.Event()
        self._ends.append(end)
        if self._stopping:
            end.set()
        while len(self._ends) > MAX_LEASES:  # the client takes a new lease with its next call
            self._ends.pop(0).set()
        ended = asyncio.ensure_future(end.wait())
        left = asyncio.ensure_future(disconnected(receive))
        try:
            headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            line = json.dumps(self._status().to_json()).encode() + b"\n"
            await send({"type": "http.response.body", "body": line, "more_body": True})
            await asyncio.wait([ended, left], return_when=asyncio.FIRST_COMPLETED)
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            ended.cancel()
            left.cancel()
            if end in self._ends:
                self._ends.remove(end)
            self._leases.give_back()

    def end(self) -> None:
        """End every lease, because the server is stopping."""
        self._stopping = True
        for end in self._ends:
            end.set()
