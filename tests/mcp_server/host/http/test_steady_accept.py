"""Clients that hang up before they are let in: nobody else notices. docs/design/systems.md."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import socket
import struct
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from raw_http import RawConnection, request
from running_server import TERMINATED, RunningServer, edit

from mcp_server.calls.server.server_status import ServerStatus, ask_status
from mcp_server.host.http import steady_accept
from mcp_server.host.http.steady_accept import ExceptionHandler, accept_steadily, new_event_loop

if sys.platform == "linux":
    import resource

RESET = OSError(10057, "not connected")
"""What Windows says of a connection that its client has reset: WSAENOTCONN."""


class Listener:
    """A listening socket on which the first connections can't be accepted."""

    def __init__(self, failures: int) -> None:
        self.left = failures
        self.asked = 0
        self.open = True

    def fileno(self) -> int:
        return 5 if self.open else -1

    def accept(self, listener: object) -> asyncio.Future[str]:
        assert listener is self
        self.asked += 1
        future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        if self.asked <= self.left:
            future.set_exception(RESET)
        else:
            future.set_result("a connection")
        return future


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steady_accept, "_PAUSE_S", 0)


@pytest.mark.anyio
async def test_the_next_that_can_be_accepted_is() -> None:
    listener = Listener(failures=3)
    assert await accept_steadily(listener.accept, listener) == "a connection"
    assert listener.asked == 4


@pytest.mark.anyio
async def test_a_closed_listener_is_the_end() -> None:
    listener = Listener(failures=3)
    listener.open = False
    with pytest.raises(OSError, match="not connected"):
        await accept_steadily(listener.accept, listener)


@pytest.mark.anyio
async def test_who_stops_to_listen_stops_accepting() -> None:
    pending: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    task = asyncio.ensure_future(accept_steadily(lambda _: pending, Listener(0)))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert pending.cancelled()


def test_what_asyncio_says_of_it_is_not_logged() -> None:
    said: list[dict[str, Any]] = []

    async def accept_coro() -> None:
        raise RESET

    async def another() -> None:
        raise RESET

    async def told(coroutine: Any) -> None:
        loop = asyncio.get_running_loop()
        loop.default_exception_handler = said.append  # type: ignore[method-assign]
        task = asyncio.ensure_future(coroutine)
        await asyncio.wait([task])
        task.exception()  # or asyncio says the same once more, by itself
        ExceptionHandler()(loop, {"message": "never asked", "future": task, "exception": RESET})

    asyncio.run(told(accept_coro()))
    assert said == []
    asyncio.run(told(another()))
    assert len(said) == 1


def test_being_out_of_descriptors_is_told_once_in_a_while(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """asyncio tells of each attempt, two thousand a second."""
    loop = new_event_loop()
    time_s = 100.0
    loop.time = lambda: time_s  # type: ignore[method-assign]
    why = OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    said = {"message": "socket.accept() out of system resource", "exception": why}
    with caplog.at_level(logging.WARNING):
        for time_s in (100.0, 100.1, 159.0, 161.0):  # noqa: B007 - the loop's clock reads it
            loop.call_exception_handler(said)
    loop.close()
    told = [vars(record)["fields"] for record in caplog.records]
    assert [each["attempts"] for each in told] == [1, 3]
    assert told[0]["why"].startswith("Too many open files")


@pytest.mark.skipif(sys.platform != "linux", reason="Linux limits another process")
@pytest.mark.anyio
async def test_more_clients_than_descriptors_leave_an_edit_its_own(project: Path) -> None:
    """Sixty-four are fewer than the clients that come, and than asyncio lets in at once."""

    async def answer(mode: str) -> bytes:
        call: dict[str, Any] = {"name": "edit_snippet", "arguments": edit(mode)}
        async with RawConnection(server.port) as connection:
            await connection.post(request("tools/call", 1, **call))
            _, _, body = await connection.answer()
            return body.replace(b": ", b":")

    with RunningServer(cwd=project) as server, ExitStack() as stack:
        assert b'"status":"previewed"' in await answer("preview")  # all is loaded
        assert sys.platform == "linux"
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (64, 64))
        for _ in range(100):
            client = stack.enter_context(socket.socket())
            client.connect(("127.0.0.1", server.port))
        assert b'"status":"applied"' in await answer("apply")
        assert server.log.count("connections_wait") <= 1
        assert "Traceback" not in server.log
        assert server.stop() == TERMINATED


def test_clients_that_reset_at_once_leave_the_server_reachable(project: Path) -> None:
    at_once = struct.pack("hh" if os.name == "nt" else "ii", 1, 0)
    with RunningServer(cwd=project) as server:
        for _ in range(100):
            with socket.socket() as client:
                # Closed by a reset, not by a goodbye.
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
                client.connect(("127.0.0.1", server.port))
        assert isinstance(ask_status(server.url, None, 60), ServerStatus)
        assert "Accept failed" not in server.log
        assert "Traceback" not in server.log
