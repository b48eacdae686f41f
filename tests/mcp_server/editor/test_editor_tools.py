"""The Editor's tools over MCP, as Unity answers and misanswers."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from call_results import code_and_guarantee, error, result, succeeded
from fake_editor import FakeEditor
from live_server import HeldClock, LiveServer
from mcp import Client

pytestmark = pytest.mark.anyio

ENTRY = {"type": "error", "message": "CS0103", "stack_trace": "at A\nat B"}


async def test_editor_state_tells_the_truth(
    live: LiveServer, clock: HeldClock, client: Client
) -> None:
    editor = live.editor(hello={"project_path": "/p", "unity_version": "6000.0.1f1"})

    async def state() -> dict[str, Any]:
        return await succeeded(client, "get_editor_state")

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


async def test_editor_state_does_not_wait_in_line(silent: FakeEditor, client: Client) -> None:
    call = asyncio.create_task(client.call_tool("read_console"))
    frame = await silent.received("execute")
    await succeeded(client, "get_editor_state")
    await silent.answer(frame)
    await call


async def test_read_console(live: LiveServer, client: Client) -> None:
    editor = await live.editor(console=[ENTRY] * 3).connect()
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


async def test_fields_that_a_newer_plugin_adds_are_dropped(
    silent: FakeEditor, client: Client
) -> None:
    call = asyncio.create_task(client.call_tool("read_console"))
    entry = {**ENTRY, "colour": "red"}
    answer = {"entries": [entry], "count": 1, "truncated": False, "mood": "good"}
    await silent.answer(await silent.received("execute"), answer)
    assert result(await call, "read_console")["entries"] == [ENTRY]


CHANGES = {"is_playing_or_will_change_playmode": True}
WRONG: dict[str, tuple[str, dict[str, Any], dict[str, Any], str]] = {
    "nothing": ("read_console", {}, {}, "required"),
    "an entry of no type": (
        "read_console",
        {},
        {"entries": [{"type": "shout"}], "count": 1, "truncated": False},
        "entries[0]",
    ),
    "a count in words": (
        "read_console",
        {},
        {"entries": [], "count": "many", "truncated": False},
        "$.count",
    ),
    "a wrong count": ("read_console", {}, {"entries": [], "count": 3, "truncated": False}, ""),
    "another action": (
        "control_play_mode",
        {"action": "start"},
        {"action": "stop", "accepted": True, "is_playing": False, "is_paused": False, **CHANGES},
        "",
    ),
    **{
        f"{state}, though playing is {playing} and paused {paused}": (
            "get_play_mode_state",
            {},
            {"state": state, "is_playing": playing, "is_paused": paused, **CHANGES},
            "",
        )
        for state, playing, paused in (
            ("playing", False, False),
            ("stopped", True, False),
            ("playing", True, True),
        )
    },
}


@pytest.mark.parametrize("what", WRONG)
async def test_an_answer_that_breaks_the_contract_or_contradicts_itself(
    silent: FakeEditor, client: Client, what: str
) -> None:
    tool, arguments, answer, expected = WRONG[what]
    call = asyncio.create_task(client.call_tool(tool, arguments))
    await silent.answer(await silent.received("execute"), answer)
    called = await call
    assert code_and_guarantee(called) == ("ERR_INVALID_RESPONSE", "unknown")
    assert error(called)["retryable"] is (tool != "control_play_mode")
    assert expected in error(called)["details"]["expected"]
    assert error(called)["details"]["actual"]


async def test_what_a_plugin_does_not_filter_is_filtered_here(
    live: LiveServer, client: Client
) -> None:
    """The first protocol's plugin knows max_entries only."""
    said = [("log", "Jump"), ("error", "jumped"), ("error", "fell"), ("warning", "JUMP")]
    console = [{"type": kind, "message": text, "stack_trace": ""} for kind, text in said]
    editor = await live.editor(console=console).connect()

    async def messages(**filters: Any) -> list[str]:
        read = await succeeded(client, "read_console", **filters)
        assert read["count"] == len(read["entries"])
        return [entry["message"] for entry in read["entries"]]

    assert await messages() == ["Jump", "jumped", "fell", "JUMP"]
    assert await messages(types=["error"]) == ["jumped", "fell"]
    assert await messages(contains="jump") == ["Jump", "jumped", "JUMP"]
    assert await messages(contains="jump", types=["error", "log"]) == ["Jump", "jumped"]
    assert editor.count("execute") == 4


async def test_a_refused_job_is_not_executed(silent: FakeEditor, client: Client) -> None:
    call = asyncio.create_task(client.call_tool("run_tests"))
    await silent.refuse(await silent.received("submit_job"), "ERR_COMPILE_ERRORS", "no")
    called = await call
    assert code_and_guarantee(called) == ("ERR_UNITY_EXECUTION", "not_executed")
    assert error(called)["details"]["plugin_error_code"] == "ERR_COMPILE_ERRORS"
    call = asyncio.create_task(client.call_tool("run_tests"))
    frame = await silent.received("submit_job")
    refused = {"type": "submit_job_result", "status": "rejected"}
    await silent.say_raw(json.dumps({**refused, "request_id": frame["request_id"]}))
    assert code_and_guarantee(await call) == ("ERR_UNITY_EXECUTION", "not_executed")


async def test_deduplication(editor: FakeEditor, client: Client, clock: HeldClock) -> None:
    arguments = {"action": "start", "client_request_id": "mine"}
    first = await succeeded(client, "control_play_mode", **arguments)
    again = await succeeded(client, "control_play_mode", **arguments)
    assert again == {**first, "replayed": True}
    other = await client.call_tool("control_play_mode", {**arguments, "action": "stop"})
    assert code_and_guarantee(other) == ("ERR_DUPLICATE_REQUEST", "not_executed")
    clock.advance(10 * 60 * 1000)
    later = await succeeded(client, "control_play_mode", **arguments)
    assert "replayed" not in later
    assert editor.count("execute") == 2


async def test_read_only_calls_are_not_deduplicated(editor: FakeEditor, client: Client) -> None:
    for _ in range(2):
        await client.call_tool("read_console", {"client_request_id": "mine"})
    assert editor.count("execute") == 2


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
    live: LiveServer, clock: HeldClock, editor: FakeEditor, client: Client
) -> None:
    for seq, dialog in ((1, None), (2, "Script Updating Consent")):
        named = {} if dialog is None else {"dialog": dialog}
        blocked = {"for_ms": 2_000 * seq, **named}
        await editor.say("editor_status", state="ready", seq=seq, blocked=blocked)
        await live.logged("editor_state", seq=seq, blocked=True)
        state = await succeeded(client, "get_editor_state")
        assert state["blocked"] == blocked
    clock.advance(1_000)
    call = await client.call_tool("get_editor_state")
    assert result(call, "get_editor_state")["blocked"]["for_ms"] == 5_000
    (text,) = call.content
    assert "blocked for 5 s by the dialog 'Script Updating Consent'" in text.text
    await editor.say("editor_status", state="ready", seq=3)
    await live.logged("editor_state", seq=3, blocked=False)
    state = await succeeded(client, "get_editor_state")
    assert "blocked" not in state


@pytest.mark.parametrize("blocked", [None, 7, [], {}, {"for_ms": "long"}])
async def test_what_makes_no_sense_of_the_main_thread_is_passed_over(
    live: LiveServer, blocked: Any, editor: FakeEditor
) -> None:
    frame = {"type": "editor_status", "state": "compiling", "seq": 1, "blocked": blocked}
    await editor.say_raw(json.dumps(frame))
    await live.logged("editor_state", state="compiling", blocked=False)
