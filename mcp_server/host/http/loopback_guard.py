"""Refuse requests that don't come from this machine for this server.

Implements docs/design/server-and-bridge.md §10 for every route. Checking ``Host`` stops DNS
rebinding. Checking ``Origin`` stops cross-site requests. Other headers show a wrong body before it
is read. The client can read a refusal even while it still sends its body: the guard receives the
rest and drops it. Closing a connection with unread bytes would reset it and destroy the answer.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from contextlib import suppress
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from mcp_server.event_log import log_event

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]

DRAIN_BYTES = 64 * 1024 * 1024
"""Bytes of a refused body that are received. A longer body ends with a reset."""

DRAIN_S = 5.0
"""Most seconds in which a refused body is received."""


async def refuse(
    scope: Scope,
    receive: Receive,
    send: Send,
    status: int,
    text: str,
    *,
    content_type: str = "text/plain; charset=utf-8",
) -> None:
    """Answer with ``status`` and ``text``. Close the connection after the client can read that."""
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


async def disconnected(receive: Receive) -> None:
    """Wait until the client has disconnected."""
    while (await receive())["type"] != "http.disconnect":
        pass


MAX_BODY_BYTES = 4 * 1024 * 1024
LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
"""The names of this machine in ``Host`` and ``Origin``."""

ASGIApp: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

_WITH_BODY = ("POST", "PUT", "PATCH")
_JSON = (b"application/json",)
_JSON_OR_FORM = (*_JSON, b"application/x-www-form-urlencoded")

_OWN_SITES = frozenset({b"same-origin", b"none"})
"""What a browser sends for requests of the page itself, and of its user."""

_OF_MEDIA_TYPES = frozenset({b"accept", b"content-type"})

Refusal: TypeAlias = tuple[int, str]


class LoopbackGuard:
    """ASGI middleware: refuses requests that don't come from this machine for this server."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        port: int,
        token: str | None = None,
        open_paths: Collection[str] = (),
        page_parts: Collection[str] = (),
    ) -> None:
        """``port`` is the server's. ``open_paths`` don't need the bearer ``token``.

        Paths that begin with one of ``page_parts`` belong to the review page. The page has its own
        cookie and form tokens.
        """
        self._app = app
        self._port = port
        self._open_paths = open_paths
        self._page_parts = page_parts
        self._token = token.encode() if token else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] in ("http", "websocket"):
            refusal = self._refusal(scope)
            if refusal is not None:
                status, reason = refusal
                log_event(
                    "refused",
                    level=logging.WARNING,
                    status=status,
                    reason=reason,
                    path=scope["path"],
                )
                await refuse(scope, receive, send, status, reason)
                return
            scope = {**scope, "headers": [_in_lower_case(*each) for each in scope["headers"]]}
        await self._app(scope, receive, send)

    def _refusal(self, scope: Scope) -> Refusal | None:
        headers: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.lower(), []).append(value)
        hosts = headers.get(b"host", [])
        if len(hosts) != 1 or not self._is_us(hosts[0].decode("latin-1")):
            return 421, f"Host must be a loopback name with port {self._port}"
        if scope["type"] == "http" and _first_part(scope["path"]) in self._page_parts:
            return _page_refusal(scope, headers)
        for origin in headers.get(b"origin", []):
            if not _is_loopback_origin(origin.decode("latin-1")):
                return 403, "Origin must be a loopback origin"
        if self._token is not None and scope["path"] not in self._open_paths:
            sent = headers.get(b"authorization", [b""])
            if len(sent) != 1 or not hmac.compare_digest(_bearer_token(sent[0]), self._token):
                return 401, "the bearer token with which the server was started is required"
        if scope["type"] == "http" and scope["method"] in _WITH_BODY:
            return _body_refusal(headers, _JSON)
        return None

    def _is_us(self, host: str) -> bool:
        name, colon, port = host.rpartition(":")
        if not colon or port.endswith("]"):  # no port means 80
            name, port = host, "80"
        return name.lower() in LOOPBACK_NAMES and port == str(self._port)


def _in_lower_case(name: bytes, value: bytes) -> tuple[bytes, bytes]:
    """Return the header with media types in lower case, as MCP's SDK expects them."""
    if name.lower() not in _OF_MEDIA_TYPES:
        return name, value
    parts = (part.partition(b";") for part in value.split(b","))
    return name, b",".join(kind.lower() + mark + more for kind, mark, more in parts)


def _bearer_token(authorization: bytes) -> bytes:
    """Return the bearer token in the header; empty if there is none.

    The scheme may have any case.
    """
    scheme, _, token = authorization.partition(b" ")
    return token.strip() if scheme.lower() == b"bearer" else b""


def _first_part(path: str) -> str | None:
    """Return the first part of a path; empty for the root, ``None`` if the path isn't valid."""
    first = path.split("/", 2)[1] if path.startswith("/") else None
    return first if first or path == "/" else None


def _page_refusal(scope: Scope, headers: dict[bytes, list[bytes]]) -> Refusal | None:
    """Return why the request isn't from the page itself. Another port is another program."""
    origins = headers.get(b"origin", [])
    if any(each.lower() != b"http://" + headers[b"host"][0].lower() for each in origins):
        return 403, "Origin must be this server's own"
    sites, aims = (headers.get(each, []) for each in (b"sec-fetch-site", b"sec-fetch-dest"))
    if not _OWN_SITES.issuperset(sites) and aims != [b"document"]:
        return 403, "other pages may only link to this one"
    if scope["method"] in _WITH_BODY:
        if not origins:
            return 403, "Origin must be given"
        return _body_refusal(headers, _JSON_OR_FORM)
    return None


def _body_refusal(headers: dict[bytes, list[bytes]], types: Collection[bytes]) -> Refusal | None:
    kinds = headers.get(b"content-type", [b""])
    if len(kinds) != 1 or kinds[0].split(b";")[0].strip().lower() not in types:
        return 415, f"Content-Type must be {b' or '.join(types).decode()}"
    for length in headers.get(b"content-length", []):
        if not length.isdigit():
            return 400, "Content-Length must be a number"
        # A number may have any length, so compare at most 20 digits without leading zeros.
        if int(b"0" + length.lstrip(b"0")[:20]) > MAX_BODY_BYTES:
            return 413, f"the body must have at most {MAX_BODY_BYTES} bytes"
    return None


def _is_loopback_origin(origin: str) -> bool:
    scheme, separator, authority = origin.lower().partition("://")
    if not separator or scheme not in ("http", "https"):
        return False
    try:
        parts = urlsplit(origin)
        port = parts.port
    except ValueError:
        return False
    name = authority if port is None else authority.removesuffix(f":{port}")
    return name in LOOPBACK_NAMES
