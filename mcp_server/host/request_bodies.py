"""Request bodies on ``/mcp``: whole, within bounds, and with an id that JSON-RPC can answer to.

Implements docs/design/server-and-bridge.md §10. The SDK takes a request whose id it doesn't
understand for a notification, and is silent; here it is told what is wrong.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from mcp import types
from pydantic_core import from_json
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mcp_server.event_log import log_event
from mcp_server.host.loopback_guard import MAX_BODY_BYTES
from mcp_server.host.refusal import PAUSE_S, refuse

MAX_HELD_BYTES = 16 * 1024 * 1024
"""How much of unfinished bodies is kept, all together; beyond it the oldest one is given up."""

MANY_BODIES = 8
"""More than these at once are received with pauses, so that calls have their turn."""

_ID_PROBLEM = "id must be a string or an integer"


@dataclass(eq=False)
class _Unfinished:
    """A body that is being received."""

    task: asyncio.Task[Any]
    parts: list[bytes] = field(default_factory=list)
    size: int = 0
    given_up: bool = False


class WholeRequests:
    """ASGI wrapper: passes a request on once all of it is here. Clients may leave before."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._unfinished: deque[_Unfinished] = deque()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        body = await self._body(scope, receive, send)
        if body is None:
            return
        checked = with_sound_id(body)
        if checked is None:
            log_event("refused", level=logging.WARNING, status=400, reason=_ID_PROBLEM)
            data = types.ErrorData(code=types.INVALID_REQUEST, message=_ID_PROBLEM)
            error = types.JSONRPCError(jsonrpc="2.0", id=None, error=data)
            text = error.model_dump_json(by_alias=True, exclude_unset=True)
            await refuse(scope, receive, send, 400, text, content_type="application/json")
            return
        await self._app(scope, _Replay(checked, receive), send)

    async def _body(self, scope: Scope, receive: Receive, send: Send) -> bytes | None:
        """The whole body; ``None`` if there is none to serve: then all is said."""
        task = asyncio.current_task()
        assert task is not None
        held = _Unfinished(task)
        self._unfinished.append(held)
        try:
            while True:
                part = await receive()
                if part["type"] == "http.disconnect":
                    log_event("client_left", path=scope["path"])
                    return None
                held.parts.append(part.get("body", b""))
                held.size += len(held.parts[-1])
                if held.size > MAX_BODY_BYTES:
                    break
                if not part.get("more_body", False):
                    return b"".join(held.parts)
                self._keep_within_bounds()
                if len(self._unfinished) > MANY_BODIES:
                    await asyncio.sleep(PAUSE_S * len(self._unfinished))
        except asyncio.CancelledError:
            if not held.given_up:
                raise
            task.uncancel()
        finally:
            self._unfinished.remove(held)
        held.parts.clear()
        status, reason = (
            (503, "too many unfinished requests: send it again")
            if held.given_up
            else (413, f"the body must have at most {MAX_BODY_BYTES} bytes")
        )
        log_event("refused", level=logging.WARNING, status=status, reason=reason)
        await refuse(scope, receive, send, status, reason)
        return None

    def _keep_within_bounds(self) -> None:
        kept = sum(each.size for each in self._unfinished if not each.given_up)
        for each in self._unfinished:
            if kept <= MAX_HELD_BYTES:
                break
            if not each.given_up and each.task is not asyncio.current_task():
                each.given_up = True
                each.task.cancel()
                kept -= each.size


class _Replay:
    """``receive`` of a request whose body is here already."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._message: Message | None = {"type": "http.request", "body": body, "more_body": False}
        self._receive = receive

    async def __call__(self) -> Message:
        message, self._message = self._message, None
        return message if message is not None else await self._receive()


def with_sound_id(body: bytes) -> bytes | None:
    """The JSON-RPC message ``body``, with an id that can be answered to.

    Integers may be written as ``1.0``: they come back as integers. ``None`` for a request with
    an id that is none. What is no request is passed on as it is, to whom it may concern.
    """
    try:
        message = from_json(body)
    except ValueError:
        return body
    if not isinstance(message, dict) or "method" not in message or "id" not in message:
        return body
    request_id = message["id"]
    if isinstance(request_id, float) and request_id.is_integer() and abs(request_id) < 2**53:
        return json.dumps({**message, "id": int(request_id)}).encode()
    return body if isinstance(request_id, str) or type(request_id) is int else None
