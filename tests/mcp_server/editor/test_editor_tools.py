"""The Editor's tools over MCP, as Unity answers and misanswers."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from call_results import code_and_guarantee, error, result
from live_server import HeldClock, LiveServer

pytestmark = pytest.mark.anyio

ENTRY = {"type": "error", "message": "CS0103", "stack_trace": "at A\nat B"}


async def test_editor_state_tells_the_truth(live: LiveServer, clock: HeldClock) -> None:
    editor = live.editor(hello={"project_path": "/p", "unity_version": "6000.0.1f1"})
    async with live.client() as client:

        async def state() -> dict[str, Any]:
            return result(await client.call_tool("get_editor_state"), "get_editor_state")

        assert await state() == {
            "server_state": "waiting_editor",
            "editor_state": "unknown",
            "connected": False,
            "last_editor_status_seq": 0,
            "link": "none",
            "waiting_reason": "no_editor",
        }
        await editor.connect()
        assert await state() == {
            "server_state": "ready",
            "editor_state": "ready",
            "connected": True,
            "last_editor_status_seq": 0,
            "link": "plugin",
            "plugin_version": "1.0.0",
            "unity_version": "6000.0.1f1",
            "project": "/p",
        }
        await editor.enter("compiling")
        await live.logged("editor_state", state="compiling")
        seen = await state()
        assert (seen["editor_state"], seen["waiting_reason"]) == ("compiling", "compiling")
        assert seen["last_editor_status_seq"] == 1
        await editor.reload()
        await live.logged("editor_state", connected=False)
        seen = await state()
        assert (seen["server_state"], seen["waiting_reason"]) == ("waiting_editor", "reloading")
        clock.advance(60_000)
        assert (await state())["waiting_reason"] == "no_editor"
        await editor.connect()
        await editor.close()
        await live.logged("editor_state", connected=False, times=2)
        assert (await state())["waiting_reason"] == "reconnecting"


async def test_editor_state_does_not_wait_in_line(live: LiveServer) -> None:
    editor = await live.editor(held=True).connect()
    async with live.client() as client:
        call = asyncio.create_task(client.call_tool("read_console"))
        frame = await editor.received("execute")
        result(await client.call_tool("get_editor_state"), "get_editor_state")
        await editor.answer(frame)
        await call


async def test_read_console(live: LiveServer) -> None:
    editor = await live.editor(console=[ENTRY] * 3).connect()
    async with live.client() as client:
        called = await client.call_tool("read_console", {"max_entries": 2, "types": ["error"]})
        read = result(called, "read_console")
        assert read == {"entries": [ENTRY, ENTRY], "count": 2, "truncated": True}
        (frame,) = (f for f in editor.got if f["type"] == "execute")
        assert frame["params"] == {"max_entries": 2, "types": ["error"]}
        assert frame["timeout_ms"] == 10_000
        await client.call_tool("read_console", {"client_request_id": "mine", "timeout_ms": 500})
        frame = editor.got[-1]
        assert frame["params"] == {"max_entries": 200}
        assert (frame["timeout_ms"], frame["client_request_id"]) == (500, "mine")


async def test_play_mode(live: LiveServer) -> None:
    await live.editor().connect()
    async with live.client() as client:
        called = await client.call_tool("control_play_mode", {"action": "pause"})
        assert code_and_guarantee(called) == ("ERR_UNITY_EXECUTION", "completed_error")
        found = error(called)
        assert found["retryable"] is False
        assert found["details"]["plugin_error_code"] == "ERR_INVALID_STATE"
        assert found["details"]["plugin_message"] == "not in play mode"
        called = await client.call_tool("control_play_mode", {"action": "start"})
        assert result(called, "control_play_mode") == {
            "action": "start",
            "accepted": True,
            "is_playing": True,
            "is_paused": False,
            "is_playing_or_will_change_playmode": True,
        }
        await client.call_tool("control_play_mode", {"action": "pause"})
        called = await client.call_tool("get_play_mode_state")
        assert result(called, "get_play_mode_state")["state"] == "paused"


async def test_fields_that_a_newer_plugin_adds_are_dropped(live: LiveServer) -> None:
    editor = await live.editor(held=True).connect()
    async with live.client() as client:
        call = asyncio.create_task(client.call_tool("read_console"))
        entry = {**ENTRY, "colour": "red"}
        answer = {"entries": [entry], "count": 1, "truncated": False, "mood": "good"}
        await editor.answer(await editor.received("execute"), answer)
        assert result(await call, "read_console")["entries"] == [ENTRY]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({}, "required"),
        ({"entries": [{"type": "shout"}], "count": 1, "truncated": False}, "entries[0]"),
        ({"entries": [], "count": "many", "truncated": False}, "$.count"),
    ],
)
async def test_an_answer_that_breaks_the_contract(
    live: LiveServer, answer: dict[str, Any], expected: str
) -> None:
    editor = await live.editor(held=True).connect()
    async with live.client() as client:
        call = asyncio.create_task(client.call_tool("read_console"))
        await editor.answer(await editor.received("execute"), answer)
        called = await call
        assert code_and_guarantee(called) == ("ERR_INVALID_RESPONSE", "unknown")
        details = error(called)["details"]
        assert expected in details["expected"]
        assert details["actual"]


async def test_an_answer_to_another_action(live: LiveServer) -> None:
    editor = await live.editor(held=True).connect()
    async with live.client() as client:
        call = asyncio.create_task(client.call_tool("control_play_mode", {"action": "start"}))
        frame = await editor.received("execute")
        await editor.answer(frame, editor.run("control_play_mode", {"action": "stop"}))
        called = await call
        assert code_and_guarantee(called) == ("ERR_INVALID_RESPONSE", "unknown")
        assert error(called)["retryable"] is False


@pytest.mark.parametrize(
    ("tool", "answer"),
    [
        ("get_play_mode_state", {"state": "playing", "is_playing": False, "is_paused": False}),
        ("get_play_mode_state", {"state": "stopped", "is_playing": True, "is_paused": False}),
        ("get_play_mode_state", {"state": "playing", "is_playing": True, "is_paused": True}),
        ("read_console", {"entries": [], "count": 3, "truncated": False}),
    ],
)
async def test_what_contradicts_itself_is_not_passed_on(
    live: LiveServer, tool: str, answer: dict[str, Any]
) -> None:
    editor = await live.editor(held=True).connect()
    async with live.client() as client:
        call = asyncio.create_task(client.call_tool(tool))
        flag = {"is_playing_or_will_change_playmode": True} if "is_playing" in answer else {}
        await editor.answer(await editor.received("execute"), {**answer, **flag})
        assert code_and_guarantee(await call) == ("ERR_INVALID_RESPONSE", "unknown")


async def test_what_a_plugin_does_not_filter_is_filtered_here(live: LiveServer) -> None:
    """The first protocol's plugin knows max_entries only."""
    said = [("log", "Jump"), ("error", "jumped"), ("error", "fell"), ("warning", "JUMP")]
    console = [{"type": kind, "message": text, "stack_trace": ""} for kind, text in said]
    editor = await live.editor(console=console).connect()

    async def messages(**filters: Any) -> list[str]:
        read = result(await client.call_tool("read_console", filters), "read_console")
        assert read["count"] == len(read["entries"])
        return [entry["message"] for entry in read["entries"]]

    async with live.client() as client:
        assert await messages() == ["Jump", "jumped", "fell", "JUMP"]
        assert await messages(types=["error"]) == ["jumped", "fell"]
        assert await messages(contains="jump") == ["Jump", "jumped", "JUMP"]
        assert await messages(contains="jump", types=["error", "log"]) == ["Jump", "jumped"]
    assert editor.count("execute") == 4


