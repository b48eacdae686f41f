"""The arguments of a call as a client sent them, where MCP's SDK would take none but an object.

Implements docs/design/server-and-bridge.md §2 "Repair". The SDK refuses other arguments before any
tool hears of them, and says neither what is wrong nor what to send.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mcp import MCPError, types
from mcp.server import ServerRequestContext
from mcp.server.context import CallNext, HandlerResult

from mcp_server.contract.errors import ToolError
from mcp_server.contract.request_validator import find_tool
from mcp_server.contract.tool_spec import ToolSpec
from mcp_server.host.mcp.tool_results import to_call_tool_result
from snippet_engine.schemas.schema_check import Problem, find_problems

ARGUMENTS = "arguments"


async def with_object_arguments(
    ctx: ServerRequestContext[Any, Any], call_next: CallNext
) -> HandlerResult:
    """MCP server middleware: a call's arguments are an object, or the call is refused in words.

    The text of an object, and what says nothing, become what an object with a wrapper around it is:
    it is read as any other shape is, and the answer says so.
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
