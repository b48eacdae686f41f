"""Clients: their names, their session ids, their cancellations, and their progress messages.

Implements docs/design/server-and-bridge.md §6, and docs/design/engine.md §5 "Undo": who asked.
Clients with a newer protocol version name themselves in every request, and cancel by closing the
response. Older clients name themselves once, in ``initialize``, and cancel with a notification that
names the request. So each older client gets an ``Mcp-Session-Id`` that contains its name. The
server keeps no state for a session, and accepts any session id.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from secrets import token_hex
from typing import Any, TypeAlias, TypeVar
from urllib.parse import quote, unquote

from mcp import MCPError
from mcp.server import ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mcp_server.contract.outcome import OnProgress
from mcp_server.contract.server_schemas import PIPE_HEADER
from mcp_server.news.callers import as_caller
from snippet_engine.call_context import MAX_CLIENT_NAME, as_client

SESSION_HEADER = "mcp-session-id"
_VERSION_HEADER = b"mcp-protocol-version"

REQUEST_CANCELLED = -32800
"""LSP's error code for a cancelled request. MCP's SDK uses it, too."""

_CANCELLED = "mcp_server.cancelled"
"""Set in the scope of a request that its client has cancelled."""

T = TypeVar("T")
Caller: TypeAlias = tuple[str, str | int]
"""A client's session id, and its own id for a request."""


class SessionIds:
    """ASGI wrapper: gives a session id to clients that begin with ``initialize``.

    It also drops the answer to a cancelled request, so that the response just ends.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        names = {name.lower() for name, _ in scope["headers"]}
        if _VERSION_HEADER in names or SESSION_HEADER.encode() in names:

            async def send_unless_cancelled(message: Message) -> None:
                if scope.get(_CANCELLED) and message["type"] == "http.response.body":
                    if message.get("more_body", False):
                        return
                    message = {**message, "body": b""}
                await send(message)

            await self._app(scope, receive, send_unless_cancelled)
            return

        introduction = Introduction(receive)

        async def send_named(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 200:
                name = introduction.named(token_hex(16))
                MutableHeaders(scope=message)[SESSION_HEADER] = name
            await send(message)

        await self._app(scope, introduction, send_named)


class CancellableCalls:
    """The running calls of clients with a session id."""

    def __init__(self) -> None:
        self._running: dict[Caller, asyncio.Task[Any]] = {}

    async def run(
        self, request: object, request_id: str | int | None, work: Coroutine[Any, Any, T]
    ) -> T:
        """Run ``work`` so that the sender of ``request`` can cancel it.

        A cancelled call raises ``MCPError``, because the SDK needs an answer. :class:`SessionIds`
        drops that answer.
        """
        caller = caller_of(request, request_id)
        if caller is None:
            return await work
        task = asyncio.create_task(work)
        self._running[caller] = task
        try:
            return await task
        except asyncio.CancelledError:
            own = asyncio.current_task()
            if own is not None and own.cancelling():
                task.cancel()
                raise
            assert isinstance(request, Request)
            request.scope[_CANCELLED] = True
            raise MCPError(REQUEST_CANCELLED, "Request cancelled") from None
        finally:
            if self._running.get(caller) is task:
                del self._running[caller]

    def cancel(self, caller: Caller | None) -> None:
        """Cancel a call if it still runs."""
        task = self._running.get(caller) if caller is not None else None
        if task is not None:
            task.cancel()


def caller_of(request: object, request_id: str | int | None) -> Caller | None:
    """Return who sent ``request``; ``None`` for a client without a session id."""
    if not isinstance(request, Request) or request_id is None:
        return None
    name = request.headers.get(SESSION_HEADER)
    return (name, request_id) if name else None


def session_key(request: object) -> str | None:
    """Return the id of the request's session; ``None`` for newer protocol versions.

    A client of ``unity-cli mcp`` always has one.
    """
    if not isinstance(request, Request):
        return None
    return request.headers.get(SESSION_HEADER) or request.headers.get(PIPE_HEADER)


def caller_key(request: object) -> str | None:
    """Return a key of the sender: its session, or its connection if it has no session.

    Returns ``None`` if neither is known.
    """
    name = session_key(request)
    if name or not isinstance(request, Request) or request.client is None:
        return name
    return f"{request.client.host}:{request.client.port}"


async def with_client_name(
    ctx: ServerRequestContext[Any, Any], call_next: CallNext
) -> HandlerResult:
    """MCP middleware: note the client and its session as the author of changes."""
    name = _name_of(ctx)
    with as_client(name), as_caller(*_session_of(ctx, name)):
        return await call_next(ctx)


class Introduction:
    """ASGI ``receive`` that reads the client's name from ``initialize``."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._body = b""

    async def __call__(self) -> Message:
        """Receive the next message."""
        message = await self._receive()
        self._body += message.get("body", b"")
        return message

    def named(self, token: str) -> str:
        """Return the client's session id: ``token``, followed by the client's name if known."""
        name = _name_in_initialize(self._body)
        return f"{token}.{quote(name[:MAX_CLIENT_NAME], safe='')}" if name else token


def _name_in_initialize(body: bytes) -> str | None:
    if b'"initialize"' not in body:
        return None
    try:
        name = json.loads(body)["params"]["clientInfo"]["name"]
    except (ValueError, RecursionError, TypeError, KeyError):
        return None
    try:
        return name if isinstance(name, str) and name.encode() else None
    except UnicodeEncodeError:
        return None


def _session_of(
    context: ServerRequestContext[Any, Any], name: str | None
) -> tuple[str | None, str | None]:
    """Return a key for a client's calls, and a name that joins its connections.

    The key is the session, or else the connection. The name is ``None`` if there is a session.
    """
    request = context.request
    if not isinstance(request, Request):
        return f"object {id(context.session)}", None
    joined = None if session_key(request) else f"client {name or ''}"
    return caller_key(request), joined


def _name_of(context: ServerRequestContext[Any, Any]) -> str | None:
    params = context.session.client_params
    if params is not None:
        return params.client_info.name
    if not isinstance(context.request, Request):
        return None
    given = context.request.headers.get(SESSION_HEADER, "")
    return unquote(given.partition(".")[2]) or None


LEAST_INTERVAL_S = 0.1
"""Least seconds between two progress messages of a call. The last one in between is kept."""


class _Teller:
    def __init__(self, send: OnProgress) -> None:
        self._send = send
        self._highest = -1.0
        self._latest: tuple[float, float | None, str] | None = None
        self._new = asyncio.Event()

    async def tell(self, progress: float, total: float | None, message: str) -> None:
        """Send this progress soon, if it is more than the last. Never waits."""
        if progress > self._highest:
            self._highest = progress
            self._latest = (progress, total, message)
            self._new.set()

    async def keep_sending(self) -> None:
        while True:
            await self._new.wait()
            self._new.clear()
            assert self._latest is not None
            await self._send(*self._latest)
            await asyncio.sleep(LEAST_INTERVAL_S)


@asynccontextmanager
async def sending_progress(context: ServerRequestContext[Any]) -> AsyncIterator[OnProgress | None]:
    """Yield a function that reports progress to the client; ``None`` if it wants none."""
    if "progress_token" not in (context.meta or {}):
        yield None
        return
    teller = _Teller(context.session.report_progress)
    sending = asyncio.create_task(teller.keep_sending())
    try:
        yield teller.tell
    finally:
        sending.cancel()
        await asyncio.wait({sending})
