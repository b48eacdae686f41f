"""MCP server middleware: refuse calls for another project, and arguments that are no object.

Implements docs/design/server-and-bridge.md §2 "Repair" and §12. An address may name its project
(``/mcp?project=FOLDER``), so a client never reaches another project's server on the same port. The
SDK refuses other arguments before the tool can say what to send.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from mcp import MCPError, types
from mcp.server import ServerRequestContext
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware
from starlette.requests import Request

from mcp_server.calls.server.server_address import projects_of_query
from mcp_server.calls.server.server_status import is_same_folder, wrong_project
from mcp_server.contract.errors import ToolError
from mcp_server.contract.request_validator import find_tool
from mcp_server.contract.tool_spec import ToolSpec
from mcp_server.event_log import log_event
from mcp_server.host.mcp.tool_results import to_call_tool_result
from snippet_engine.schemas.schema_check import Problem, find_problems


def for_one_project(served: Callable[[], str | None]) -> ServerMiddleware[Any]:
    """Return middleware that takes calls and task requests only for the project ``served``.

    ``served`` is asked for each call; ``None``: any project.
    """

    async def refuse_others(
        ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        if ctx.method == "tools/call" or ctx.method.startswith("tasks/"):
            here = served()
            other = None if here is None else _other(ctx, here)
            if here is not None and other is not None:
                log_event("other_project", level=logging.WARNING, named=other)
                refusal = wrong_project(here, other)
                if ctx.method != "tools/call":
                    raise MCPError(types.INVALID_REQUEST, refusal.text, refusal.to_json())
                return to_call_tool_result(refusal)
        return await call_next(ctx)

    return refuse_others


def _other(ctx: ServerRequestContext[Any, Any], served: str) -> str | None:
    """Return the other project that the request's address names, if any."""
    if not isinstance(ctx.request, Request):
        return None
    named = projects_of_query(ctx.request.url.query)
    return next((each for each in named if not _is_folder(each, served)), None)


def _is_folder(named: str, served: str) -> bool:
    # A relative path would depend on the server's working folder.
    return Path(named).is_absolute() and is_same_folder(named, Path(served))


ARGUMENTS = "arguments"


async def with_object_arguments(
    ctx: ServerRequestContext[Any, Any], call_next: CallNext
) -> HandlerResult:
    """Pass a call on with an object as its arguments, or refuse it and say what to send.

    An object sent as text, and empty values, are wrapped in an object, which repair then reads.
    """
    if ctx.method != "tools/call":
        return await call_next(ctx)
    params = ctx.params or {}
    name, sent = params.get("name"), params.get(ARGUMENTS)
    if not isinstance(name, str):
        example = '{"name": "get_editor_state", "arguments": {}}'
        message = f"tools/call: params.name must be the name of a tool, as in {example}"
        raise MCPError(types.INVALID_PARAMS, message)
    if sent is None or isinstance(sent, dict):
        return await call_next(ctx)
    # Seldom needed, and slow to load.
    from mcp_server.repair.offers.refusal import Refusal  # noqa: PLC0415
    from mcp_server.repair.reading.values import is_empty, parsed  # noqa: PLC0415

    spec = find_tool(name)
    means_object = is_empty(sent) or (isinstance(sent, str) and isinstance(parsed(sent), dict))
    if means_object or isinstance(spec, ToolError):
        return await call_next(replace(ctx, params={**params, ARGUMENTS: {ARGUMENTS: sent}}))
    return to_call_tool_result(Refusal(spec.name, sent, (_problem(spec, sent),)).to_error())


def _problem(spec: ToolSpec, sent: object) -> Problem:
    from mcp_server.calls.json_input import NotJson  # noqa: PLC0415 - as above
    from mcp_server.calls.json_input import parsed as typed  # noqa: PLC0415

    (problem, *_) = find_problems(spec.input_schema, sent)
    why = typed(sent) if isinstance(sent, str) and sent.lstrip().startswith("{") else None
    if not isinstance(why, NotJson):
        return problem
    return Problem(problem.steps, f"{problem.message}; it {why.what}: {why.why}")
