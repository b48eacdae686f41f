"""A client with MCP's Tasks extension, on the SDK, which has none of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Literal

from live_server import LiveServer
from mcp import Client, types
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim
from pydantic import Field, TypeAdapter

Json = dict[str, Any]


class TaskHandle(types.Result):
    """What a call comes to that goes on as a task."""

    result_type: Literal["task"] = Field(alias="resultType")
    task_id: str = Field(alias="taskId")
    status: str
    created_at: str = Field(alias="createdAt")
    last_updated_at: str = Field(alias="lastUpdatedAt")
    ttl_ms: int | None = Field(alias="ttlMs")
    poll_interval_ms: int = Field(alias="pollIntervalMs")


class _TaskParams(types.RequestParams):
    task_id: str = Field(alias="taskId")


class _TaskRequest(types.Request[_TaskParams, str]):
    name_param = "taskId"


async def _not_here(_handle: TaskHandle, _context: ClaimContext) -> types.CallToolResult:
    raise AssertionError("tests ask for their tasks themselves")


class TasksClientExtension(ClientExtension):
    """Declares the extension on every request."""

    identifier = "io.modelcontextprotocol/tasks"

    def claims(self) -> Sequence[ResultClaim[Any]]:
        """Takes ``resultType: task``."""
        return [ResultClaim(result_type="task", model=TaskHandle, resolve=_not_here)]


class TasksClient:
    """The verbs of the extension, over one connected client."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, tool: str, arguments: Json | None = None) -> Any:
        """Call a tool: its result, or a handle."""
        return await self.client.session.call_tool(tool, arguments or {}, allow_claimed=True)

    async def ask(self, verb: str, task_id: str) -> Json:
        """``tasks/VERB``; raises ``MCPError``."""
        request = _TaskRequest(method=f"tasks/{verb}", params=_TaskParams(taskId=task_id))
        answer: Json = await self.client.session.send_request(request, TypeAdapter(Json))
        return answer

    async def until(self, task_id: str, *statuses: str) -> Json:
        """Ask until the task has one of these statuses."""
        while True:
            task = await self.ask("get", task_id)
            if task["status"] in statuses:
                return task
            await asyncio.sleep(0.02)


@asynccontextmanager
async def tasks_of(live: LiveServer) -> AsyncIterator[TasksClient]:
    """A client with the extension, connected to a server in this process."""
    async with Client(live.url, extensions=[TasksClientExtension()]) as client:
        yield TasksClient(client)
