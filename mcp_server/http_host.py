"""The HTTP host: every route of the server in one ASGI application, behind one guard.

Implements spec 02-server-and-bridge §3: it only composes. More routes go before the MCP
application, whose mount matches everything.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp.server import Server
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Mount

from mcp_server.loopback_guard import LoopbackGuard
from mcp_server.mcp_endpoint import make_mcp_app


def make_http_app(mcp_server: Server[Any], *, port: int, token: str | None) -> Starlette:
    """The whole application, for a server that listens on ``port``."""
    mcp_app = make_mcp_app(mcp_server)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        async with mcp_server.session_manager.run():  # a mounted app's own lifespan never runs
            yield

    return Starlette(
        lifespan=lifespan,
        middleware=[Middleware(LoopbackGuard, port=port, token=token)],
        routes=[Mount("/", app=mcp_app)],
    )
