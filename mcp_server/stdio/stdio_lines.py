"""Lines on stdin and stdout, without the event loop ever waiting for either.

For docs/design/command-line.md ``mcp``. MCP over stdio is one JSON-RPC message a line.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from threading import Thread
from typing import TypeAlias

from mcp_server.stdio.unread_line import LongLine

MAX_LINE_BYTES = 8 * 1024 * 1024
"""Of a line that is longer only its ends are kept: it counts as one that is no JSON."""

_KEPT_BYTES = 64 * 1024
"""So much of either end."""

_WAITING_LINES = 64
"""Lines that may wait on either side; then the other end has to."""

Line: TypeAlias = bytes | LongLine


def read_lines() -> asyncio.Queue[Line | Exception | None]:
    """The lines of stdin, from now on; ``None`` is their end, an exception why it can't be read."""
    lines: asyncio.Queue[Line | Exception | None] = asyncio.Queue(_WAITING_LINES)
    loop = asyncio.get_running_loop()

    def put(line: Line | Exception | None) -> None:
        asyncio.run_coroutine_threadsafe(lines.put(line), loop).result()

    def read() -> None:
        with suppress(RuntimeError, CancelledError):  # nobody reads them any more
            try:
                for line in _lines_of(0):
                    put(line)
                put(None)
            except (OSError, MemoryError) as error:
                put(error)  # whoever waits for the end would wait for ever

    # Not sys.stdin: a thread that is waiting in there when the process ends makes that a crash.
    Thread(target=read, name="stdin", daemon=True).start()
    return lines


def _lines_of(descriptor: int) -> Iterator[Line]:
    kept = bytearray()
    head = b""
    while data := os.read(descriptor, 65536):
        *ended, rest = data.split(b"\n")
        for end in ended:
            kept += end
            yield LongLine(head, bytes(kept[-_KEPT_BYTES:])) if head else bytes(kept)
            kept.clear()
            head = b""
        kept += rest
        if len(kept) > MAX_LINE_BYTES:
            head = head or bytes(kept[:_KEPT_BYTES])
            del kept[:-_KEPT_BYTES]
    if kept and not head:
        yield bytes(kept)


class Output:
    """stdout. A line that was given to it is written whole, whatever becomes of who gave it."""

    def __init__(self) -> None:
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue(_WAITING_LINES)

    async def send(self, line: bytes) -> None:
        """Have a line written."""
        await self._lines.put(line)

    async def end(self) -> None:
        """Let :meth:`write` end, once all is written."""
        await self._lines.put(None)

    async def write(self) -> None:
        """Write what comes. Raises ``OSError``, as when nobody reads any more."""
        while (line := await self._lines.get()) is not None:
            await asyncio.to_thread(_write, line + b"\n")


def _write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]
