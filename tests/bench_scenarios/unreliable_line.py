"""A TCP line between the package and the server that stalls, breaks and floods on command.

Bytes are passed on unchanged, but for the port in the handshake, which the server checks. What is
slipped in for the package is whole WebSocket messages,
between those of the server, so that the package sees a server that behaves like that.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

_CHUNK = 65536
_RECEIVE_BUFFER = 4096
_CLOSE_GOING_AWAY = b"\x88\x02\x03\xe9"


def text_message(text: str) -> bytes:
    """A text message as a server sends it: one frame, not masked."""
    data = text.encode()
    if len(data) < 126:
        return bytes((0x81, len(data))) + data
    if len(data) < 65536:
        return b"\x81\x7e" + struct.pack(">H", len(data)) + data
    return b"\x81\x7f" + struct.pack(">Q", len(data)) + data


def whole_frames(buffer: bytearray) -> Iterator[bytes]:
    """Take whole unmasked frames off the front of ``buffer``; what is left waits for the rest."""
    while len(buffer) >= 2:
        length, start = buffer[1] & 0x7F, 2
        if length == 126:
            length, start = int.from_bytes(buffer[2:4]), 4
        elif length == 127:
            length, start = int.from_bytes(buffer[2:10]), 10
        if len(buffer) < start + length or len(buffer) < start:
            return
        frame = bytes(buffer[: start + length])
        del buffer[: start + length]
        yield frame


@dataclass
class UnreliableLine:
    """One listening port whose connections lead to the server. Lives on one event loop."""

    server_port: int
    port: int = 0
    """Where it listens; chosen when it opens first."""
    down_limit: int | None = None
    """Bytes that may still reach the package; None for any number."""
    up_limit: int | None = None
    """Bytes that may still reach the server; None for any number."""
    holds: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once something is held back."""
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _server: asyncio.Server | None = None
    _writers: list[asyncio.StreamWriter] = field(default_factory=list)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _downs: list[asyncio.StreamWriter] = field(default_factory=list)

    @property
    def listening(self) -> bool:
        """Whether one can connect."""
        return self._server is not None

    async def open(self) -> None:
        """Listen, and pass on."""
        listener = socket.create_server(("127.0.0.1", self.port))
        # Little is on its way at any time, so that what is held back blocks who sends it.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVE_BUFFER)
        self._server = await asyncio.start_server(self._serve, sock=listener)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Nobody listens any more, and all connections are reset."""
        if self._server is not None:
            self._server.close()
            self._server = None
        self.drop()

    def drop(self) -> None:
        """Reset all connections."""
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()
        self._downs.clear()

    def stall(self, *, down: int | None = None, up: int | None = None) -> None:
        """Let so many more bytes through each way, then hold what comes; None for all."""
        self.down_limit, self.up_limit = down, up
        self.holds.clear()
        self._changed.set()

    def pass_on(self) -> None:
        """Hold nothing back any more."""
        self.stall()

    def slip_in(self, messages: bytes) -> None:
        """Send the package whole messages of our own."""
        for writer in self._downs:
            if not writer.transport.is_closing():
                writer.write(messages)

    def say_goodbye(self) -> None:
        """Send the package a close frame; what the server says later still follows it."""
        self.slip_in(_CLOSE_GOING_AWAY)

    async def ended(self) -> None:
        """Close for good."""
        await self.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self.server_port)
        except OSError:
            writer.transport.abort()
            return
        self._writers += [writer, up_writer]
        for work in (self._up(reader, up_writer), self._down(up_reader, writer)):
            task = asyncio.create_task(work)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _up(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            host = f"127.0.0.1:{self.port}".encode()
            head = head.replace(host, f"127.0.0.1:{self.server_port}".encode())
            await self._send("up_limit", writer, head)
            while data := await reader.read(_CHUNK):
                await self._send("up_limit", writer, data)
        writer.close()

    async def _down(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        buffer = bytearray()
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            await self._send("down_limit", writer, head)
            self._downs.append(writer)
            while data := await reader.read(_CHUNK):
                buffer += data
                for frame in whole_frames(buffer):
                    await self._send("down_limit", writer, frame)
        if writer in self._downs:
            self._downs.remove(writer)
        writer.close()

    async def _send(self, limit: str, writer: asyncio.StreamWriter, data: bytes) -> None:
        while data:
            passed = await self._allowed(limit, len(data))
            writer.write(data[:passed])
            await writer.drain()
            data = data[passed:]

    async def _allowed(self, which: str, wanted: int) -> int:
        """How many of the bytes may go now; at least one, once any may."""
        while True:
            limit: int | None = getattr(self, which)
            if limit is None:
                return wanted
            if limit > 0:
                setattr(self, which, limit - min(limit, wanted))
                return min(limit, wanted)
            self.holds.set()
            self._changed.clear()
            await self._changed.wait()
