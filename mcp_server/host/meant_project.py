"""Calls that are meant for another project than the server's are refused, by name.

Implements docs/design/server-and-bridge.md §12. An address may name the project that it is for
(``/mcp?project=FOLDER``), so a client that was told one can't reach another project's server that
has the port now. Requests of other kinds than calls concern no project, and are answered.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mcp import MCPError, types
from mcp.server import ServerRequestContext
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware
from starlette.requests import Request

from mcp_server.calls.server.server_address import projects_of_query
from mcp_server.calls.server.server_status import is_same_folder, meant_for_another
from mcp_server.event_log import log_event
from mcp_server.host.mcp.tool_results import to_call_tool_result


def for_one_project(served: Callable[[], str | None]) -> ServerMiddleware[Any]:
    """MCP server middleware: calls, and what concerns tasks, only for the project ``served``.

    ``served`` is asked with each call; ``None`` means that the server is no project's, and takes
    whatever comes.
    """

    async def refuse_others(
        ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        if ctx.method == "tools/call" or ctx.method.startswith("tasks/"):
            here = served()
            other = None if here is None else _other(ctx, here)
            if here is not None and other is not None:
                log_event("other_project", level=logging.WARNING, meant=other)
                refusal = meant_for_another(here, other)
                if ctx.method != "tools/call":
                    raise MCPError(types.INVALID_REQUEST, refusal.text, refusal.to_json())
                return to_call_tool_result(refusal)
        return await call_next(ctx)

    return refuse_others


def _other(ctx: ServerRequestContext[Any, Any], served: str) -> str | None:
    """The project that the request's address names and that isn't ``served``, if there is one."""
    if not isinstance(ctx.request, Request):
        return None
    named = projects_of_query(ctx.request.url.query)
    return next((each for each in named if not _is_folder(each, served)), None)


def _is_folder(named: str, served: str) -> bool:
    # A relative one would be looked for in the folder that the server happens to run in.
    return Path(named).is_absolute() and is_same_folder(named, Path(served))
