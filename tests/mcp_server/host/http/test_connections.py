"""Connections that half open, hold on, crowd and flood, over real sockets."""

from __future__ import annotations

import asyncio
import os
from contextlib import AsyncExitStack, suppress

import httpx2
import pytest
from fake_editor import PATIENCE_S
from live_server import LiveServer
from raw_http import RawConnection, head, messages, request
from starlette.websockets import WebSocket
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from mcp_server.calls.server.server_status import STATUS_PATH
from mcp_server.host import own_status
from mcp_server.host.http import connections, request_bodies
from mcp_server.host.http.loopback_guard import MAX_BODY_BYTES
from unity_bridge.plugin.session import MAX_GARBAGE, MAX_PENDING
from unity_bridge.plugin.session_state import MAX_UNASKED_FRAMES
from unity_bridge.plugin.websocket_link import WebSocketLink

pytestmark = pytest.mark.anyio

PING = request("ping", 1)


async def served(connection: RawConnection) -> None:
    """The server still answers on this connection."""
    await connection.post(PING)
    status, _, body = await connection.answer()
    assert (status, messages(body)[0]["id"]) == (200, 1)


# -- deadlines -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "begun",
    [
        b"",
        b"POST /m",
        b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
    ],
)
async def test_a_request_that_does_not_begin_is_told_so(
    live: LiveServer, monkeypatch: pytest.MonkeyPatch, begun: bytes
) -> None:
    monkeypatch.setattr(connections, "HEAD_LIMIT_S", 0.01)
    async with RawConnection(live.port) as connection:
        await connection.send(begun)
        assert await connection.status() == 408
        await connection.ended()
    await live.logged("request_too_slow", part="head")


