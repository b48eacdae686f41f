"""A call whose outcome is unknown, made again under the same ``client_request_id``, acts once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from call_results import code_and_guarantee, error, result, succeeded
from fake_editor import FakeEditor
from live_server import HeldClock, LiveServer
from mcp import Client

pytestmark = pytest.mark.anyio

LOST = ("ERR_RECONNECT_TIMEOUT", "unknown")
DUPLICATE = ("ERR_DUPLICATE_REQUEST", "not_executed")
TESTS = ("run_tests", {"client_request_id": "mine"})
PLAY = ("control_play_mode", {"action": "start", "client_request_id": "mine"})


async def lost(
    editor: FakeEditor,
    client: Client,
    call: tuple[str, dict[str, Any]],
    *,
    executed: bool = True,
    **hello: Any,
) -> None:
    """Make a call whose answer a reload takes along; the plugin comes back, as it says."""
    editor.held = True
    calling = asyncio.create_task(client.call_tool(*call))
    kind = "submit_job" if call is TESTS else "execute"
    frame = await editor.received(kind)
    assert frame["client_request_id"] == "mine"
    if executed:
        before = len(editor.got)
        editor.muted = True
        await (editor.accept if call is TESTS else editor.answer)(frame)
        editor.muted = False
        assert len(editor.got) == before
    await editor.reload()
    editor.held = False
    await editor.connect(plugin_session_id="after", **hello)
    assert code_and_guarantee(await calling) == LOST


@pytest.fixture
async def editor(live: LiveServer) -> FakeEditor:
    """An Editor that remembers."""
    return await live.editor(memory_id="m1").connect(plugin_session_id="before")


async def test_a_job_is_submitted_once(client: Client, editor: FakeEditor) -> None:
    await lost(editor, client, TESTS)
    (job_id,) = editor.jobs
    again = result(await client.call_tool(*TESTS), "run_tests")
    assert again["job_id"] == job_id
    assert len(editor.executed) == 1
    replayed = result(await client.call_tool(*TESTS), "run_tests")
    assert (replayed["job_id"], replayed["replayed"]) == (job_id, True)
    assert editor.count("submit_job") == 2


async def test_a_job_that_was_announced_meanwhile_is_the_calls_own(
    client: Client, editor: FakeEditor
) -> None:
    await lost(editor, client, TESTS)
    (job,) = editor.jobs.values()
    job.finish()
    await editor.announce(job)
    await editor.received("job_confirmed")
    again = result(await client.call_tool(*TESTS), "run_tests")
    assert again["job_id"] == job.job_id
    told = await client.call_tool("get_job_status", {"job_id": job.job_id})
    assert result(told, "get_job_status")["state"] == "succeeded"


async def test_play_mode_is_entered_once(client: Client, editor: FakeEditor) -> None:
    await lost(editor, client, PLAY)
    editor.playing = False  # somebody has left it since
    assert result(await client.call_tool(*PLAY), "control_play_mode")["is_playing"] is True
    assert (editor.playing, len(editor.executed)) == (False, 1)


async def test_what_was_never_executed_is_executed_then(client: Client, editor: FakeEditor) -> None:
    await lost(editor, client, PLAY, executed=False)
    result(await client.call_tool(*PLAY), "control_play_mode")
    assert (editor.playing, len(editor.executed)) == (True, 1)


async def test_an_editor_that_lost_its_memory_is_not_asked(
    client: Client, editor: FakeEditor
) -> None:
    await lost(editor, client, PLAY, request_memory_id="m2")
    called = await client.call_tool(*PLAY)
    assert code_and_guarantee(called) == DUPLICATE
    assert "lost its memory" in error(called)["message"]
    assert editor.count("execute") == 1
    # Nor later, when the one with the memory is back.
    await editor.reload()
    await editor.connect(plugin_session_id="later")
    result(await client.call_tool(*PLAY), "control_play_mode")
    assert len(editor.executed) == 1


async def test_a_plugin_that_remembers_nothing_gets_nothing_twice(
    live: LiveServer, client: Client
) -> None:
    editor = await live.editor().connect(plugin_session_id="before")
    await lost(editor, client, PLAY)
    called = await client.call_tool(*PLAY)
    assert code_and_guarantee(called) == DUPLICATE
    assert "Check its state" in error(called)["message"]
    assert editor.count("execute") == 1
    other = await client.call_tool(PLAY[0], {**PLAY[1], "client_request_id": "other"})
    result(other, "control_play_mode")


async def test_a_retry_that_could_not_be_sent_may_be_made_again(
    live: LiveServer, clock: HeldClock, editor: FakeEditor, client: Client
) -> None:
    await lost(editor, client, PLAY)
    await editor.close()
    await live.logged("editor_state", connected=False, times=2)
    retry = asyncio.create_task(client.call_tool(*PLAY))
    await live.logged("request_state", state="waiting_editor_ready")
    assert code_and_guarantee(await client.call_tool(*PLAY)) == DUPLICATE
    clock.advance(10_000)
    assert code_and_guarantee(await retry) == ("ERR_COMPILE_TIMEOUT", "not_executed")
    await editor.connect()
    result(await client.call_tool(*PLAY), "control_play_mode")
    assert len(editor.executed) == 1


async def test_no_answer_in_time_is_asked_for_again(
    live: LiveServer, clock: HeldClock, editor: FakeEditor, client: Client
) -> None:
    editor.held = True
    call = asyncio.create_task(client.call_tool(*PLAY))
    frame = await editor.received("execute")
    clock.advance(10_000)
    assert code_and_guarantee(await call) == ("ERR_REQUEST_TIMEOUT", "unknown")
    await editor.answer(frame)  # too late
    await live.logged("unity_late_answer")
    editor.held = False
    result(await client.call_tool(*PLAY), "control_play_mode")
    assert len(editor.executed) == 1


async def test_cancelling_again_is_always_possible(
    editor: FakeEditor, client: Client, clock: HeldClock
) -> None:
    job_id = (await succeeded(client, "run_tests"))["job_id"]
    editor.held = True
    arguments = {"job_id": job_id, "client_request_id": "mine"}
    call = asyncio.create_task(client.call_tool("cancel_job", arguments))
    await editor.received("cancel")
    clock.advance(900)
    await editor.reload()
    editor.held = False
    await editor.connect()
    clock.advance(2_500)
    assert code_and_guarantee(await call) == LOST
    again = await succeeded(client, "cancel_job", **arguments)
    assert again["status"] == "cancelled"
