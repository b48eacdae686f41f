"""Whoever has got at the Editor's port and means ill: slow, endless, lying, changing; bounded."""

from __future__ import annotations

import asyncio
import gzip
import itertools
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from call_results import code_and_guarantee, error, result
from live_server import LiveServer
from pipeline_editor.commands import listing
from pipeline_editor.dialects import Dialect
from pipeline_editor.process import reserve_port

from mcp_server.host.config import EditorRoad
from unity_bridge.pipeline.http_client import MAX_ANSWER_BYTES
from unity_bridge.timing import Pace

pytestmark = pytest.mark.anyio

Json = dict[str, Any]
Answer: TypeAlias = Callable[["Listener", asyncio.StreamWriter], Awaitable[None]]
MIB = 1024 * 1024
TOKEN = "a-token-that-nobody-else-may-see"


class Listener:
    """This very process as an Editor: what it answers to each path is up to the test."""

    def __init__(self, project: Path) -> None:
        self.project = project
        self.path = project / "Library" / "Pipeline" / ".unity-pipeline-port"
        self.answers: dict[str, Answer] = {}
        self.asked: list[str] = []
        self.sent = 0
        """Bytes that somebody took."""
        self.left = asyncio.Event()
        """Somebody has hung up in the middle of an answer."""

    async def __aenter__(self) -> Listener:
        self._reserved = reserve_port()
        self.port = self._reserved.number
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.touch(0o600)
        document = {
            "port": self.port,
            "evalToken": TOKEN,
            "pid": os.getpid(),
            "projectPath": str(self.project),
            "startedAt": datetime.now(UTC).isoformat(),
        }
        self.path.write_text(json.dumps(document))
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        self._reserved.give_back()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            path = head.split()[1].partition("?")[0]
            self.asked.append(path)
            await self.answers.get(path, _honestly(path))(self, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            self.left.set()
        finally:
            writer.close()

    async def send(self, writer: asyncio.StreamWriter, data: bytes) -> None:
        writer.write(data)
        await writer.drain()
        self.sent += len(data)

    def status(self, **more: Any) -> Json:
        ready = {"status": "ready", "playMode": "stopped", "projectPath": str(self.project)}
        return {**ready, **more}


def _honestly(path: str) -> Answer:
    async def answer(listener: Listener, writer: asyncio.StreamWriter) -> None:
        documents = {
            "/api/editor_status": listener.status(),
            "/api/commands": listing(Dialect.V1_0),
            "/api/exec": {"success": True, "result": {"entries": [], "cursor": 0, "session": "s"}},
        }
        await _whole(200, documents[path])(listener, writer)

    return answer


def _whole(status: int, document: Any, *headers: str) -> Answer:
    async def answer(listener: Listener, writer: asyncio.StreamWriter) -> None:
        body = document if isinstance(document, bytes) else json.dumps(document).encode()
        lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}", *headers, "", ""]
        await listener.send(writer, "\r\n".join(lines).encode() + body)

    return answer


def _endlessly(begin: bytes, again: bytes, pause_s: float = 0.0) -> Answer:
    """Send ``begin``, and then ``again`` and again, until nobody takes it."""

    async def answer(listener: Listener, writer: asyncio.StreamWriter) -> None:
        await listener.send(writer, begin)
        while not writer.is_closing():
            await listener.send(writer, again)
            await asyncio.sleep(pause_s)
        raise ConnectionResetError

    return answer


OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
CHUNK = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
PACKED = gzip.compress(b'{"success": true, "result": {"entries": []}}' + b" " * 4 * MIB)

ENDLESS: dict[str, tuple[Answer, str]] = {
    "a head, byte by byte": (_endlessly(OK + b"X: ", b"x", 0.02), "ERR_REQUEST_TIMEOUT"),
    "a body, byte by byte": (
        _endlessly(OK + b"Content-Length: 999999999\r\n\r\n", b" ", 0.02),
        "ERR_REQUEST_TIMEOUT",
    ),
    "a body without an end": (_endlessly(CHUNKED, CHUNK), "ERR_INVALID_RESPONSE"),
    "a body of a gigabyte": (
        _endlessly(OK + b"Content-Length: 1073741824\r\n\r\n", b"x" * 0x10000),
        "ERR_INVALID_RESPONSE",
    ),
}


@pytest.fixture
async def listener(project: Path) -> AsyncIterator[Listener]:
    async with Listener(project) as listening:
        yield listening


@pytest.fixture
async def live(project: Path, pace: Pace, listener: Listener) -> AsyncIterator[LiveServer]:
    """A server that takes :class:`Listener` for the Editor."""
    async with LiveServer(project=project, editor=EditorRoad.PIPELINE, pace=pace) as server:
        await server.logged("editor_state", state="ready", connected=True)
        yield server


async def read(live: LiveServer, timeout_ms: int = 20_000) -> Any:
    async with live.client() as client:
        return await client.call_tool("read_console", {"timeout_ms": timeout_ms})


@pytest.mark.parametrize("what", ENDLESS)
async def test_an_answer_without_an_end(live: LiveServer, listener: Listener, what: str) -> None:
    answer, code = ENDLESS[what]
    listener.answers["/api/exec"] = answer
    told = await read(live, 1_000 if code == "ERR_REQUEST_TIMEOUT" else 20_000)
    assert code_and_guarantee(told) == (code, "unknown")
    await asyncio.wait_for(listener.left.wait(), 20)
    assert listener.sent < 4 * MAX_ANSWER_BYTES
    listener.answers.clear()
    assert result(await read(live), "read_console")["entries"] == []


