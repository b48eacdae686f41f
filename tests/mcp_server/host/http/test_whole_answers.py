"""An answer's head goes out with its body, and by itself where that comes later."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import uvicorn
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from mcp_server.host.http.connections import BoundedHttp

pytestmark = pytest.mark.anyio

REQUEST = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


class Transport(asyncio.Transport):
    """A connection's, which keeps what is written, call by call."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[bytes] = []

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if data:
            self.written.append(bytes(data))

    def is_closing(self) -> bool:
        return False

    def close(self) -> None:
        """Called once it is lost."""

    def pause_reading(self) -> None:
        """Nothing comes by itself."""

    def resume_reading(self) -> None:
        """Nothing comes by itself."""


def connected(app: Any) -> tuple[BoundedHttp, Transport]:
    config = uvicorn.Config(app, log_config=None, http=BoundedHttp)
    config.load()
    connection = BoundedHttp(config=config, server_state=ServerState(), app_state={})
    transport = Transport()
    connection.connection_made(transport)
    return connection, transport


async def done(connection: BoundedHttp) -> None:
    await asyncio.gather(*connection.tasks)
    connection.connection_lost(None)


async def test_an_answer_is_one_write() -> None:
    connection, transport = connected(Response("all of it"))
    for _ in range(2):
        connection.data_received(REQUEST)
        await asyncio.gather(*connection.tasks)
    await done(connection)
    assert len(transport.written) == 2
    for each in transport.written:
        assert each.startswith(b"HTTP/1.1 200")
        assert each.endswith(b"\r\n\r\nall of it")


async def test_the_head_does_not_wait_for_a_body_that_comes_later() -> None:
    later = asyncio.Event()

    async def app(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await later.wait()
        await send({"type": "http.response.body", "body": b"later"})

    connection, transport = connected(app)
    connection.data_received(REQUEST)
    for _ in range(3):  # the app begins, and then the loop has turned
        await asyncio.sleep(0)
    (head,) = transport.written
    assert head.startswith(b"HTTP/1.1 200")
    assert head.endswith(b"\r\n\r\n")
    later.set()
    await done(connection)
    assert b"later" in b"".join(transport.written[1:])