@pytest.mark.parametrize("code", ["ERR_COMPILE_ERRORS", "ERR_INVALID_STATE", "ERR_REQUEST_TIMEOUT"])
async def test_a_refusal_is_not_executed_whatever_its_code(live: LiveServer, code: str) -> None:
    editor = await live.editor(held=True).connect()
    async with live.client() as client:
        call = asyncio.create_task(client.call_tool("run_tests"))
        await editor.refuse(await editor.received("submit_job"), code, "in play mode")
        called = await call
        assert code_and_guarantee(called) == ("ERR_UNITY_EXECUTION", "not_executed")
        assert error(called)["details"]["plugin_error_code"] == code
        call = asyncio.create_task(client.call_tool("run_tests"))
        frame = await editor.received("submit_job")
        refused = {"type": "submit_job_result", "status": "rejected"}
        await editor.say_raw(json.dumps({**refused, "request_id": frame["request_id"]}))
        assert code_and_guarantee(await call) == ("ERR_UNITY_EXECUTION", "not_executed")


async def test_what_the_plugin_rejects_was_not_executed(live: LiveServer) -> None:
    editor = await live.editor(held=True).connect()
    async with live.client() as client:
        call = asyncio.create_task(client.call_tool("read_console"))
        await editor.refuse(await editor.received("execute"), "ERR_INVALID_PARAMS", "bad filter")
        called = await call
        assert code_and_guarantee(called) == ("ERR_INVALID_PARAMS", "not_executed")


