"""MCP over stdin and stdout, for clients that can't do HTTP. The work is the shared server's.

Implements docs/design/command-line.md ``mcp``. The tools are listed from the catalog; every call
goes to the server, which is looked for again (or started again) when it has gone. A call that may
have been executed is never sent twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp import types
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from mcp_server.calls.remote_tools import RemoteTools, Unreachable, unreachable
from mcp_server.contract.catalog import ToolSpec
from mcp_server.contract.errors import ToolError
from mcp_server.contract.outcome import OnProgress, Outcome
from mcp_server.event_log import log_event
from mcp_server.host.mcp_endpoint import make_mcp_server
from mcp_server.stdio.shared_server import SharedServer
from mcp_server.stdio.stdio_drain import Answers, Requests, Unanswered


async def serve_stdio(server: SharedServer, unusable: ToolError | None) -> ToolError | None:
    """Serve one client until it closes stdin; returns ``unusable``.

    That says why there was no server to be used from the start, if so. The client is then told
    so, in answer to each of its requests.
    """
    try:
        async with stdio_server() as (requests, answers):
            if unusable is not None:
                async with answers:
                    async for item in requests:
                        message = item.message if isinstance(item, SessionMessage) else None
                        if isinstance(message, types.JSONRPCRequest):
                            await answers.send(_refusal(message, unusable))
            else:
                mcp_server = make_mcp_server(_SharedCalls(server))
                options = mcp_server.create_initialization_options()
                unanswered = Unanswered()
                await mcp_server.run(
                    Requests(requests, unanswered), Answers(answers, unanswered), options
                )
    except* BrokenPipeError:
        log_event("client_left")  # without waiting for its answers
    finally:
        await server.leave()
    return unusable


class _SharedCalls:
    """Calls tools through the shared server."""

    def __init__(self, server: SharedServer) -> None:
        self._server = server
        self._tools = RemoteTools(server.url, server.token, server.project)

    async def call(
        self, spec: ToolSpec, arguments: Mapping[str, Any], on_progress: OnProgress | None = None
    ) -> Outcome:
        """Call a tool. A server that can't be reached is looked for once more."""
        reason = ""
        for _ in range(2):
            unusable = await self._server.ensure()
            if unusable is not None:
                return unusable
            outcome = await self._tools.attempt(spec, arguments, on_progress)
            if not isinstance(outcome, Unreachable):
                return outcome
            reason = outcome.reason
            await self._server.leave()
        return unreachable(self._server.url, reason)


def _refusal(request: types.JSONRPCRequest, error: ToolError) -> SessionMessage:
    data = types.ErrorData(
        code=types.INVALID_REQUEST, message=error.text, data=error.to_json()["error"]
    )
    return SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=request.id, error=data))
