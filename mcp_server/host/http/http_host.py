"""Every route of the server in one ASGI application, behind one guard.

Implements docs/design/server-and-bridge.md §3 and §8.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from typing import Any

from mcp.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Route, WebSocketRoute

from mcp_server.host.http.loopback_guard import LoopbackGuard
from mcp_server.host.http.request_bodies import WholeRequests
from mcp_server.host.mcp.clients import SessionIds
from mcp_server.host.mcp.mcp_endpoint import MCP_HTTP_PATH, make_session_manager
from mcp_server.host.mcp.tool_results import LargeAnswers
from mcp_server.review.page.access import first_parts
from unity_bridge.plugin.websocket_link import WebSocketLink
from unity_bridge.timing import UNITY_WS_PATH


def make_http_app(
    mcp_server: Server[Any],
    unity_link: WebSocketLink | None,
    *,
    port: int,
    token: str | None,
    open_paths: Collection[str] = (),
    more: Sequence[BaseRoute] = (),
    page: Sequence[Route] = (),
) -> Starlette:
    """Return the application for a server on ``port``.

    ``more`` are further routes. Those in ``open_paths`` need no token. ``page`` are the review
    page's routes. Without ``unity_link``, no plugin can connect.
    """
    sessions = make_session_manager(mcp_server)
    mcp_app = WholeRequests(SessionIds(LargeAnswers(StreamableHTTPASGIApp(sessions))))

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        async with sessions.run():
            yield

    return Starlette(
        lifespan=lifespan,
        middleware=[
            Middleware(
                LoopbackGuard,
                port=port,
                token=token,
                open_paths=open_paths,
                page_parts=first_parts(page),
            )
        ],
        routes=[
            # POST only: a stateless server has nothing to send on a GET stream.
            Route(MCP_HTTP_PATH, mcp_app, methods=["POST"]),
            *([WebSocketRoute(UNITY_WS_PATH, unity_link.serve)] if unity_link else []),
            *more,
            *page,
        ],
    )
