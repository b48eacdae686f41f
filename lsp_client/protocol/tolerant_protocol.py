"""pygls's protocol, for servers that break LSP.

Implements docs/design/roslyn.md §5: an answer that isn't valid LSP fails its request instead of
leaving it waiting; a message may omit ``params``; unknown requests from the server are refused; and
the size of its messages is bounded.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

from lsprotocol import types
from pygls.protocol import JsonRPCNotification, JsonRPCRequestMessage, LanguageServerProtocol

MAX_MESSAGE_BYTES = 64 * 1024 * 1024
"""Maximum length of a message."""

MAX_UNASKED_BYTES = 32 * 1024 * 1024
"""Maximum number of bytes between two answers."""

MAX_JUNK_BYTES = 1024 * 1024
"""Maximum number of bytes outside messages between two answers."""

_CONTENT_LENGTH = re.compile(rb"content-length:\s*(\d+)\s*", re.IGNORECASE)
_NEEDED = frozenset({types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS})
"""Notifications that must be readable."""

_SHOWN = 120
_UNREADABLE = "$/unreadable"

# pygls logs whole documents, and a traceback for each invalid message. The client's owner reports
# such a message, once.
logging.getLogger("pygls").setLevel(logging.CRITICAL)


class OwnId(str):
    """The id of one of our requests within pygls, which keeps the ids of both sides in one table.

    It is a text that no server uses for its own requests. The server gets a number, which more
    servers handle correctly.
    """

    __slots__ = ("number",)

    number: int

    def __new__(cls, number: int) -> Self:
        """Return the id of the request of that number."""
        made = super().__new__(cls, f"client request {number}")
        made.number = number
        return made


class OffSchemaError(Exception):
    """An answer or a diagnostic isn't valid LSP."""


@dataclass
class _OwnAnswer:
    """The answer to one of our own requests, kept as a dictionary, which pygls would convert."""

    id: Any
    jsonrpc: str
    result: dict[str, Any]


_OWN_METHODS = "unity/"


class TolerantProtocol(LanguageServerProtocol):
    """Accepts every readable message, and fails the others at once."""

    answers = 0
    """Number of answers so far."""
    on_message: Callable[[], None] = staticmethod(lambda: None)
    """Called for each message."""

    def _register_builtin_features(self) -> None:
        """Register nothing: pygls's built-in features are for servers, and one ends the process."""

    def get_result_type(self, method: str) -> type[Any] | None:  # type: ignore[override]
        """Return the type of the answer to ``method``. Called by pygls."""
        return _OwnAnswer if method.startswith(_OWN_METHODS) else super().get_result_type(method)

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Read a JSON object as a message. Called for each object, inner ones first."""
        if "jsonrpc" not in data:
            return data
        self.on_message()
        if "method" in data:
            return self._structure_call(data)
        self.answers += 1
        data["id"] = _own_id(data)
        if not isinstance(data.get("error"), dict):
            data.pop("error", None)
            data.setdefault("result", None)
        try:
            return super().structure_message(data)
        except Exception as error:
            failure = OffSchemaError("sent an answer that LSP does not allow")
            waiting = self._request_futures.pop(data.get("id", ""), None)
            if waiting is None or waiting.done():
                raise failure from error
            waiting.set_exception(failure)
            return JsonRPCNotification(_UNREADABLE, "2.0", None)

    def _structure_call(self, data: dict[str, Any]) -> Any:
        data.setdefault("params", None)
        try:
            return super().structure_message(data)
        except Exception as error:
            if data["method"] in _NEEDED:
                raise OffSchemaError(f"sent a malformed {data['method']}") from error
            if "id" in data:
                return JsonRPCRequestMessage(data["id"], _UNREADABLE, "2.0", None)
            return JsonRPCNotification(_UNREADABLE, "2.0", None)

    def _send_data(self, data: Any) -> None:
        request_id = getattr(data, "id", None)
        if isinstance(request_id, OwnId):
            data.id = request_id.number
        super()._send_data(data)

    def forget(self, request_id: str) -> None:
        """Ignore any later answer to this request."""
        self._request_futures.pop(request_id, None)
        self._result_types.pop(request_id, None)


def _own_id(answer: dict[str, Any]) -> Any:
    """Return the id of the answered request. Raises ``OffSchemaError`` if there is none."""
    request_id = answer.get("id")
    if request_id is None:
        error = answer.get("error")
        detail = f": {error.get('message')}" if isinstance(error, dict) else ""
        raise OffSchemaError(
            f"answered under the id null, not under its request's{detail}"[:_SHOWN]
        )
    try:
        return OwnId(int(request_id))  # some send back text, or 1.0
    except (TypeError, ValueError, OverflowError):
        return str(request_id)


class BoundedReader:
    """A server's stdout for pygls. Raises ``OffSchemaError`` if the server sends too much."""

    def __init__(self, stream: asyncio.StreamReader, protocol: TolerantProtocol) -> None:
        self._stream = stream
        self._protocol = protocol
        self._answers_seen = 0
        self._unasked = 0
        self._junk = 0

    async def readline(self) -> bytes:
        """Return a header line, ended as pygls expects it; nothing at the end of the stream."""
        # Buffered data is read without a pause, which would starve other tasks.
        await asyncio.sleep(0)
        try:
            line = await self._stream.readline()
        except ValueError as error:
            raise OffSchemaError("sent something other than a message on stdout") from error
        self._count(len(line))
        length = _CONTENT_LENGTH.fullmatch(line)
        if length is None:
            self._junk += len(line)
            return line if line.strip() else line and b"\r\n"
        return b"Content-Length: %s\r\n" % length[1]

    async def readexactly(self, size: int) -> bytes:
        """Return a message's body. Raises ``EOFError`` if it is cut off."""
        if size > MAX_MESSAGE_BYTES:
            raise OffSchemaError(f"announced a message of {size:,} bytes")
        body = await self._stream.readexactly(size)
        self._count(size)
        return body

    def _count(self, size: int) -> None:
        if self._protocol.answers != self._answers_seen:
            self._answers_seen, self._unasked, self._junk = self._protocol.answers, 0, 0
        self._unasked += size
        if self._unasked > MAX_UNASKED_BYTES or self._junk > MAX_JUNK_BYTES:
            raise OffSchemaError(f"sent {self._unasked:,} bytes that nobody asked for")
