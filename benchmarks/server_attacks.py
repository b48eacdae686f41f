"""Programs that attack a server with all their might, and how a well-behaved client fares.

    python -m benchmarks.server_attacks NAME PORT

attacks, until it is killed; ``python -m benchmarks.server`` starts each and measures beside it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import (
    AbstractAsyncContextManager,
    asynccontextmanager,
    nullcontext,
    suppress,
)
from dataclasses import dataclass
from time import perf_counter

from mcp import Client

from benchmarks.watched_server import LoopUse

AIM_MS = 250.0
"""The 99th percentile that a well-behaved client may see."""

_HELLO = {"type": "hello", "plugin_version": "0", "state": "ready"}
_UPGRADE = (
    "GET /unity HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
_POST = (
    "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
    "Content-Length: 4000000\r\n\r\n"
)


def _frame(payload: bytes, opcode: int = 1) -> bytes:
    """One masked WebSocket frame; a mask of zeros leaves the payload as it is."""
    size = len(payload)
    if size < 126:
        head = bytes([0x80 | opcode, 0x80 | size])
    elif size < 65536:
        head = bytes([0x80 | opcode, 0x80 | 126]) + size.to_bytes(2, "big")
    else:
        head = bytes([0x80 | opcode, 0x80 | 127]) + size.to_bytes(8, "big")
    return head + b"\x00\x00\x00\x00" + payload


def _text(**fields: object) -> bytes:
    return _frame(json.dumps(fields).encode())


def _flood(first: bytes, part: bytes, parts: int) -> Callable[[int], None]:
    """Connects to ``/unity`` as often as it is thrown out, and says ``part`` over and over."""

    def attack(port: int) -> None:
        while True:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), 5) as connection:
                connection.sendall(_UPGRADE.format(port=port).encode())
                connection.recv(4096)
                connection.sendall(first)
                for _ in range(parts):
                    connection.sendall(part)
                with suppress(TimeoutError):
                    connection.settimeout(0.5)
                    while connection.recv(65536):
                        pass

    return attack


def _crowd(begun: str, filling: bytes, count: int) -> Callable[[int], None]:
    """Holds ``count`` connections that begin a request and don't end it."""

    def attack(port: int) -> None:
        held: list[socket.socket] = []
        while True:
            with suppress(OSError):
                connection = socket.create_connection(("127.0.0.1", port), 5)
                held.append(connection)
                connection.settimeout(0.05)
                connection.sendall(begun.format(port=port).encode() + filling)
            for connection in held[: max(0, len(held) - count)]:
                connection.close()
            del held[: max(0, len(held) - count)]
            time.sleep(0.001)

    return attack


_HELLO_FRAME = _text(**_HELLO)
_STATUS = _text(type="editor_status", state="ready", seq=1)
_PONG = _text(type="pong", editor_state="ready", seq=1)
_LATE = _text(type="result", request_id="of-nothing", status="ok", result={})
_LARGE = _text(type="editor_status", state="ready", seq=1, padding="x" * 1_000_000)
_OVERSIZE = _frame(b'{"type": "result", "x": "' + b"x" * 8_000_000 + b'"}')


@dataclass(frozen=True)
class Attack:
    """``as_editor``: the attacker takes the Editor's place, so that no other can be asked."""

    what: str
    run: Callable[[int], None]
    as_editor: bool = True