async def test_deduplication(live: LiveServer, clock: HeldClock) -> None:
    editor = await live.editor().connect()
    arguments = {"action": "start", "client_request_id": "mine"}
    async with live.client() as client:
        first = result(await client.call_tool("control_play_mode", arguments), "control_play_mode")
        again = result(await client.call_tool("control_play_mode", arguments), "control_play_mode")
        assert again == {**first, "replayed": True}
        other = await client.call_tool("control_play_mode", {**arguments, "action": "stop"})
        assert code_and_guarantee(other) == ("ERR_DUPLICATE_REQUEST", "not_executed")
        clock.advance(10 * 60 * 1000)
        later = result(await client.call_tool("control_play_mode", arguments), "control_play_mode")
        assert "replayed" not in later
        assert editor.count("execute") == 2


async def test_read_only_calls_are_not_deduplicated(live: LiveServer) -> None:
    editor = await live.editor().connect()
    async with live.client() as client:
        for _ in range(2):
            await client.call_tool("read_console", {"client_request_id": "mine"})
        assert editor.count("execute") == 2


async def test_a_failed_request_may_be_sent_again(live: LiveServer) -> None:
    editor = await live.editor().connect()
    arguments = {"action": "pause", "client_request_id": "mine"}
    async with live.client() as client:
        assert (await client.call_tool("control_play_mode", arguments)).is_error
        editor.playing = True
        assert not (await client.call_tool("control_play_mode", arguments)).is_error


async def test_the_log_correlates(live: LiveServer) -> None:
    await live.editor().connect()
    async with live.client() as client:
        await client.call_tool("run_tests", {"client_request_id": "mine"})
    started = await live.logged("request", tool="run_tests", client_request_id="mine")
    request_id = started["request_id"]
    accepted = await live.logged("job_accepted", request_id=request_id)
    done = await live.logged("request_done", request_id=request_id)
    assert done["job_id"] == accepted["job_id"]
    for state in ("queued", "running", "succeeded"):
        await live.logged("request_state", request_id=request_id, state=state)


async def test_a_main_thread_that_does_not_run_is_told_with_its_dialog(
    live: LiveServer, clock: HeldClock
) -> None:
    editor = await live.editor().connect()
    async with live.client() as client:
        for seq, dialog in ((1, None), (2, "Script Updating Consent")):
            named = {} if dialog is None else {"dialog": dialog}
            blocked = {"for_ms": 2_000 * seq, **named}
            await editor.say("editor_status", state="ready", seq=seq, blocked=blocked)
            await live.logged("editor_state", seq=seq, blocked=True)
            state = result(await client.call_tool("get_editor_state"), "get_editor_state")
            assert state["blocked"] == blocked
        clock.advance(1_000)
        call = await client.call_tool("get_editor_state")
        assert result(call, "get_editor_state")["blocked"]["for_ms"] == 5_000
        (text,) = call.content
        assert "blocked for 5 s by the dialog 'Script Updating Consent'" in text.text
        await editor.say("editor_status", state="ready", seq=3)
        await live.logged("editor_state", seq=3, blocked=False)
        state = result(await client.call_tool("get_editor_state"), "get_editor_state")
        assert "blocked" not in state


@pytest.mark.parametrize("blocked", [None, 7, [], {}, {"for_ms": "long"}])
async def test_what_makes_no_sense_of_the_main_thread_is_passed_over(
    live: LiveServer, blocked: Any
) -> None:
    editor = await live.editor().connect()
    frame = {"type": "editor_status", "state": "compiling", "seq": 1, "blocked": blocked}
    await editor.say_raw(json.dumps(frame))
    await live.logged("editor_state", state="compiling", blocked=False)
