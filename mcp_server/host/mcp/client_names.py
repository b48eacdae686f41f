"""What the client of a call calls itself, for the history of what was done.

Implements "who asked" of docs/design/engine.md §5 "Undo". Newer protocol versions say it with every
request. Older ones say it once, in ``initialize``; there are no sessions here that could remember
it, so it becomes a part of the name that such a client is given and then sends along.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote, unquote

from mcp.server import ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from starlette.requests import Request
from starlette.types import Message, Receive

from snippet_engine.client_identity import MAX_CLIENT_NAME, as_client


async def with_client_name(
    ctx: ServerRequestContext[Any, Any], call_next: CallNext
) -> HandlerResult:
    """MCP server middleware: what is done for the request is asked for by its client."""
    with as_client(_name_of(ctx)):
        return await call_next(ctx)


class Introduction:
    """ASGI ``receive`` that listens for what a client calls itself when it begins."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._body = b""

    async def __call__(self) -> Message:
        """Receive the next message."""
        message = await self._receive()
        self._body += message.get("body", b"")
        return message

    def named(self, token: str) -> str:
        """The name that the client is given: ``token``, and its own name if it has said it."""
        name = _introduced(self._body)
        return f"{token}.{quote(name[:MAX_CLIENT_NAME], safe='')}" if name else token


def _introduced(body: bytes) -> str | None:
    if b'"initialize"' not in body:
        return None
    try:
        name = json.loads(body)["params"]["clientInfo"]["name"]
    except (ValueError, RecursionError, TypeError, KeyError):
        return None
    try:
        return name if isinstance(name, str) and name.encode() else None
    except UnicodeEncodeError:
        return None


def _name_of(context: ServerRequestContext[Any, Any]) -> str | None:
    params = context.session.client_params
    if params is not None:
        return params.client_info.name
    if not isinstance(context.request, Request):
        return None
    given = context.request.headers.get("mcp-session-id", "")
    return unquote(given.partition(".")[2]) or None
