"""MCP's Tasks extension (SEP-2663): jobs as tasks, for clients that declare it.

Implements docs/design/server-and-bridge.md §6 "Tasks". Other clients see only the capability in
``server/discover``.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from mcp import MCPError, types
from mcp.server import ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from mcp.server.extension import Extension, MethodBinding
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import Field

from mcp_server.contract.errors import ToolError
from mcp_server.contract.script_tools import find_tool
from mcp_server.host.mcp.clients import sending_progress
from mcp_server.host.mcp.tasks import Sight, Tasks, is_job
from mcp_server.host.mcp.tool_results import to_call_tool_result

IDENTIFIER = "io.modelcontextprotocol/tasks"

POLL_INTERVAL_MS = 1_000
"""Milliseconds that a client should wait between two questions."""

MISSING_CAPABILITY = -32021
METHOD_NOT_FOUND = -32601


class TaskParams(types.RequestParams):
    """Parameters of a request about one task."""

    task_id: object = Field(alias="taskId", default=None)


class TasksExtension(Extension):
    """Adds the task methods to the server."""

    identifier = IDENTIFIER

    def __init__(self, tasks: Tasks) -> None:
        self._tasks = tasks

    def methods(self) -> Sequence[MethodBinding]:
        """Return ``tasks/get``, ``tasks/update`` and ``tasks/cancel``."""
        return (
            MethodBinding("tasks/get", TaskParams, self._get),
            MethodBinding("tasks/update", TaskParams, self._update),
            MethodBinding("tasks/cancel", TaskParams, self._cancel),
        )

    async def intercept_tool_call(
        self,
        params: types.CallToolRequestParams,
        ctx: ServerRequestContext[Any, Any],
        call_next: CallNext,
    ) -> HandlerResult:
        """Answer with a task if the client accepts tasks and the tool runs as a job."""
        spec = find_tool(params.name)
        if isinstance(spec, ToolError) or not is_job(spec) or not _declared(ctx):
            return await call_next(ctx)
        async with sending_progress(ctx) as on_progress:
            begun = await self._tasks.begin(spec, params.arguments or {}, on_progress)
        if isinstance(begun, Sight):
            return {**_task(begun), "resultType": "task"}
        return to_call_tool_result(begun)

    async def _get(self, ctx: ServerRequestContext[Any, Any], params: TaskParams) -> dict[str, Any]:
        task_id = _task_id(ctx, params)
        sight = await self._tasks.get(task_id)
        if sight is None:
            raise _no_task(task_id)
        return {**_task(sight), **(sight.task.end or {}), "resultType": "complete"}

    async def _update(
        self, ctx: ServerRequestContext[Any, Any], params: TaskParams
    ) -> dict[str, Any]:
        """Ignore the client's input, because no task asks its client for anything."""
        task_id = _task_id(ctx, params)
        if await self._tasks.get(task_id) is None:
            raise _no_task(task_id)
        return {"resultType": "complete"}

    async def _cancel(
        self, ctx: ServerRequestContext[Any, Any], params: TaskParams
    ) -> dict[str, Any]:
        task_id = _task_id(ctx, params)
        if not await self._tasks.cancel(task_id):
            raise _no_task(task_id)
        return {"resultType": "complete"}


def _declared(ctx: ServerRequestContext[Any, Any]) -> bool:
    """Return whether the client declares tasks on this request."""
    if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        return False
    capabilities = ctx.session.client_capabilities
    return capabilities is not None and IDENTIFIER in (capabilities.extensions or {})


def _task_id(ctx: ServerRequestContext[Any, Any], params: TaskParams) -> str:
    """Return the request's task id. Raises ``MCPError`` if the client may not ask, or sent none."""
    if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        raise MCPError(METHOD_NOT_FOUND, "Method not found", ctx.method)
    if not _declared(ctx):
        needed: dict[str, Any] = {"requiredCapabilities": {"extensions": {IDENTIFIER: {}}}}
        message = f"{ctx.method} needs the client capability {IDENTIFIER} on the request"
        raise MCPError(MISSING_CAPABILITY, message, needed)
    if not isinstance(params.task_id, str):
        message = f"{ctx.method}: taskId must be a string, as in the call's answer"
        raise MCPError(types.INVALID_PARAMS, message)
    return params.task_id


def _no_task(task_id: str) -> MCPError:
    shown = task_id if len(task_id) <= 64 else f"{task_id[:64]}…"
    message = f"There is no task {shown!r}: it never existed, or has expired. Call the tool again."
    return MCPError(types.INVALID_PARAMS, message)


def _task(sight: Sight) -> dict[str, Any]:
    task = sight.task
    status = "working" if task.end is None else task.end["status"]
    return {
        "taskId": task.task_id,
        "status": status,
        **({} if sight.message is None else {"statusMessage": sight.message}),
        "createdAt": _time(task.created_ms),
        "lastUpdatedAt": _time(task.updated_ms),
        "ttlMs": task.ttl_ms,
        "pollIntervalMs": POLL_INTERVAL_MS,
    }


def _time(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds")