async def test_a_head_without_an_end(live: LiveServer, listener: Listener) -> None:
    listener.answers["/api/exec"] = _endlessly(OK, b"X-Y: " + b"x" * 1_000 + b"\r\n")
    assert (await read(live, 3_000)).is_error
    await asyncio.wait_for(listener.left.wait(), 20)
    assert listener.sent < 64 * MIB


DEEP = "[" * 300 + "]" * 300
UNREADABLE: dict[str, Answer] = {
    # Nobody has asked for one that is packed, so it isn't unpacked.
    "a body that grows when it is unpacked": _whole(200, PACKED, "Content-Encoding: gzip"),
    "a failure, nested deeper than clients read": _whole(
        200, f'{{"success": false, "error": "x", "result": {{"a": {DEEP}}}}}'.encode()
    ),
    "a result, nested deeper than anybody reads": _whole(
        200, f'{{"success": true, "result": {"[" * 5_000 + "]" * 5_000}}}'.encode()
    ),
    "a number without an end": _whole(
        200, f'{{"success": true, "result": {{"cursor": {"1" * 100_000}}}}}'.encode()
    ),
}


async def test_an_answer_that_can_not_be_read(live: LiveServer, listener: Listener) -> None:
    async with live.client() as client:
        for what, answer in UNREADABLE.items():
            listener.answers["/api/exec"] = answer
            told = await client.call_tool("read_console")
            assert code_and_guarantee(told) == ("ERR_INVALID_RESPONSE", "unknown"), what


async def test_half_a_character_is_none(live: LiveServer, listener: Listener) -> None:
    said = {"success": False, "error": "cut \ud83d", "result": {"\ud800": "\udc00"}}
    listener.answers["/api/exec"] = _whole(200, said)
    failed = await read(live)
    assert code_and_guarantee(failed) == ("ERR_UNITY_EXECUTION", "completed_error")
    assert error(failed)["details"]["plugin_message"] == "cut ?"


@pytest.mark.parametrize("path", ["/api/exec", "/api/editor_status"])
async def test_the_token_goes_nowhere_else(live: LiveServer, listener: Listener, path: str) -> None:
    came: list[bytes] = []

    async def hear(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        came.append(await reader.read(65536))
        writer.close()

    elsewhere = await asyncio.start_server(hear, "127.0.0.1", 0)
    port = elsewhere.sockets[0].getsockname()[1]
    where = f"Location: http://127.0.0.1:{port}{path}"
    async with elsewhere:
        for number, status in enumerate((301, 302, 303, 307, 308), 1):
            listener.answers[path] = _whole(status, b"", where, "Set-Cookie: a=b")
            if path == "/api/exec":
                assert code_and_guarantee(await read(live)) == ("ERR_INVALID_RESPONSE", "unknown")
                continue
            await live.logged("editor_state", connected=False, times=number)
            del listener.answers[path]
            await live.logged("pipeline_connected", times=number + 1)
    assert came == []


async def test_who_never_takes_its_own_token(live: LiveServer, listener: Listener) -> None:
    listener.answers["/api/exec"] = _whole(401, {})
    told = await read(live)
    assert code_and_guarantee(told) == ("ERR_UNITY_DISCONNECTED", "not_executed")
    tries = listener.asked.count("/api/exec")
    assert tries > 1, "the descriptor may have had a new one"
    async with live.client() as client:
        result(await client.call_tool("get_editor_state"), "get_editor_state")
    assert listener.asked.count("/api/exec") == tries, "and once it is told, that was it"


async def test_who_takes_no_token_for_its_state(live: LiveServer, listener: Listener) -> None:
    """The descriptor is read again at once, and then not before the next look."""
    listener.answers["/api/editor_status"] = _whole(401, {})
    await live.logged("editor_state", connected=False)
    assert listener.asked.count("/api/exec") == 0
    del listener.answers["/api/editor_status"]
    await live.logged("pipeline_connected", times=2)


async def test_who_becomes_another_project_s(
    live: LiveServer, listener: Listener, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    changed = _whole(200, listener.status(projectPath=str(other)))
    listener.answers["/api/editor_status"] = changed
    await live.logged("editor_state", connected=False)
    asked = listener.asked.count("/api/exec")
    told = await read(live, 300)
    assert told.is_error
    assert listener.asked.count("/api/exec") == asked


WORDS: tuple[Any, ...] = (None, True, 7, -1e308, "x", [], {}, [[]], {"a": {}}, "\ud800")


@pytest.mark.parametrize(
    "path", ["/api/editor_status", "/api/commands", "/api/exec"], ids=["status", "commands", "exec"]
)
async def test_words_of_every_kind_in_every_place(
    live: LiveServer, listener: Listener, path: str
) -> None:
    """Whatever it says, each call has an answer, and no more is logged as a failure of ours."""
    honest = {
        "/api/editor_status": listener.status(dialog={"title": "t", "message": "m", "buttons": []}),
        "/api/commands": listing(Dialect.V1_0),
        "/api/exec": {"success": True, "result": {"entries": [{"seq": 1}], "cursor": 0}},
    }[path]
    said = [{**honest, name: word} for name, word in itertools.product(honest, WORDS)]
    async with live.client() as client:
        for document in (*said, *WORDS):
            listener.answers[path] = _whole(200, document)
            called = await client.call_tool("read_console", {"timeout_ms": 100})
            if called.is_error:
                code_and_guarantee(called)
    listener.answers.clear()
    async with asyncio.timeout(20):
        while (await read(live, 5_000)).is_error:
            pass
    failures = ("pipeline_look_failed", "pipeline_command_failed")
    with suppress(StopIteration):
        raise AssertionError(next(each for each in live.log if each[0] in failures))
