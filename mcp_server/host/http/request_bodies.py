"""Read whole request bodies within limits. On ``/mcp``, check that they are JSON-RPC messages.

Implements docs/design/server-and-bridge.md §10. MCP's SDK takes a request with an invalid id for a
notification, and doesn't answer. It reports other errors in terms of its own models. This module
tells the client what is wrong and what to send instead.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from mcp import types
from pydantic_core import ValidationError, from_json
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mcp_server.event_log import log_event
from mcp_server.host.http.loopback_guard import MAX_BODY_BYTES, refuse
from snippet_engine.errors import shortened
from snippet_engine.schemas.schema_findings import quoted

BATCH = "batches are not supported: send each message in a POST of its own"
NO_OBJECT = "the body must be one JSON-RPC message, an object"


@dataclass(frozen=True, slots=True)
class Unsound:
    """Why a body isn't a valid message."""

    problem: str
    """The message for the client."""
    id: str | int | None = None
    """The id of the client's request, if it has one."""
    code: int = types.INVALID_REQUEST

    def to_json(self) -> str:
        """Return the JSON-RPC error message as text."""
        data = types.ErrorData(code=self.code, message=self.problem)
        error = types.JSONRPCError(jsonrpc="2.0", id=self.id, error=data)
        return error.model_dump_json(by_alias=True, exclude_unset=True)


def sound(body: bytes) -> bytes | Unsound:
    """Return the JSON-RPC message ``body``, with an id that can be answered.

    An id like ``1.0`` becomes an integer. Invalid JSON and responses are passed on unchanged.
    """
    try:
        message = from_json(body)
    except ValueError:
        return body
    twice = _key_given_twice(body)
    if not isinstance(message, dict):
        return Unsound(BATCH if isinstance(message, list) else NO_OBJECT)
    if "method" not in message and message.keys() & {"result", "error"}:
        return body
    request_id = message.get("id")
    if isinstance(request_id, float) and request_id.is_integer() and abs(request_id) < 2**53:
        message["id"] = request_id = int(request_id)
        body = json.dumps(message).encode()
    if "id" in message and not isinstance(request_id, str) and type(request_id) is not int:
        return Unsound("id must be a string or an integer")
    problem = _problem(message)
    if twice is not None:
        problem = f"the key {shortened(quoted(twice), 80)} appears twice in one object"
    if problem is not None:
        return Unsound(problem, request_id)
    wrong = _wrong_introduction(message) if message["method"] == "initialize" else None
    return body if wrong is None else Unsound(wrong, request_id, types.INVALID_PARAMS)


class _GivenTwiceError(Exception):
    """An object has a key twice, so its value is ambiguous."""


def _key_given_twice(body: bytes) -> str | None:
    """Return the first key that an object in ``body`` has twice; ``None`` if there is none."""

    def once(pairs: list[tuple[str, Any]]) -> None:
        known: set[str] = set()
        for key, _ in pairs:
            if key in known:
                raise _GivenTwiceError(key)
            known.add(key)

    try:
        json.loads(body, object_pairs_hook=once)
    except _GivenTwiceError as error:
        return str(error)
    except (ValueError, RecursionError):  # the SDK's own reader decides
        return None
    return None


def _wrong_introduction(message: dict[str, Any]) -> str | None:
    """Return what is wrong with the parameters of ``initialize``. The SDK doesn't report it."""
    try:
        types.InitializeRequestParams.model_validate(message.get("params") or {}, by_name=False)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = shortened(".".join(map(str, ("params", *first["loc"]))), 80)
        return f"{where} {_WRONG.get(first['type']) or shortened(first['msg'], 80)}"
    return None


_WRONG = {
    "missing": "is missing",
    "string_type": "must be a string",
    "dict_type": "must be an object",
    "model_type": "must be an object",
}


def _problem(message: dict[str, Any]) -> str | None:
    if message.get("jsonrpc") != "2.0":
        return 'jsonrpc must be "2.0"'
    if not isinstance(message.get("method"), str):
        return "method must be a string"
    if not isinstance(message.get("params"), dict | None):
        return "params must be an object"
    return None


MAX_HELD_BYTES = 16 * 1024 * 1024
"""Most bytes of all unfinished bodies. Beyond it, the oldest is given up."""


@dataclass(eq=False)
class _Unfinished:
    """A body that is being received."""

    task: asyncio.Task[Any]
    parts: list[bytes] = field(default_factory=list)
    size: int = 0
    given_up: bool = False


class WholeRequests:
    """ASGI wrapper: passes a request on when all of it has arrived."""

    def __init__(self, app: ASGIApp, checked: Callable[[bytes], bytes | Unsound] = sound) -> None:
        """``checked`` returns the body to pass on, or why it is invalid."""
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
        """Return the whole body. Return ``None`` if it was refused, or the client left."""
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
    """``receive`` for a request whose body was read already."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._message: Message | None = {"type": "http.request", "body": body, "more_body": False}
        self._receive = receive

    async def __call__(self) -> Message:
        message, self._message = self._message, None
        return message if message is not None else await self._receive()
