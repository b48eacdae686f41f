"""The HTTP host: every route of the server in one ASGI application, behind one guard.

Implements docs/design/server-and-bridge.md §3 and §8. It only composes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from mcp.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mcp_server.event_log import log_event
from mcp_server.host.loopback_guard import MAX_BODY_BYTES, LoopbackGuard
from mcp_server.host.mcp_cancellation import NamedClients
from mcp_server.host.mcp_endpoint import MCP_HTTP_PATH, make_session_manager
from unity_bridge.timing import UNITY_WS_PATH
from unity_bridge.websocket_link import WebSocketLink


def make_http_app(
    mcp_server: Server[Any],
    unity_link: WebSocketLink,
    *,
    port: int,
    token: str | None,
    more: Sequence[BaseRoute] = (),
) -> Starlette:
    """The whole application, for a server that listens on ``port``. ``more``: further routes."""
    sessions = make_session_manager(mcp_server)
    mcp_app = _WholeRequests(NamedClients(StreamableHTTPASGIApp(sessions)))

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        async with sessions.run():
            yield

    return Starlette(
        lifespan=lifespan,
        middleware=[Middleware(LoopbackGuard, port=port, token=token)],
        routes=[
            # POST only: without sessions there is nothing that a GET stream could carry.
            Route(MCP_HTTP_PATH, mcp_app, methods=["POST"]),
            WebSocketRoute(UNITY_WS_PATH, unity_link.serve),
            *more,
        ],
    )


class _WholeRequests:
    """ASGI wrapper: passes a request on once all of it is here. Clients may leave before."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        parts: deque[Message] = deque()
        size = 0
        while not parts or (parts[-1].get("more_body", False) and size <= MAX_BODY_BYTES):
            part = await receive()
            if part["type"] == "http.disconnect":
                log_event("client_left", path=scope["path"])
                return
            parts.append(part)
            size += len(part.get("body", b""))

        async def replay() -> Message:
            return parts.popleft() if parts else await receive()

        await self._app(scope, replay, send)
