"""The end of stdin, held back until what came in before it is answered.

Part of docs/design/command-line.md ``mcp``. The SDK takes the end of the input for the end of the
client, and drops what still runs. In a pipe (``printf ... | unity-cli mcp``) it only means that
there is no further request.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from types import TracebackType
from typing import Protocol

from anyio import EndOfStream
from mcp import types
from mcp.shared.message import SessionMessage

DRAIN_LIMIT_S = 10.0
"""How long answers are waited for once the input has ended, in seconds."""


class _Stream(Protocol):
    async def aclose(self) -> None: ...


class _Incoming(_Stream, Protocol):
    async def receive(self) -> SessionMessage | Exception: ...


class _Outgoing(_Stream, Protocol):
    async def send(self, item: SessionMessage, /) -> None: ...


class Unanswered:
    """The requests that came in and are not answered yet, by their ids."""

    def __init__(self) -> None:
        self._ids: set[str | int] = set()
        self._none_left = asyncio.Event()

    def came_in(self, message: types.JSONRPCMessage) -> None:
        """Note a message of the client's."""
        if isinstance(message, types.JSONRPCRequest):
            self._ids.add(message.id)
        elif (
            isinstance(message, types.JSONRPCNotification)
            and message.method == "notifications/cancelled"
        ):  # such a request is not answered
            self._answered((message.params or {}).get("requestId"))

    def went_out(self, message: types.JSONRPCMessage) -> None:
        """Note a message of the server's."""
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            self._answered(message.id)

    def _answered(self, request_id: object) -> None:
        if isinstance(request_id, str | int):
            self._ids.discard(request_id)
        if not self._ids:
            self._none_left.set()

    async def wait(self, limit_s: float) -> None:
        """Wait until there are none left, at most ``limit_s`` seconds."""
        self._none_left.clear()
        if self._ids:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._none_left.wait(), limit_s)


class _Owned:
    """What both streams have in common: they close the one that they stand for."""

    def __init__(self, inner: _Stream) -> None:
        self._closing = inner

    async def aclose(self) -> None:
        """Close the stream."""
        await self._closing.aclose()

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        await self.aclose()


class Requests(_Owned):
    """The client's messages. Their end comes once all requests are answered."""

    def __init__(self, inner: _Incoming, unanswered: Unanswered) -> None:
        super().__init__(inner)
        self._inner = inner
        self._unanswered = unanswered

    async def receive(self) -> SessionMessage | Exception:
        """The next message. Raises what the stream raises at its end."""
        try:
            item = await self._inner.receive()
        except Exception:
            await self._unanswered.wait(DRAIN_LIMIT_S)
            raise
        if isinstance(item, SessionMessage):
            self._unanswered.came_in(item.message)
        return item

    def __aiter__(self) -> Requests:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Requests:
        return self


class Answers(_Owned):
    """The server's messages."""

    def __init__(self, inner: _Outgoing, unanswered: Unanswered) -> None:
        super().__init__(inner)
        self._inner = inner
        self._unanswered = unanswered

    async def send(self, item: SessionMessage, /) -> None:
        """Pass ``item`` on."""
        await self._inner.send(item)
        self._unanswered.went_out(item.message)

    async def __aenter__(self) -> Answers:
        return self
