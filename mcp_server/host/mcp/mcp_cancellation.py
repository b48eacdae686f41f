"""MCP's ``notifications/cancelled``, for clients that have no other way to give up.

Implements docs/design/server-and-bridge.md §6. Newer protocol versions cancel by closing the
response. Older ones post a notification that names the request, and request ids are each client's
own. There are no sessions here that would tell clients apart, so each gets a name: the
``Mcp-Session-Id`` that it then sends along. It stands for nothing, and any is accepted; a client
that is named by an earlier run of the server goes on as if nothing had happened.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from secrets import token_hex
from typing import Any, TypeAlias, TypeVar

from mcp import MCPError
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mcp_server.host.mcp.client_names import Introduction

SESSION_HEADER = "mcp-session-id"
_VERSION_HEADER = b"mcp-protocol-version"

REQUEST_CANCELLED = -32800
"""LSP's code for it, which MCP's SDK uses too."""

_CANCELLED = "mcp_server.cancelled"
"""Set in the scope of a request that its client has cancelled."""

T = TypeVar("T")
Caller: TypeAlias = tuple[str, str | int]
"""A client's name, and its own id for a request."""


class NamedClients:
    """ASGI wrapper: names the clients of protocol versions that begin with ``initialize``.

    A request that its client has cancelled is not answered: its response just ends.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        names = {name.lower() for name, _ in scope["headers"]}
        if _VERSION_HEADER in names or SESSION_HEADER.encode() in names:

            async def send_unless_cancelled(message: Message) -> None:
                if scope.get(_CANCELLED) and message["type"] == "http.response.body":
                    if message.get("more_body", False):
                        return
                    message = {**message, "body": b""}
                await send(message)

            await self._app(scope, receive, send_unless_cancelled)
            return

        introduction = Introduction(receive)

        async def send_named(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 200:
                name = introduction.named(token_hex(16))
                MutableHeaders(scope=message)[SESSION_HEADER] = name
            await send(message)

        await self._app(scope, introduction, send_named)


class CancellableCalls:
    """The calls of named clients that are running."""

    def __init__(self) -> None:
        self._running: dict[Caller, asyncio.Task[Any]] = {}

    async def run(
        self, request: object, request_id: str | int | None, work: Coroutine[Any, Any, T]
    ) -> T:
        """Run ``work`` so that whoever sent ``request`` can cancel it.

        Raises ``MCPError`` if that happens: the SDK takes no silence, so what it makes of that is
        kept from the client by :class:`NamedClients`.
        """
        caller = caller_of(request, request_id)
        if caller is None:
            return await work
        task = asyncio.create_task(work)
        self._running[caller] = task
        try:
            return await task
        except asyncio.CancelledError:
            own = asyncio.current_task()
            if own is not None and own.cancelling():
                task.cancel()
                raise
            assert isinstance(request, Request)
            request.scope[_CANCELLED] = True
            raise MCPError(REQUEST_CANCELLED, "Request cancelled") from None
        finally:
            if self._running.get(caller) is task:
                del self._running[caller]

    def cancel(self, caller: Caller | None) -> None:
        """Cancel a call, if it still runs."""
        task = self._running.get(caller) if caller is not None else None
        if task is not None:
            task.cancel()


def caller_of(request: object, request_id: str | int | None) -> Caller | None:
    """Who sent ``request``; ``None`` for a client without a name."""
    if not isinstance(request, Request) or request_id is None:
        return None
    name = request.headers.get(SESSION_HEADER)
    return (name, request_id) if name else None
