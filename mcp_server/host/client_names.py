"""What the client of a call calls itself, for the history of what was done.

Implements "who asked" of docs/design/engine.md §5 "Undo". Newer protocol versions say it with every
request. Older ones say it once, in ``initialize``; there are no sessions here that could remember
it, so it becomes a part of the name that such a client is given and then sends along.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any
from urllib.parse import quote, unquote

from mcp.server import ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from starlette.requests import Request

from snippet_engine.asker import MAX_CLIENT_NAME, asking

_SAID = "mcp_server.client_name"
"""Set in the scope of a request in which a client has said its name."""


async def with_client_name(
    ctx: ServerRequestContext[Any, Any], call_next: CallNext
) -> HandlerResult:
    """MCP server middleware: what is done for the request is asked for by its client."""
    with asking(_name_of(ctx)):
        return await call_next(ctx)


def named_session(token: str, scope: MutableMapping[str, Any]) -> str:
    """The name that a client is given: ``token``, and its own name if it has said it."""
    name = scope.get(_SAID)
    return f"{token}.{quote(name[:MAX_CLIENT_NAME], safe='')}" if name else token


def _name_of(context: ServerRequestContext[Any, Any]) -> str | None:
    request = context.request
    if context.method == "initialize":
        said = _named(context.params, "clientInfo")
        if said is not None and isinstance(request, Request):
            request.scope[_SAID] = said
        return said
    params = context.session.client_params
    if params is not None:
        return params.client_info.name
    if not isinstance(request, Request):
        return None
    given = request.headers.get("mcp-session-id", "")
    return unquote(given.partition(".")[2]) or None


def _named(params: Any, key: str) -> str | None:
    info = params.get(key) if isinstance(params, dict) else None
    name = info.get("name") if isinstance(info, dict) else None
    return name if isinstance(name, str) else None