async def test_a_trickle_does_not_extend_the_time(
    live: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEAD_LIMIT_S", 0.05)
    async with RawConnection(live.port) as connection:
        answer = asyncio.create_task(connection.status())
        try:
            while not answer.done():
                await connection.send(b"X")
                await asyncio.sleep(0.005)
        except ConnectionError:
            pass
        assert await answer == 408


async def test_the_second_request_has_a_deadline_too(
    live: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with RawConnection(live.port) as connection:
        monkeypatch.setattr(connections, "HEAD_LIMIT_S", 0.01)
        await served(connection)
        await connection.send(b"POST /mcp")
        await connection.ended()
    await live.logged("request_too_slow", part="head")


async def test_a_connection_may_rest_longer_than_a_request_may_take(
    live: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with RawConnection(live.port) as resting, RawConnection(live.port) as witness:
        await served(resting)
        monkeypatch.setattr(connections, "HEAD_LIMIT_S", 0.01)
        async with RawConnection(live.port) as silent:
            assert await silent.status() == 408  # the time for a request is over
        await served(witness)
        await served(resting)


async def test_a_connection_that_rests_too_long_is_closed_without_a_word(live: LiveServer) -> None:
    live.server.config.timeout_keep_alive = 0
    async with RawConnection(live.port) as connection:
        await served(connection)
        assert await connection.ended() == b""


@pytest.mark.skipif(os.name == "nt", reason="what comes is the loop's already, and can't be seen")
async def test_a_request_that_comes_as_its_connection_is_to_be_closed_is_served(
    live: LiveServer,
) -> None:
    async with RawConnection(live.port) as connection:
        await served(connection)
        (ours,) = live.server.server_state.connections
        assert isinstance(ours, connections.BoundedHttp)
        connection.writer.write(head(live.port, len(PING)) + PING)
        ours.timeout_keep_alive_handler()
        assert (await connection.answer())[0] == 200


@pytest.mark.parametrize("path", ["/mcp", "/status", "/lease", "/nowhere"])
async def test_a_body_that_does_not_come_is_not_waited_for(
    live: LiveServer, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(connections, "BODY_LIMIT_S", 0.01)
    async with RawConnection(live.port) as connection:
        await connection.send(head(live.port, 1000, path) + b"{")
        answer = await connection.ended()
        if path == "/mcp":
            assert answer.startswith(b"HTTP/1.1 408 ")
    await live.logged("request_too_slow", part="body")


async def test_a_call_may_take_longer_than_its_request(
    live: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As little time as the machine needs to send the request at all.
    for limit_s in (0.01, 0.3, 3.0, 30.0):
        monkeypatch.setattr(connections, "HEAD_LIMIT_S", limit_s)
        monkeypatch.setattr(connections, "BODY_LIMIT_S", limit_s)
        async with RawConnection(live.port) as connection, RawConnection(live.port) as witness:
            await connection.post(request("tools/call", 1, name="read_console"))
            if await connection.status() == 408:
                continue
            await witness.ended()  # more time has passed than a request has
            await live.editor().connect()
            await connection.reader.readuntil(b'"id":1')
            return
    pytest.fail("no request came in time")


# -- the cap -------------------------------------------------------------------------------


@pytest.mark.parametrize("begun", [b"", b"POST /mcp", head(1, 1000) + b"{"])
async def test_the_oldest_waiting_connections_make_room(
    live: LiveServer, monkeypatch: pytest.MonkeyPatch, begun: bytes
) -> None:
    monkeypatch.setattr(connections, "YOUNG_S", 0)
    begun = begun.replace(b"127.0.0.1:1\r", f"127.0.0.1:{live.port}\r".encode())
    async with AsyncExitStack() as stack:

        async def opened() -> RawConnection:
            connection = await stack.enter_async_context(RawConnection(live.port))
            await connection.send(begun)
            return connection

        crowd = [await opened() for _ in range(connections.MAX_CONNECTIONS)]
        mine = await stack.enter_async_context(RawConnection(live.port))
        await served(mine)
        assert await crowd[0].ended() == b""
        assert sum(each.reader.at_eof() for each in crowd[2:]) == 0


async def test_who_was_served_before_goes_last(
    live: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "YOUNG_S", 0)
    monkeypatch.setattr(connections, "MAX_CONNECTIONS", 4)
    async with AsyncExitStack() as stack:
        mine = await stack.enter_async_context(RawConnection(live.port))
        await served(mine)
        crowd = [await stack.enter_async_context(RawConnection(live.port)) for _ in range(8)]
        await live.logged("connection_dropped", times=5)
        assert await crowd[0].ended() == b""
        await served(mine)


async def test_who_was_served_stays_while_there_are_newcomers(
    live: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long it has been silent, and however young they are."""
    monkeypatch.setattr(connections, "MAX_CONNECTIONS", 4)
    monkeypatch.setattr(connections, "MAX_BUSY_CONNECTIONS", 8)
    monkeypatch.setattr(connections, "YOUNG_S", 0)
    async with AsyncExitStack() as stack:
        mine = await stack.enter_async_context(RawConnection(live.port))
        await served(mine)
        await served(mine)
        monkeypatch.setattr(connections, "YOUNG_S", 1e9)
        for each in live.server.server_state.connections:
            assert isinstance(each, connections.BoundedHttp)
            each._waiting._served[-1] = (-2e9, each)
            each.waits_since = -2e9
        for _ in range(12):
            await stack.enter_async_context(RawConnection(live.port))
        await live.logged("connection_dropped", times=5)
        await served(mine)


async def test_an_editor_is_no_connection_that_waits(
    live: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "YOUNG_S", 0)
    monkeypatch.setattr(connections, "MAX_CONNECTIONS", 4)
    editor = await live.editor().connect()
    async with AsyncExitStack() as stack:
        for _ in range(8):
            await stack.enter_async_context(RawConnection(live.port))
        await live.logged("connection_dropped", times=4)
        async with live.client() as client:
            assert not (await client.call_tool("read_console")).is_error
    assert not editor.closed.is_set()


async def test_the_young_stay_while_there_is_room_for_them(
    live: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "YOUNG_S", 1e9)
    monkeypatch.setattr(connections, "MAX_CONNECTIONS", 4)
    monkeypatch.setattr(connections, "MAX_BUSY_CONNECTIONS", 8)
    async with AsyncExitStack() as stack:
        crowd = [await stack.enter_async_context(RawConnection(live.port)) for _ in range(9)]
        assert await crowd[0].ended() == b""
        for each in crowd[1:]:
            await served(each)


async def test_what_is_at_work_is_not_dropped(
    live: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "YOUNG_S", 0)
    async with AsyncExitStack() as stack:
        at_work = await stack.enter_async_context(RawConnection(live.port))
        await at_work.post(request("tools/call", 1, name="read_console"))
        assert await at_work.status() == 200
        for _ in range(connections.MAX_CONNECTIONS + 10):
            await stack.enter_async_context(RawConnection(live.port))
        await live.logged("connection_dropped")
        await live.editor().connect()
        await at_work.reader.readuntil(b'"id":1')


async def test_held_bodies_are_bounded_together(
    live: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_bodies, "MAX_HELD_BYTES", 1_000_000)
    async with AsyncExitStack() as stack:
        held = []
        for _ in range(8):
            connection = await stack.enter_async_context(RawConnection(live.port))
            await connection.send(head(live.port, MAX_BODY_BYTES) + b" " * 300_000)
            held.append(connection)
        assert await held[0].status() == 503
        assert await held[1].status() == 503
        mine = await stack.enter_async_context(RawConnection(live.port))
        await mine.post(b" " * 900_000 + PING)
        assert await mine.status() == 200


# -- refusals are heard --------------------------------------------------------------------


CHUNK = b"10000\r\n" + b" " * 0x10000 + b"\r\n"


@pytest.mark.parametrize("is_chunked", [False, True])
async def test_413_is_heard_by_a_client_that_sends_all_first(
    live: LiveServer, is_chunked: bool
) -> None:
    async with RawConnection(live.port) as connection:
        if is_chunked:
            await connection.send(head(live.port, None))
            for _ in range(2 * MAX_BODY_BYTES // 0x10000):
                await connection.send(CHUNK)
            await connection.send(b"0\r\n\r\n")
        else:
            await connection.post(b" " * (5 * MAX_BODY_BYTES))  # back once the server has read it
        status, _, text = await connection.answer()
        assert (status, b"at most" in text) == (413, True)


async def test_401_is_heard_with_a_large_body() -> None:
    async with LiveServer(token="secret") as live, RawConnection(live.port) as connection:
        await connection.post(b" " * MAX_BODY_BYTES)
        assert await connection.status() == 401


# -- /unity --------------------------------------------------------------------------------


class _Chatterbox:
    """A WebSocket on which there is always something to be read, without any waiting."""

    headers: dict[str, str] = {}  # noqa: RUF012

    def __init__(self) -> None:
        self.read = 0
        self.closed: list[int] = []

    async def accept(self) -> None:
        pass

    async def receive(self) -> dict[str, object]:
        self.read += 1
        text = f'{{"type": "editor_status", "state": "ready", "seq": {self.read}}}'
        if self.read == 1:
            text = '{"type": "hello", "plugin_version": "1", "state": "ready"}'
        return {"type": "websocket.receive", "text": text}

    async def send_text(self, text: str) -> None:
        pass

    async def close(self, code: int = 1000, reason: str = "") -> None:
        self.closed.append(code)


async def test_receiving_gives_others_their_turn_and_ends() -> None:
    link = WebSocketLink(server_version="1", tools=[], log_event=lambda *_, **__: None)
    socket = _Chatterbox()
    turns = 0

    async def somebody_else() -> None:
        nonlocal turns
        while not socket.closed:
            turns += 1
            await asyncio.sleep(0)

    chattering: WebSocket = socket  # type: ignore[assignment]
    await asyncio.gather(link.serve(chattering), somebody_else())
    assert socket.closed == [1002]
    assert socket.read <= MAX_UNASKED_FRAMES + MAX_GARBAGE + 1
    assert turns >= socket.read
    await link.close()


async def test_a_flood_of_frames_ends_the_connection_and_nobody_elses(live: LiveServer) -> None:
    editor = await live.editor().connect()
    async with connect(live.unity_url, compression=None) as attacker:
        with suppress(ConnectionClosed):
            for _ in range(20_000):
                await attacker.send("x")
        await asyncio.wait_for(attacker.wait_closed(), PATIENCE_S)
    await live.logged("unity_bad_frame", times=MAX_GARBAGE)
    async with live.client() as client:
        assert not (await client.call_tool("read_console")).is_error
    assert editor.count("execute") == 1


async def test_connections_that_say_nothing_on_unity_are_few(live: LiveServer) -> None:
    async with AsyncExitStack() as stack:
        silent = [
            await stack.enter_async_context(connect(live.unity_url, compression=None))
            for _ in range(MAX_PENDING + 1)
        ]
        await asyncio.wait_for(silent[0].wait_closed(), PATIENCE_S)
        assert silent[0].close_code == 1008
        assert silent[1].close_code is None
        await live.editor().connect()


async def test_leases_are_bounded(live: LiveServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_status, "MAX_LEASES", 3)
    async with AsyncExitStack() as stack:
        leases = []
        for _ in range(4):
            connection = await stack.enter_async_context(RawConnection(live.port))
            await connection.send(head(live.port, 2, "/lease") + b"{}")
            assert await connection.status() == 200
            leases.append(connection)
        await asyncio.wait_for(leases[0].reader.readuntil(b"\r\n0\r\n\r\n"), PATIENCE_S)
        assert not leases[1].reader.at_eof()
        async with httpx2.AsyncClient(trust_env=False) as http:
            status = await http.get(f"http://127.0.0.1:{live.port}{STATUS_PATH}")
        assert status.json()["clients"] == 3


@pytest.mark.parametrize("kind", ["ping", "fragment"])
async def test_a_flood_of_control_frames_ends_the_connection(
    live: LiveServer, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(connections, "MAX_CONTROL_FRAMES", 50)
    masked = b"\x80\x00\x00\x00\x00"
    frame = {"ping": b"\x89" + masked, "fragment": b"\x00" + masked}[kind]
    async with RawConnection(live.port) as connection:
        upgrade = (
            f"GET /unity HTTP/1.1\r\nHost: 127.0.0.1:{live.port}\r\nConnection: Upgrade\r\n"
            "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        )
        await connection.send(upgrade.encode())
        await connection.reader.readuntil(b"\r\n\r\n")
        await connection.send((b"\x01" + masked if kind == "fragment" else b"") + frame * 60)
        await connection.ended()
    await live.logged("unity_control_flood")
