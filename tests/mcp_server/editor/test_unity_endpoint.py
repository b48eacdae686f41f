"""/unity over real WebSockets: who gets in, who is thrown out, and what survives it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest
from call_results import code_and_guarantee, error, result, succeeded
from fake_editor import FakeEditor
from live_server import HeldClock, LiveServer
from mcp import Client
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from mcp_server.contract.catalog import CATALOG
from unity_bridge.plugin.session_hello import SECOND_EDITOR

pytestmark = pytest.mark.anyio


@pytest.fixture
async def beating(clock: HeldClock) -> AsyncIterator[LiveServer]:
    """A server with its real heartbeat."""
    async with LiveServer(clock=clock) as server:
        yield server


async def test_mcp_and_unity_share_one_port(
    live: LiveServer, editor: FakeEditor, client: Client
) -> None:
    assert len((await client.list_tools()).tools) == len(CATALOG)
    await succeeded(client, "read_console")
    assert editor.url.split("/")[2] == live.url.split("/")[2]


async def test_the_capability_message_lists_unitys_tools(editor: FakeEditor) -> None:
    (capability,) = (frame for frame in editor.got if frame["type"] == "capability")
    assert {tool["name"]: tool["execution_mode"] for tool in capability["tools"]} == {
        "read_console": "sync",
        "compile": "job",
        "run_tests": "job",
        "get_play_mode_state": "sync",
        "control_play_mode": "sync",
    }
    (run_tests,) = (tool for tool in capability["tools"] if tool["name"] == "run_tests")
    assert run_tests == {
        "name": "run_tests",
        "execution_mode": "job",
        "supports_cancel": True,
        "default_timeout_ms": 300_000,
        "max_timeout_ms": 1_800_000,
        "requires_client_request_id": False,
        "execution_error_retryable": False,
    }


async def test_a_second_editor_is_rejected_and_the_first_undisturbed(
    live: LiveServer, client: Client
) -> None:
    first = await live.editor(held=True).connect()
    call = asyncio.create_task(client.call_tool("read_console"))
    frame = await first.received("execute")
    second = live.editor()
    await second.open()
    await second.introduce()
    refused = await second.received("error")
    assert refused["error"] == {"code": "ERR_INVALID_REQUEST", "message": SECOND_EDITOR}
    await asyncio.wait_for(second.closed.wait(), 20)
    assert second.close_code == 1008
    await first.answer(frame)
    result(await call, "read_console")
    await first.close()
    await live.logged("editor_state", connected=False)
    await second.connect()
    assert (await succeeded(client, "get_editor_state"))["connected"]


async def test_sequence_numbers_start_over_on_every_connection(
    live: LiveServer, editor: FakeEditor
) -> None:
    for state in ("compiling", "ready", "compiling"):
        await editor.enter(state)
    await live.logged("editor_state", seq=3)
    await editor.say("editor_status", state="ready", seq=2)
    await live.logged("unity_status_out_of_order", seq=2)
    await editor.reload()
    await live.logged("editor_state", connected=False)
    await editor.connect()
    await editor.enter("compiling")
    assert editor.seq == 1
    await live.logged("editor_state", state="compiling", seq=1, times=2)


async def test_a_living_editor_answers_pings(beating: LiveServer, clock: HeldClock) -> None:
    editor = await beating.editor().connect()
    for beat in range(1, 5):
        clock.advance(3_000)
        await editor.received("ping")
        # A frame that comes after the pong: once it is logged, the pong was read.
        await editor.enter("compiling" if beat % 2 else "ready")
        await beating.logged("editor_state", seq=beat)
    assert not editor.closed.is_set()


async def test_a_frozen_editor_is_given_up(beating: LiveServer, clock: HeldClock) -> None:
    editor = await beating.editor(frozen=True).connect()
    async with beating.client() as client:
        call = asyncio.create_task(client.call_tool("read_console"))
        await editor.received("execute")
        clock.advance(3_000)
        await editor.received("ping")
        clock.advance(4_499)
        assert not editor.closed.is_set()
        clock.advance(1)
        await asyncio.wait_for(editor.closed.wait(), 20)
        await beating.logged("unity_connection_stale")
        clock.advance(2_500)
        assert code_and_guarantee(await call) == ("ERR_RECONNECT_TIMEOUT", "unknown")
        editor.frozen = False
        await editor.connect()
        await succeeded(client, "read_console")


async def test_an_editor_that_hangs_in_its_reload_has_the_whole_grace(
    beating: LiveServer, clock: HeldClock
) -> None:
    editor = await beating.editor().connect()
    await editor.enter("reloading")
    editor.frozen = True
    await beating.logged("editor_state", state="reloading")
    async with beating.client() as client:
        call = asyncio.create_task(client.call_tool("read_console", {"timeout_ms": 30_000}))
        await beating.logged("request_state", state="waiting_editor_ready")
        clock.advance(20_000)
        await beating.logged("unity_connection_stale")
        assert not call.done()
        editor.frozen = False
        await editor.connect()
        result(await call, "read_console")


UNREADABLE = {
    "too large": (json.dumps("x" * 1_048_576), "1048"),
    "nested too deeply": ("[" * 5_000 + "]" * 5_000, "nesting"),
    "nested deeper than clients read": ("[" * 300 + "]" * 300, "nesting"),
    "a number without an end": ("1" * 100_000, "digits"),
    "cut in the middle": ("[", "not JSON"),
}


@pytest.mark.parametrize("what", UNREADABLE)
async def test_an_answer_that_can_not_be_read(live: LiveServer, what: str, client: Client) -> None:
    """The clock stands still: that its time is over is not what ends the call."""
    told, problem = UNREADABLE[what]
    editor = await live.editor(held=True).connect()
    call = asyncio.create_task(client.call_tool("read_console"))
    frame = await editor.received("execute")
    named = f'{{"type": "result", "request_id": "{frame["request_id"]}", "status": "error"'
    await editor.say_raw(f'{named}, "result": {{"code": "X", "details": {{"a": {told}}}}}}}')
    called = await call
    assert code_and_guarantee(called) == ("ERR_INVALID_RESPONSE", "unknown")
    assert problem in error(called)["details"]["actual"]
    editor.held = False
    await succeeded(client, "read_console")


async def test_an_answer_too_large_to_be_looked_at(silent: FakeEditor, client: Client) -> None:
    call = asyncio.create_task(client.call_tool("read_console"))
    await silent.received("execute")
    with suppress(ConnectionClosed):  # the server may close before all of it is sent
        await silent.say_raw("x" * (17 * 1024 * 1024))
    await asyncio.wait_for(silent.closed.wait(), 20)
    called = await call
    assert code_and_guarantee(called) == ("ERR_INVALID_RESPONSE", "unknown")
    silent.held = False
    await silent.connect()
    await succeeded(client, "read_console")


async def test_a_call_too_large_to_be_sent(editor: FakeEditor, client: Client) -> None:
    called = await client.call_tool("read_console", {"since": "x" * 1_048_576})
    assert code_and_guarantee(called) == ("ERR_INVALID_REQUEST", "not_executed")
    assert editor.count("execute") == 0


async def test_a_text_that_is_none_ends_the_connection_in_a_line_of_the_log(
    live: LiveServer, caplog: pytest.LogCaptureFixture
) -> None:
    async with connect(live.unity_url) as editor:
        await editor.send(b'{"type": "\xff"}', text=True)
        with pytest.raises(ConnectionClosed) as closed:
            await asyncio.wait_for(editor.recv(), 20)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1007
    logged = await live.logged("unity_bad_text")
    assert "byte 10" in logged["reason"]
    assert [each for each in caplog.records if each.exc_info] == []
    await live.editor().connect()


@pytest.mark.parametrize("origin", ["http://evil.example", "http://127.0.0.1:48091", "null"])
async def test_any_origin_is_refused_before_the_upgrade(live: LiveServer, origin: str) -> None:
    with pytest.raises(InvalidStatus) as refused:
        await connect(live.unity_url, additional_headers={"Origin": origin})
    assert refused.value.response.status_code == 403
    assert [name for name, _ in live.log if name == "unity_connection_opened"] == []


async def test_a_foreign_host_is_refused(live: LiveServer) -> None:
    with pytest.raises(InvalidStatus) as refused:
        await connect(f"ws://evil.example:{live.port}/unity", host="127.0.0.1", port=live.port)
    assert refused.value.response.status_code == 403


async def test_the_token_is_asked_for(clock: HeldClock) -> None:
    async with LiveServer(clock=clock, token="secret") as live:
        with pytest.raises(InvalidStatus):
            await connect(live.unity_url)
        await live.editor(headers={"Authorization": "Bearer secret"}).connect()
