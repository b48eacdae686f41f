"""A server of one test's own: it accepts an Editor, and says what the test wants it to say."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.server import ServerConnection, serve

from tests.bench.editor import PATIENCE_S

Frame = dict[str, Any]


@dataclass
class LoneServer:
    """One port, and the Editors that come."""

    port: int = 0
    connections: asyncio.Queue[ServerConnection] = field(default_factory=asyncio.Queue)

    async def accepted(self) -> ServerConnection:
        """The next Editor, accepted."""
        async with asyncio.timeout(PATIENCE_S):
            connection = await self.connections.get()
            hello = json.loads(await connection.recv())
            assert hello["type"] == "hello"
            await self.say(connection, type="hello", server_version="0")
            return connection

    async def say(self, connection: ServerConnection, **fields: Any) -> None:
        """Send a frame."""
        await connection.send(json.dumps({"protocol_version": 1, **fields}))

    async def answered(self, connection: ServerConnection) -> None:
        """The Editor's receiving thread has taken all that was said so far: it answers a ping."""
        await self.say(connection, type="ping")
        async with asyncio.timeout(PATIENCE_S):
            while json.loads(await connection.recv())["type"] != "pong":
                pass


@asynccontextmanager
async def lone_server() -> AsyncIterator[LoneServer]:
    """The server, listening on a free port."""
    server = LoneServer()

    async def serving(connection: ServerConnection) -> None:
        await server.connections.put(connection)
        await connection.wait_closed()

    async with serve(serving, "127.0.0.1", 0) as listening:
        server.port = next(iter(listening.sockets)).getsockname()[1]
        yield server
