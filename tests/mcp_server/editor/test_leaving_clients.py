"""Clients that hang up in the middle of a request."""

from __future__ import annotations

import asyncio

import pytest
from live_server import LiveServer

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
async def test_a_client_that_leaves_before_its_request_was_read(
    live: LiveServer, version: str
) -> None:
    _, writer = await asyncio.open_connection("127.0.0.1", live.port)
    head = [
        "POST /mcp HTTP/1.1",
        f"Host: 127.0.0.1:{live.port}",
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        f"MCP-Protocol-Version: {version}",
        "Content-Length: 1000",
        "",
        '{"jsonrpc": "2.0", ',
    ]
    writer.write("\r\n".join(head).encode())
    await writer.drain()
    writer.transport.abort()
    await live.logged("client_left")
    assert [name for name, _ in live.log if name == "request"] == []
