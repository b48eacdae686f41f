"""Lines on stdin and stdout, which never block the event loop.

For docs/design/command-line.md ``mcp``: each line is one JSON-RPC message. A line that isn't JSON
is refused under its id, if that is found. The client waits for that id.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from threading import Thread
from typing import NamedTuple, TypeAlias

MAX_ID_BYTES = 256
"""Longest id that is looked for, because the answer repeats the id."""

_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\Z)|[{}\[\]:,]|[^\s"{}\[\]:,]+', re.DOTALL)
_LAST_MEMBERS = re.compile(
    rb'[,{]\s*"id"\s*:\s*("[^"\\]*"|-?\d+)\s*(?:,\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*)*\}\s*\Z'
)


class LongLine(NamedTuple):
    """A line longer than :data:`MAX_LINE_BYTES`: its beginning and its end."""

    head: bytes
    tail: bytes


def id_of(line: bytes | LongLine) -> str | int | None:
    """Return the id of a request that is invalid JSON or too long; ``None`` if not found."""
    if isinstance(line, bytes):
        return _among_members(line)
    last = _LAST_MEMBERS.search(line.tail)
    found = _among_members(line.head)
    return found if found is not None or last is None else _read(last[1])


def _among_members(text: bytes) -> str | int | None:
    """Return the id in the JSON object at the beginning of ``text``.

    Returns ``None`` if there are several ids, or if the object is an answer.
    """
    depth = 0
    found: list[bytes] = []
    before = [b"", b""]
    for match in _TOKEN.finditer(text.removeprefix(BOM_UTF8)):
        token = match[0]
        if token in b"{[":
            depth += 1
        elif token in b"}]":
            depth -= 1
            if not depth:
                break
        elif depth == 1 and before == [b'"id"', b":"]:
            found.append(token)
        elif depth == 1 and token == b":" and before[1] in (b'"result"', b'"error"'):
            return None  # the object is an answer, not a request
        elif not depth:
            return None
        before = [before[1], token]
    return _read(found[0]) if len(found) == 1 else None


def _read(token: bytes) -> str | int | None:
    try:
        value = json.loads(token) if len(token) <= MAX_ID_BYTES else None
        json.dumps(value).encode()
    except ValueError:
        return None
    return value if isinstance(value, str) or type(value) is int else None


MAX_LINE_BYTES = 8 * 1024 * 1024
"""A longer line counts as invalid JSON. Only its beginning and its end are kept."""

_KEPT_BYTES = 64 * 1024
"""Bytes that are kept at each end of a long line."""

_WAITING_LINES = 64
"""Most lines that wait in either direction. Then the sender has to wait."""

Line: TypeAlias = bytes | LongLine


def read_lines() -> asyncio.Queue[Line | Exception | None]:
    """Start to read stdin. Return a queue of its lines.

    ``None`` is the end of stdin. An exception says why it can't be read.
    """
    lines: asyncio.Queue[Line | Exception | None] = asyncio.Queue(_WAITING_LINES)
    loop = asyncio.get_running_loop()

    def put(line: Line | Exception | None) -> None:
        asyncio.run_coroutine_threadsafe(lines.put(line), loop).result()

    def read() -> None:
        with suppress(RuntimeError, CancelledError):  # the event loop has ended
            try:
                for line in _lines_of(0):
                    put(line)
                put(None)
            except (OSError, MemoryError) as error:
                put(error)  # otherwise the queue's reader would wait for ever

    # Not sys.stdin: the process would crash when it ends while a thread reads it.
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
    """Writes lines to stdout. A line is written whole, even if its sender is cancelled."""

    def __init__(self) -> None:
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue(_WAITING_LINES)

    async def send(self, line: bytes) -> None:
        """Queue a line; waits while :data:`_WAITING_LINES` lines are queued."""
        await self._lines.put(line)

    async def end(self) -> None:
        """End :meth:`write` after everything queued is written."""
        await self._lines.put(None)

    async def write(self) -> None:
        """Write the queued lines. Raises ``OSError``, for example when the reader has gone."""
        while (line := await self._lines.get()) is not None:
            await asyncio.to_thread(_write, line + b"\n")


def _write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]
