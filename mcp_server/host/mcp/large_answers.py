"""Large results on their way around MCP's SDK, which would walk through each of them four times.

Part of docs/design/server-and-bridge.md §10. All of that is done on the event loop, where others
wait for it: 30 answers of half a megabyte are seconds. So the SDK is given a short stand-in, and
the JSON, which was made on a thread, takes its place in what is sent.
"""

from __future__ import annotations

from secrets import token_hex
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mcp_server.contract.outcome import Outcome, ToolResult

_APART = "mcp_server.apart"
"""In a request's scope: the stand-in, as JSON, and what takes its place."""


def stand_in(outcome: Outcome, request: object) -> dict[str, Any]:
    """The structured half of the answer to ``request``, as the SDK is to have it."""
    encoded = outcome.encoded if isinstance(outcome, ToolResult) else None
    if encoded is None or not isinstance(request, Request):
        return outcome.to_json()
    # Nothing that an answer says can be taken for it: nobody can guess it.
    name = token_hex(16)
    request.scope[_APART] = (f'{{"apart":"{name}"}}'.encode(), encoded)
    return {"apart": name}


class LargeAnswers:
    """ASGI wrapper: puts what was carried apart into the answers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        started: Message | None = None

        async def send_whole(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                if "content-length" in MutableHeaders(scope=message):
                    started = message  # it is not that yet
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
