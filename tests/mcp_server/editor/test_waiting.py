"""Waiting for the Editor, over real sockets: success, time-out, cancel, order, loss."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

import pytest
from call_results import code_and_guarantee, error, result, succeeded
from fake_editor import FakeEditor
from live_server import HeldClock, LiveServer
from mcp import Client, types

pytestmark = pytest.mark.anyio

Calling = asyncio.Task[types.CallToolResult]


async def waiting(
    live: LiveServer, client: Client, tool: str = "read_console", n: int = 1, **arguments: Any
) -> Calling:
    """A call that has begun to wait for the Editor, as the ``n``-th of its test."""
    call = asyncio.create_task(client.call_tool(tool, arguments))
    await live.logged("request_state", state="waiting_editor_ready", times=n)
    return call


async def give_up(call: Calling) -> None:
    """What a client does that no longer wants its answer."""
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call


async def test_no_editor_within_the_window(
    live: LiveServer, clock: HeldClock, client: Client
) -> None:
    calls = [await waiting(live, client), await waiting(live, client, "run_tests", n=2)]
    clock.advance(2_499)
    assert not any(call.done() for call in calls)
    clock.advance(1)
    for call in calls:
        called = await call
        assert code_and_guarantee(called) == ("ERR_EDITOR_NOT_READY", "not_executed")
        assert error(called)["retryable"] is True
        assert "job_id" not in str(called.structured_content)


async def test_an_editor_that_arrives_in_time_serves_in_order(
    live: LiveServer, clock: HeldClock, client: Client
) -> None:
    calls = [
        await waiting(live, client, n=n, max_entries=n, timeout_ms=30_000) for n in range(1, 6)
    ]
    clock.advance(2_400)
    editor = await live.editor().connect()
    for call in calls:
        result(await call, "read_console")
    asked = [f["params"]["max_entries"] for f in editor.got if f["type"] == "execute"]
    assert asked == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("state", ["compiling", "reloading"])
async def test_a_busy_editor_is_waited_for(
    live: LiveServer, clock: HeldClock, state: str, client: Client
) -> None:
    editor = await live.editor().connect(state)
    call = await waiting(live, client, timeout_ms=30_000)
    clock.advance(29_000)
    assert not call.done()
    await editor.enter("ready")
    result(await call, "read_console")


async def test_a_reload_while_waiting(live: LiveServer, clock: HeldClock, client: Client) -> None:
    editor = await live.editor().connect("compiling")
    call = await waiting(live, client, timeout_ms=30_000)
    await editor.reload()
    clock.advance(20_000)
    assert not call.done()
    await editor.connect()
    result(await call, "read_console")
    assert editor.seq == 0


async def test_a_reload_while_running_and_an_answer_afterwards(
    silent: FakeEditor, client: Client, clock: HeldClock
) -> None:
    call = asyncio.create_task(client.call_tool("read_console", {"timeout_ms": 30_000}))
    frame = await silent.received("execute")
    await silent.reload()
    clock.advance(20_000)
    await silent.connect()
    await silent.answer(frame)
    result(await call, "read_console")
    assert silent.count("execute") == 1


async def test_a_submission_that_is_not_answered_holds_the_line_for_so_long_only(
    silent: FakeEditor, client: Client, clock: HeldClock
) -> None:
    call = asyncio.create_task(client.call_tool("run_tests"))
    await silent.received("submit_job")
    clock.advance(30_000)
    assert code_and_guarantee(await call) == ("ERR_REQUEST_TIMEOUT", "unknown")


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_cancel_while_waiting(live: LiveServer, mode: Literal["auto", "legacy"]) -> None:
    async with live.client(mode=mode) as client:
        await give_up(await waiting(live, client))
        ended = await live.logged("request_state", state="cancelled")
        assert ended["previous"] == "waiting_editor_ready"
        editor = await live.editor().connect()
        await succeeded(client, "get_play_mode_state")
        assert [f["tool_name"] for f in editor.got if f["type"] == "execute"] == [
            "get_play_mode_state"
        ]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_cancel_while_running_lets_it_end(
    live: LiveServer, mode: Literal["auto", "legacy"], silent: FakeEditor
) -> None:
    arguments = {"action": "start", "client_request_id": "mine"}
    async with live.client(mode=mode) as client:
        call = asyncio.create_task(client.call_tool("control_play_mode", arguments))
        frame = await silent.received("execute")
        await give_up(call)
        await live.logged("request_abandoned", client_request_id="mine")
        again = await client.call_tool("control_play_mode", arguments)
        assert code_and_guarantee(again) == ("ERR_DUPLICATE_REQUEST", "not_executed")
        await silent.answer(frame)
        await live.logged("request_state", state="succeeded")
        replayed = await succeeded(client, "control_play_mode", **arguments)
        assert replayed["replayed"] is True
        assert silent.count("execute") == 1


async def test_one_client_cannot_cancel_anothers_call(live: LiveServer) -> None:
    async with live.client(mode="legacy") as one, live.client(mode="legacy") as other:
        kept = await waiting(live, one)
        await give_up(await waiting(live, other, n=2))
        await live.logged("request_state", state="cancelled")
        await live.editor().connect()
        result(await kept, "read_console")


async def test_progress_while_waiting(live: LiveServer, clock: HeldClock, client: Client) -> None:
    heard: list[tuple[float, str | None]] = []
    told = asyncio.Event()

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, message))
        told.set()

    await live.editor().connect("compiling")
    call = asyncio.create_task(client.call_tool("read_console", progress_callback=on_progress))
    await live.logged("request_state", state="waiting_editor_ready")
    for _ in range(2):
        clock.advance(1_000)
        await asyncio.wait_for(told.wait(), 20)
        told.clear()
    clock.advance(10_000)
    await call
    assert heard[:2] == [
        (1.0, "waiting for Unity: compiling"),
        (2.0, "waiting for Unity: compiling"),
    ]


async def test_the_editor_is_told_what_is_left_of_the_callers_time(
    live: LiveServer, clock: HeldClock, client: Client
) -> None:
    """A job lives on without its caller: it is told the whole time that it may take."""
    first = await waiting(live, client, timeout_ms=30_000)
    job = await waiting(live, client, "run_tests", n=2, timeout_ms=40_000)
    clock.advance(2_000)
    editor = await live.editor(held=True).connect()
    frame = await editor.received("execute")
    clock.advance(1_000)
    await editor.answer(frame)
    submitted = await editor.received("submit_job")
    assert (frame["timeout_ms"], submitted["timeout_ms"]) == (28_000, 40_000)
    await give_up(job)
    await first
