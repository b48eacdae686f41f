"""An HTTP refusal that the client gets to read, also while it still sends its body.

For docs/design/server-and-bridge.md §10. A connection that is closed with unread bytes on it is
reset, and a reset destroys what was answered: so the rest of the body is received, and dropped,
before the end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any, TypeAlias

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]

DRAIN_BYTES = 64 * 1024 * 1024
"""How much of a refused body is received; one that is longer ends with a reset."""

DRAIN_S = 5.0
"""How long that may take, in seconds."""


async def refuse(
    scope: Scope,
    receive: Receive,
    send: Send,
    status: int,
    text: str,
    *,
    content_type: str = "text/plain; charset=utf-8",
) -> None:
    """Answer with ``status`` and ``text``, and end the connection once that can be heard."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": text})  # becomes a 403
        return
    body = (text + "\n").encode()
    headers = [
        (b"content-type", content_type.encode()),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    announced = any(
        name == b"transfer-encoding" or (name == b"content-length" and value != b"0")
        for name, value in scope["headers"]
    )
    await send({"type": "http.response.body", "body": body, "more_body": announced})
    if announced:
        with suppress(TimeoutError):
            await asyncio.wait_for(_drain(receive), DRAIN_S)
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _drain(receive: Receive) -> None:
    received = 0
    while received <= DRAIN_BYTES:
        message = await receive()
        received += len(message.get("body", b""))
        if not message.get("more_body", False):
            return