ATTACKS = {
    "statuses": Attack("20,000 statuses from the Editor", _flood(_HELLO_FRAME, _STATUS * 100, 200)),
    "pongs": Attack("20,000 pongs from the Editor", _flood(_HELLO_FRAME, _PONG * 100, 200)),
    "hellos": Attack("20,000 hellos from the Editor", _flood(b"", _HELLO_FRAME * 100, 200)),
    "late": Attack("20,000 answers to nothing", _flood(_HELLO_FRAME, _LATE * 100, 200)),
    "large": Attack("statuses of 1 MB", _flood(_HELLO_FRAME, _LARGE, 200)),
    "oversize": Attack("messages of 8 MB", _flood(_HELLO_FRAME, _OVERSIZE, 50)),
    "garbage": Attack("garbage, beside an Editor", _flood(b"", _frame(b"x") * 1000, 20), False),
    "binary": Attack("binary, beside an Editor", _flood(b"", _frame(b"x", 2) * 1000, 20), False),
    "pings": Attack("WebSocket pings", _flood(b"", _frame(b"", 9) * 1000, 200), False),
    "fragments": Attack(
        "empty fragments",
        _flood(b"\x01\x80\x00\x00\x00\x00", b"\x00\x80\x00\x00\x00\x00" * 1000, 200),
        False,
    ),
    "second": Attack("second Editors, one by one", _flood(_HELLO_FRAME, b"", 0), False),
    "half open": Attack("300 half-open connections", _crowd("POST /mcp", b"", 300), False),
    "bodies": Attack("60 held bodies of 4 MB", _crowd(_POST, b" " * 3_900_000, 60), False),
}


@dataclass(frozen=True)
class Endured:
    """What the client saw under one attack, in milliseconds."""

    attack: str
    tool: str
    calls: int
    failed: int
    median_ms: float
    p99_ms: float
    worst_ms: float
    loop: LoopUse | None = None
    """What the server's event loop did meanwhile."""

    @property
    def within_aim(self) -> bool:
        """Whether the client was served as it should be."""
        return self.p99_ms <= AIM_MS and not self.failed


@asynccontextmanager
async def _attacking(name: str, port: int) -> AsyncIterator[None]:
    command = [sys.executable, "-m", "benchmarks.server_attacks", name, str(port)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        await asyncio.to_thread(process.stdout.readline)  # it has begun
        yield
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


async def endured(
    name: str,
    url: str,
    port: int,
    editor: Callable[[], AbstractAsyncContextManager[None]],
    calls: int,
) -> Endured:
    """Attack the server, and call its tools meanwhile. ``name`` may be ``"nothing"``."""
    attack = ATTACKS.get(name)
    beside = editor if attack is None or not attack.as_editor else _no_editor
    tool = "get_editor_state" if beside is _no_editor else "read_console"
    took: list[float] = []
    failed = 0
    attackers = _attacking(name, port) if attack is not None else nullcontext()
    async with beside(), attackers:
        while len(took) < calls:
            started = perf_counter()
            try:
                failed += await _calls(url, tool, took, calls)
            except Exception:  # it was not served, and not even let go in peace
                failed += 1
                took.append((perf_counter() - started) * 1000)
    took.sort()
    return Endured(
        attack.what if attack is not None else "nothing",
        tool,
        calls,
        failed,
        median_ms=took[len(took) // 2],
        p99_ms=took[max(0, -(-len(took) * 99 // 100) - 1)],
        worst_ms=took[-1],
    )


async def _calls(url: str, tool: str, took: list[float], calls: int) -> int:
    """Call ``tool`` until ``took`` has as many times as ``calls``; how many calls failed."""
    failed = 0
    async with Client(url) as client:
        await client.call_tool("get_editor_state")
        while len(took) < calls:
            started = perf_counter()
            try:
                result = await asyncio.wait_for(client.call_tool(tool), 60)
                failed += result.is_error
            except Exception:  # whatever it is, the client was not served
                failed += 1
            took.append((perf_counter() - started) * 1000)
            await asyncio.sleep(0.005)
    return failed


@asynccontextmanager
async def _no_editor() -> AsyncIterator[None]:
    yield


def main() -> None:
    """Attack until killed."""
    parser = argparse.ArgumentParser(allow_abbrev=False, description=__doc__)
    parser.add_argument("name", choices=ATTACKS)
    parser.add_argument("port", type=int)
    chosen = parser.parse_args()
    print("attacking", flush=True)
    ATTACKS[chosen.name].run(chosen.port)


if __name__ == "__main__":
    main()
