"""Request bodies: whole, within bounds, and on ``/mcp`` JSON-RPC messages.

Implements docs/design/server-and-bridge.md §10.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mcp_server.event_log import log_event
from mcp_server.host.http.jsonrpc_message import Unsound, sound
from mcp_server.host.http.loopback_guard import MAX_BODY_BYTES
from mcp_server.host.http.refusal import refuse

MAX_HELD_BYTES = 16 * 1024 * 1024
"""How much of unfinished bodies is kept, all together; beyond it the oldest one is given up."""


@dataclass(eq=False)
class _Unfinished:
    """A body that is being received."""

    task: asyncio.Task[Any]
    parts: list[bytes] = field(default_factory=list)
    size: int = 0
    given_up: bool = False


class WholeRequests:
    """ASGI wrapper: passes a request on once all of it is here. Clients may leave before."""

    def __init__(self, app: ASGIApp, checked: Callable[[bytes], bytes | Unsound] = sound) -> None:
        """``checked`` says what is passed on of a body, or why nothing is."""
        self._app = app
        self._checked = checked
        self._unfinished: deque[_Unfinished] = deque()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        body = await self._body(scope, receive, send)
        if body is None:
            return
        checked = self._checked(body)
        if isinstance(checked, Unsound):
            log_event("refused", level=logging.WARNING, status=400, reason=checked.problem)
            text = checked.to_json()
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
