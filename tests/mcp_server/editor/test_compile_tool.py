"""``compile`` on the server: one call, the result of a job that the Editor runs."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from call_results import error, refused, result, succeeded
from fake_editor import COMPILED, FakeEditor, Job
from live_server import HeldClock, LiveServer
from mcp import Client

pytestmark = pytest.mark.anyio


async def accepted(editor: FakeEditor) -> Job:
    """The job that the Editor has accepted last."""
    await editor.received("submit_job")
    while not editor.jobs:
        await asyncio.sleep(0)
    return list(editor.jobs.values())[-1]


def compiling(client: Client, **arguments: Any) -> asyncio.Task[Any]:
    return asyncio.create_task(client.call_tool("compile", arguments))


async def ends(editor: FakeEditor, job: Job, state: str = "succeeded", **fields: Any) -> None:
    job.finish(state, fields or None)
    await editor.announce(job)


async def test_the_result_is_the_jobs(editor: FakeEditor, client: Client) -> None:
    call = compiling(client, stop_play_mode=True)
    job = await accepted(editor)
    assert job.params == {"stop_play_mode": True}
    assert not call.done()
    await ends(editor, job)
    assert result(await call, "compile") == {**COMPILED, "link": "plugin"}
    assert (await editor.received("job_confirmed"))["job_id"] == job.job_id


async def test_a_job_that_two_calls_are_given_is_both_theirs(
    silent: FakeEditor, client: Client
) -> None:
    calls = [compiling(client), compiling(client)]
    job = Job("compile-1", {}, "compile", state="running")
    silent.jobs[job.job_id] = job
    for _ in calls:
        frame = await silent.received("submit_job")
        await silent.say(
            "submit_job_result",
            request_id=frame["request_id"],
            status="accepted",
            job_id=job.job_id,
        )
    await ends(silent, job)
    first, second = await asyncio.gather(*calls)
    assert result(first, "compile") == result(second, "compile")


async def test_it_goes_to_an_editor_that_compiles(editor: FakeEditor, client: Client) -> None:
    """It joins that compilation; and a lock may hold an Editor in that state for hours."""
    await editor.enter("compiling")
    call = compiling(client)
    await ends(editor, await accepted(editor))
    result(await call, "compile")


async def test_an_end_that_comes_from_the_next_domain(live: LiveServer, client: Client) -> None:
    editor = await live.editor(hello={"editor_instance_id": "e", "heartbeat": "ping"}).connect()
    call = compiling(client)
    job = await accepted(editor)
    await editor.enter("compiling")
    await editor.reload()
    await editor.connect("ready", plugin_session_id="another")
    await ends(editor, job)
    assert result(await call, "compile")["status"] == "succeeded"


async def test_an_editor_that_does_not_come_back(
    live: LiveServer, clock: HeldClock, editor: FakeEditor, client: Client
) -> None:
    call = compiling(client)
    await accepted(editor)
    await editor.reload()
    await live.logged("editor_state", state="unknown")
    clock.advance(60_001)
    lost = error(await call)
    assert lost["code"] == "ERR_RECONNECT_TIMEOUT"
    assert lost["details"]["execution_guarantee"] == "unknown"
    assert lost["details"]["recovery_action"] == "inspect_state_then_retry"


async def test_a_callers_time_is_its_own(
    live: LiveServer, clock: HeldClock, editor: FakeEditor, client: Client
) -> None:
    hasty = compiling(client, timeout_ms=5_000)
    job = await accepted(editor)
    job.state, job.progress = "running", {"completed": 0, "total": 1, "current": "compiling"}
    await editor.announce(job)
    await live.logged("job_state", state="running")
    clock.advance(5_001)
    late = error(await hasty)
    assert (late["code"], late["retryable"]) == ("ERR_REQUEST_TIMEOUT", False)
    assert "compiling" in late["message"]
    clock.advance(300_000)
    assert editor.count("cancel") == 0
    await ends(editor, job)


@pytest.mark.parametrize(
    ("state", "told", "code"),
    [
        ("failed", {"code": "ERR_RELOAD_LOCKED", "message": "locked"}, "ERR_UNITY_EXECUTION"),
        ("failed", {"what": "ever"}, "ERR_INVALID_RESPONSE"),
        ("succeeded", {**COMPILED, "status": "perhaps"}, "ERR_INVALID_RESPONSE"),
    ],
)
async def test_a_job_that_fails_or_makes_no_sense_is_an_error(
    editor: FakeEditor, client: Client, state: str, told: dict[str, Any], code: str
) -> None:
    call = compiling(client)
    await ends(editor, await accepted(editor), state, **told)
    failed = error(await call)
    assert failed["code"] == code
    if "code" in told:
        assert failed["details"]["plugin_error_code"] == told["code"]
        assert failed["details"]["execution_guarantee"] == "completed_error"


async def test_a_plugin_that_knows_no_compile(live: LiveServer, client: Client) -> None:
    editor = await live.editor(held=True).connect(plugin_version="0.9.0")
    call = compiling(client)
    frame = await editor.received("submit_job")
    await editor.refuse(frame, "ERR_UNKNOWN_COMMAND", "This plugin has no job compile")
    refused = error(await call)
    assert refused["code"] == "ERR_UNKNOWN_COMMAND"
    assert "0.9.0" in refused["message"]
    assert "unity-cli plugin install" in refused["message"]


async def test_the_same_request_again_gets_the_same_result(
    editor: FakeEditor, client: Client
) -> None:
    call = compiling(client, client_request_id="c1")
    await ends(editor, await accepted(editor))
    first = result(await call, "compile")
    again = await succeeded(client, "compile", client_request_id="c1")
    assert again == {**first, "replayed": True}
    assert editor.count("submit_job") == 1


async def test_a_job_that_nobody_here_has_asked_for_is_known_by_its_tool(
    editor: FakeEditor, client: Client
) -> None:
    """The one before this server has."""
    await ends(editor, Job("compile-old", {}, "compile"))
    found = await client.call_tool("get_job_status", {"job_id": "compile-old"})
    assert result(found, "get_job_status")["result"] == COMPILED


async def test_a_blocked_main_thread_is_told_at_once(
    live: LiveServer, silent: FakeEditor, client: Client
) -> None:
    """Others may stand in line for it, and a call must not stand behind them to hear that."""
    blocked = {"for_ms": 3_000, "dialog": "Script Updating Consent"}
    await silent.say("editor_status", state="ready", seq=1, blocked=blocked)
    await live.logged("editor_state", blocked=True)
    behind = asyncio.create_task(client.call_tool("control_play_mode", {"action": "stop"}))
    await silent.received("execute")
    told = await refused(client, "compile")
    assert told["code"] == "ERR_EDITOR_NOT_READY"
    assert told["details"] == {
        "dialog": "Script Updating Consent",
        "execution_guarantee": "not_executed",
    }
    assert "Script Updating Consent" in told["message"]
    behind.cancel()


async def test_a_compilation_that_blocks_the_main_thread_is_joined(
    live: LiveServer, editor: FakeEditor, client: Client
) -> None:
    first = compiling(client)
    job = await accepted(editor)
    job.state = "running"
    await editor.announce(job)
    await live.logged("job_state", state="running")
    await editor.say("editor_status", state="ready", seq=1, blocked={"for_ms": 2_000})
    await live.logged("editor_state", blocked=True)
    second = compiling(client)
    await live.logged("job_accepted", times=2)
    for each in editor.jobs.values():
        await ends(editor, each)
    for call in (first, second):
        result(await call, "compile")


async def test_a_job_that_was_over_before_is_no_answer(
    live: LiveServer, clock: HeldClock, silent: FakeEditor, client: Client
) -> None:
    """An Editor that gives a new compile the id of an old one has not said that it compiled."""
    for time in (1, 2):
        call = compiling(client)
        frame = await silent.received("submit_job")
        await silent.say(
            "submit_job_result",
            request_id=frame["request_id"],
            status="accepted",
            job_id="compile-same",
        )
        if time == 1:
            await live.logged("job_accepted")
            job = Job("compile-same", {}, "compile")
            await ends(silent, job)
            result(await call, "compile")
            clock.advance(1)
    told = error(await call)
    assert told["code"] == "ERR_INVALID_RESPONSE"
    assert told["details"]["execution_guarantee"] == "unknown"


async def test_it_can_not_be_cancelled(editor: FakeEditor, client: Client) -> None:
    call = compiling(client)
    job = await accepted(editor)
    told = await refused(client, "cancel_job", job_id=job.job_id)
    assert told["code"] == "ERR_CANCEL_NOT_SUPPORTED"
    await ends(editor, job)
    await call
