"""Calls a tool of a running server, as an MCP client.

Implements spec 03-command-line ``tool call``: the tools that need the Unity Editor go to the
server that it is connected to. What comes back is the same outcome that the server had.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from mcp import Client, MCPError, types

from mcp_server.catalog import CATALOG, ToolSpec
from mcp_server.editor_schemas import MAX_STATUS_WAIT_MS
from mcp_server.errors import ToolError, ToolErrorCode, lost, tool_error
from mcp_server.local_tools import Outcome, ToolResult

TOKEN_VARIABLE = "UNITY_CLI_TOKEN"

ANSWER_MARGIN_S = 5.0
"""How much longer than a call's own timeout its answer is waited for."""

_WAIT_MARGIN_MS = 90_000
"""A call for a job answers late when the Editor has to be waited for first."""

OnJobStatus = Callable[[Mapping[str, Any]], None]


class RemoteTools:
    """The tools of the server at one URL."""

    def __init__(self, url: str) -> None:
        self._url = url

    def call(self, spec: ToolSpec, arguments: Mapping[str, Any]) -> Outcome:
        """Call a tool and wait for its outcome. A server that can't be reached is an outcome."""
        return asyncio.run(self._connected(spec, arguments, self._call))

    def run_job(
        self, spec: ToolSpec, arguments: Mapping[str, Any], on_status: OnJobStatus
    ) -> Outcome:
        """Start a job and wait for its end; ``on_status`` hears how it comes along.

        Raises ``KeyboardInterrupt`` after having asked the server to cancel the job.
        """

        async def work(client: Client, spec: ToolSpec, arguments: Mapping[str, Any]) -> Outcome:
            started = await self._call(client, spec, arguments)
            if isinstance(started, ToolError):
                return started
            job_id = started.structured["job_id"]
            asking = CATALOG["get_job_status"]
            ask = {"job_id": job_id, "wait_ms": MAX_STATUS_WAIT_MS}
            try:
                while True:
                    status = await self._call(client, asking, ask)
                    if isinstance(status, ToolError):
                        return status
                    on_status(status.structured)
                    if status.structured["state"] not in ("queued", "running"):
                        return status
            except asyncio.CancelledError:
                await self._call(client, CATALOG["cancel_job"], {"job_id": job_id})
                raise

        return asyncio.run(self._connected(spec, arguments, work))

    async def _connected(
        self, spec: ToolSpec, arguments: Mapping[str, Any], work: Callable[..., Any]
    ) -> Outcome:
        connected = False
        try:
            async with self._client() as client:
                connected = True
                outcome: Outcome = await work(client, spec, arguments)
                return outcome
        except Exception as error:
            causes = _causes(error)
            refused = next((each for each in causes if isinstance(each, MCPError)), None)
            if connected and refused is not None:
                return lost(
                    ToolErrorCode.INVALID_RESPONSE,
                    f"The server at {self._url} answered {refused.error.message!r}.",
                    spec,
                    arguments,
                )
            reason = refused.error.message if refused is not None else str(causes[-1])
            return unreachable(self._url, reason)

    @asynccontextmanager
    async def _client(self) -> AsyncIterator[Client]:
        import httpx2  # noqa: PLC0415 - part of the MCP SDK
        from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415

        token = os.environ.get(TOKEN_VARIABLE)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        timeout = httpx2.Timeout(10, read=None)
        async with (
            httpx2.AsyncClient(headers=headers, timeout=timeout) as http,
            Client(streamable_http_client(self._url, http_client=http)) as client,
        ):
            yield client

    async def _call(self, client: Client, spec: ToolSpec, arguments: Mapping[str, Any]) -> Outcome:
        timeout_ms = spec.timeout_ms(arguments)
        if "job_id" in spec.output_schema["properties"]:
            timeout_ms = max(timeout_ms, _WAIT_MARGIN_MS)
        result = await client.call_tool(
            spec.name,
            dict(arguments),
            read_timeout_seconds=timeout_ms / 1000 + ANSWER_MARGIN_S,
        )
        return _outcome(result)


def unreachable(url: str, reason: str) -> ToolError:
    """There is no server to ask."""
    return tool_error(
        ToolErrorCode.UNITY_DISCONNECTED,
        f"No server answers at {url} ({reason}). Start one with: unity-cli serve",
    )


def _outcome(result: types.CallToolResult) -> Outcome:
    text = "\n".join(block.text for block in result.content if isinstance(block, types.TextContent))
    document: dict[str, Any] = dict(result.structured_content or {})
    if not result.is_error:
        return ToolResult(document, text)
    error = document["error"]
    return ToolError(
        ToolErrorCode(error["code"]), error["message"], error["retryable"], error["details"], text
    )


def _causes(error: BaseException) -> list[BaseException]:
    """The exceptions that a group holds, innermost first come last."""
    if isinstance(error, BaseExceptionGroup):
        return [cause for each in error.exceptions for cause in _causes(each)]
    return [error]
