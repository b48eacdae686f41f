"""An outcome as MCP's ``CallToolResult``. Large outcomes bypass MCP's SDK.

Implements docs/design/server-and-bridge.md §7 and §10. The SDK would walk through each result four
times on the event loop: 30 answers of half a megabyte take seconds. So the SDK gets a short
stand-in, and a thread makes the JSON. In the response, the JSON replaces the stand-in.
"""

from __future__ import annotations

from secrets import token_hex
from typing import Any

from mcp import types
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mcp_server.contract.errors import ToolError
from mcp_server.contract.outcome import Outcome, ToolResult

_APART = "mcp_server.apart"
"""The key in a request's scope for the stand-in as JSON, and what replaces it."""


def stand_in(outcome: Outcome, request: object) -> dict[str, Any]:
    """Return the structured half of the answer to ``request`` for the SDK, perhaps a stand-in."""
    encoded = outcome.encoded if isinstance(outcome, ToolResult) else None
    if encoded is None or not isinstance(request, Request):
        return outcome.to_json()
    # Random, so that no answer contains it by chance or by intent.
    name = token_hex(16)
    request.scope[_APART] = (f'{{"apart":"{name}"}}'.encode(), encoded)
    return {"apart": name}


class LargeAnswers:
    """ASGI wrapper: replaces stand-ins in the responses."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        started: Message | None = None

        async def send_whole(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                if "content-length" in MutableHeaders(scope=message):
                    started = message  # the content-length may change
                    return
            elif message["type"] == "http.response.body" and _APART in scope:
                body, apart = message["body"], scope[_APART]
                whole = body.replace(*apart, 1)
                message = {**message, "body": whole}
                if started is not None:
                    MutableHeaders(scope=started)["content-length"] = str(len(whole))
            if started is not None:
                await send(started)
                started = None
            await send(message)

        await self._app(scope, receive, send_whole)


def to_call_tool_result(outcome: Outcome, request: object = None) -> types.CallToolResult:
    """Return the outcome as MCP's result.

    A large one gets a stand-in, which is valid only in the answer to ``request``. So leave
    ``request`` out if others get the result, too.
    """
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=outcome.text)],
        structured_content=stand_in(outcome, request),
        is_error=isinstance(outcome, ToolError),
    )
