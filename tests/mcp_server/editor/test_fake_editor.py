"""The double of an Editor: what it tells of a connection is that connection's."""

from __future__ import annotations

import asyncio

import pytest
from fake_editor import FakeEditor
from websockets.asyncio.server import ServerConnection, serve

pytestmark = pytest.mark.anyio


async def test_the_end_of_an_old_connection_is_not_the_new_ones() -> None:
    """It comes late where the machine is slow: when the Editor has connected anew."""
    connections: asyncio.Queue[ServerConnection] = asyncio.Queue()

    async def held(connection: ServerConnection) -> None:
        connections.put_nowait(connection)
        await connection.wait_closed()

    async with serve(held, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        editor = FakeEditor(f"ws://127.0.0.1:{port}")
        await editor.open()
        old, reader = await connections.get(), editor.reader
        await editor.open()
        new = await connections.get()
        await old.close(1001)
        assert reader is not None
        await reader
        assert (editor.closed.is_set(), editor.close_code) == (False, None)
        await new.close(1000)
        await editor.closed.wait()
        assert editor.close_code == 1000
