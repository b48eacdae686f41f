"""Jobs: from submission to their end, across reconnects and reloads, and cancelling them."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from call_results import code_and_guarantee, error, result, succeeded
from fake_editor import TESTS_PASSED, FakeEditor, Job
from live_server import HeldClock, LiveServer
from mcp import Client

from mcp_server.editor.job_manager import MAX_OPEN
from mcp_server.editor.job_tools import CANCEL_IN_LINE_MS

pytestmark = pytest.mark.anyio


async def submitted(client: Client, **arguments: Any) -> str:
    started = await succeeded(client, "run_tests", **arguments)
    assert started["state"] == "queued"
    job_id: str = started["job_id"]
    return job_id


def instance(name: str) -> dict[str, str]:
    """What a plugin says of its Editor's process."""
    return {"editor_instance_id": name, "heartbeat": "ping"}


async def accepted(editor: FakeEditor, client: Client) -> str:
    """A job that an Editor accepts which answers nothing by itself."""
    started = asyncio.create_task(submitted(client))
    await editor.accept(await editor.received("submit_job"))
    return await started


async def result_of_nothing(client: Client) -> None:
    """A call that is answered by the server alone."""
    await succeeded(client, "get_editor_state")


async def status(client: Client, job_id: str, **more: Any) -> dict[str, Any]:
    called = await client.call_tool("get_job_status", {"job_id": job_id, **more})
    return result(called, "get_job_status")


async def cancelled(client: Client, job_id: str) -> str:
    called = await client.call_tool("cancel_job", {"job_id": job_id})
    outcome: str = result(called, "cancel_job")["status"]
    return outcome


async def test_submit_status_done(editor: FakeEditor, client: Client) -> None:
    job_id = await submitted(client, mode="edit", filter="Player")
    job = editor.jobs[job_id]
    assert job.params == {"mode": "edit", "filter": "Player", "compile_first": True}
    frame = await editor.received("submit_job")
    assert frame["timeout_ms"] == 300_000
    assert (await status(client, job_id))["state"] == "queued"
    job.state, job.progress = "running", {"completed": 1, "total": 2, "current": "A"}
    running = await status(client, job_id)
    assert (running["state"], running["progress"]) == ("running", job.progress)
    job.finish()
    done = await status(client, job_id)
    assert (done["state"], done["result"]) == ("succeeded", TESTS_PASSED)
    asked = editor.count("get_job_status")
    assert await status(client, job_id) == done
    assert editor.count("get_job_status") == asked


async def test_a_job_survives_reconnect_and_reload(
    live: LiveServer, editor: FakeEditor, client: Client
) -> None:
    job_id = await submitted(client)
    editor.jobs[job_id].state = "running"
    assert (await status(client, job_id))["state"] == "running"
    await editor.abort()
    await live.logged("editor_state", connected=False)
    away = await status(client, job_id)
    assert (away["state"], away["stale"]) == ("running", True)
    await editor.connect()
    assert "stale" not in await status(client, job_id)
    await editor.compile_and_reload()
    editor.jobs[job_id].finish()
    assert (await status(client, job_id))["state"] == "succeeded"


USELESS = {
    "it breaks the contract": '{"summary": {}}',
    "it is of another type": '"all is well"',
    "it is too large": json.dumps({"summary": "x" * 1_100_000}),
    "it can't be read": "[" * 5_000 + "]" * 5_000,
}


@pytest.mark.parametrize("told", USELESS.values(), ids=USELESS)
async def test_a_useless_result_ends_its_job_and_is_asked_for_once(
    silent: FakeEditor, client: Client, told: str
) -> None:
    job_id = await accepted(silent, client)
    asking = asyncio.create_task(status(client, job_id))
    asked = await silent.received("get_job_status")
    named = f'"request_id": "{asked["request_id"]}", "job_id": "{job_id}"'
    await silent.say_raw(
        f'{{"type": "job_status", {named}, "state": "succeeded", "result": {told}}}'
    )
    failed = await asking
    assert (failed["state"], failed["result"]["code"]) == ("failed", "ERR_INVALID_RESPONSE")
    assert failed["result"]["expected"]
    assert await status(client, job_id) == failed
    assert silent.count("get_job_status") == 1


async def test_what_has_no_result_has_null(editor: FakeEditor, client: Client) -> None:
    job_id = await submitted(client)
    job = editor.jobs[job_id]
    for state in ("queued", "running", "cancelled"):
        job.state, job.result = state, {}
        told = await status(client, job_id)
        assert (told["state"], told["result"]) == (state, None)


async def test_progress_that_contradicts_itself_is_not_passed_on(
    editor: FakeEditor, client: Client
) -> None:
    job_id = await submitted(client)
    job = editor.jobs[job_id]
    job.state, job.progress = "running", {"completed": 1, "total": 3}
    assert (await status(client, job_id))["progress"] == {"completed": 1, "total": 3}
    job.progress = {"completed": 4, "total": 3}
    assert (await status(client, job_id))["progress"] == {"completed": 1, "total": 3}


async def test_unknown_jobs(live: LiveServer, client: Client) -> None:
    await live.editor().connect()
    for tool in ("get_job_status", "cancel_job"):
        called = await client.call_tool(tool, {"job_id": "job-1"})
        assert code_and_guarantee(called) == ("ERR_JOB_NOT_FOUND", "not_executed")


async def test_a_job_that_the_editor_has_forgotten_is_unknown(
    live: LiveServer, editor: FakeEditor, client: Client
) -> None:
    job_id = await submitted(client)
    job = editor.jobs[job_id]
    job.state, job.progress = "running", {"completed": 3, "total": 4}
    await status(client, job_id)
    editor.jobs.clear()
    told = await status(client, job_id, wait_ms=9_000)
    assert (told["state"], told["result"]["code"]) == ("unknown", "ERR_JOB_NOT_FOUND")
    assert told["progress"] == {"completed": 3, "total": 4}
    assert await cancelled(client, job_id) == "rejected"
    job.finish()
    await editor.announce(job)
    await live.logged("job_state", job_id=job_id, state="succeeded")
    assert (await status(client, job_id))["result"] == TESTS_PASSED


async def test_a_job_whose_editor_is_gone_has_failed(live: LiveServer, client: Client) -> None:
    editor = await live.editor(hello=instance("first")).connect()
    job_id = await submitted(client)
    await editor.abort()
    await live.logged("editor_state", connected=False)
    await live.editor(hello=instance("second")).connect()
    told = await status(client, job_id)
    assert (told["state"], told["result"]["code"]) == ("failed", "ERR_JOB_NOT_FOUND")


async def test_the_ends_of_all_jobs_are_learned_without_asking(
    live: LiveServer, clock: HeldClock, editor: FakeEditor, client: Client
) -> None:
    """A plugin that keeps eight results and tells of none by itself."""
    jobs = [await submitted(client) for _ in range(9)]
    for number, job_id in enumerate(jobs, 1):
        editor.jobs[job_id].finish()
        clock.advance(1_000)
        await live.logged("job_state", state="succeeded", times=number)
    editor.jobs.clear()
    for job_id in jobs:
        assert (await status(client, job_id))["state"] == "succeeded"


async def test_the_ends_of_jobs_are_asked_for_when_the_editor_is_back(
    live: LiveServer, editor: FakeEditor, client: Client
) -> None:
    job_id = await submitted(client)
    await editor.reload()
    editor.jobs[job_id].finish()
    await editor.connect()
    await live.logged("job_state", job_id=job_id, state="succeeded")


async def test_an_announced_end_is_kept_and_confirmed(
    live: LiveServer, editor: FakeEditor, client: Client
) -> None:
    job_id = await submitted(client)
    job = editor.jobs[job_id]
    job.state = "running"
    await editor.announce(job)
    await live.logged("job_state", job_id=job_id, state="running")
    job.finish()
    await editor.announce(job)
    assert (await editor.received("job_confirmed"))["job_id"] == job_id
    editor.jobs.clear()
    assert (await status(client, job_id))["result"] == TESTS_PASSED
    assert editor.count("get_job_status") == 0
    await editor.announce(job)  # it did not hear the confirmation
    assert (await editor.received("job_confirmed"))["job_id"] == job_id


async def test_an_announced_job_of_an_earlier_server_is_taken_over(
    editor: FakeEditor, client: Client
) -> None:
    job = Job("job-old", {})
    job.finish()
    await editor.announce(job)
    await editor.received("job_confirmed")
    assert (await status(client, "job-old"))["result"] == TESTS_PASSED


@pytest.mark.parametrize("to_be_cancelled", [False, True])
async def test_an_editor_that_is_silent_about_its_jobs_is_left_to_others(
    live: LiveServer, clock: HeldClock, to_be_cancelled: bool, silent: FakeEditor, client: Client
) -> None:
    """However many it has told of: what it is asked by itself keeps everybody else waiting."""
    jobs = [Job(f"claimed-{number}", {}, state="running") for number in range(20)]
    for job in jobs:
        await silent.announce(job)
    await live.logged("job_taken_over", times=len(jobs))
    asks = "cancel" if to_be_cancelled else "get_job_status"
    if to_be_cancelled:
        for job in jobs:
            await cancelled(client, job.job_id)
    for _ in range(60):
        clock.advance(1_000)
        await result_of_nothing(client)
    assert 2 <= silent.count(asks) <= 5, "of a minute, they have a third at most"
    silent.held = False
    for job in jobs:
        silent.jobs[job.job_id] = job
    reading = asyncio.create_task(client.call_tool("read_console"))
    while not reading.done():
        clock.advance(250)
        await result_of_nothing(client)
    result(await reading, "read_console")
    for _ in range(40):
        clock.advance(250)
        await result_of_nothing(client)
    assert silent.count(asks) >= len(jobs), "it has spoken, so it is asked as ever"


async def test_open_jobs_that_are_announced_are_bounded(
    live: LiveServer, editor: FakeEditor
) -> None:
    for number in range(MAX_OPEN + 1):
        await editor.announce(Job(f"job-{number}", {}))
    await live.logged("job_not_taken_over", job_id=f"job-{MAX_OPEN}")


async def test_an_answer_without_request_id_is_an_answer(
    silent: FakeEditor, client: Client
) -> None:
    job_id = await accepted(silent, client)
    asking = asyncio.create_task(status(client, job_id))
    await silent.received("get_job_status")
    await silent.announce(Job(job_id, {}, state="running"))
    assert (await asking)["state"] == "running"


async def test_two_that_wait_for_one_job_ask_no_more_than_one(
    live: LiveServer, clock: HeldClock, editor: FakeEditor, client: Client
) -> None:
    job_id = await submitted(client)
    waiting = [
        asyncio.create_task(status(client, job_id, wait_ms=1_000, timeout_ms=n))
        for n in (6_000, 7_000)
    ]
    await live.logged("request", tool="get_job_status", times=2)
    for _ in range(5):  # answers come and go while time stands still
        await result_of_nothing(client)
    assert editor.count("get_job_status") <= 2
    for each in waiting:
        await _pass_until(each, clock)


async def test_an_id_that_is_issued_twice_is_refused(silent: FakeEditor, client: Client) -> None:
    for outcome in ("accepted", "refused"):
        call = asyncio.create_task(client.call_tool("run_tests"))
        frame = await silent.received("submit_job")
        await silent.say(
            "submit_job_result",
            request_id=frame["request_id"],
            status="accepted",
            job_id="job-1",
        )
        called = await call
        assert called.is_error is (outcome == "refused")
    assert code_and_guarantee(called) == ("ERR_INVALID_RESPONSE", "unknown")


async def test_the_jobs_own_timeout(editor: FakeEditor, client: Client, clock: HeldClock) -> None:
    job_id = await submitted(client, timeout_ms=1_000)
    editor.jobs[job_id].state = "running"
    clock.advance(1_000)
    frame = await editor.received("cancel")
    assert frame["target_job_id"] == job_id
    assert (await status(client, job_id))["state"] == "timeout"
    editor.jobs[job_id].finish()
    assert (await status(client, job_id))["state"] == "timeout"


async def test_waiting_for_the_end(
    live: LiveServer, clock: HeldClock, editor: FakeEditor, client: Client
) -> None:
    heard: list[tuple[float, float | None, str | None]] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    job_id = await submitted(client)
    job = editor.jobs[job_id]
    job.state, job.progress = "running", {"completed": 1, "total": 2, "current": "A"}
    call = asyncio.create_task(
        client.call_tool(
            "get_job_status",
            {"job_id": job_id, "wait_ms": 9_000},
            progress_callback=on_progress,
        )
    )
    await editor.received("get_job_status")
    await live.logged("job_state", job_id=job_id, state="running")
    job.finish()
    await _pass_until(call, clock)
    assert result(await call, "get_job_status")["state"] == "succeeded"
    assert heard[0] == (1.0, 2.0, "A")


async def test_waiting_ends_with_its_caller(live: LiveServer) -> None:
    await live.editor().connect()
    async with live.client() as client:
        job_id = await submitted(client)
        call = asyncio.create_task(
            client.call_tool("get_job_status", {"job_id": job_id, "wait_ms": 9_000})
        )
        await live.logged("request", tool="get_job_status")
        call.cancel()
        await live.logged("request_abandoned", tool="get_job_status")
        assert (await status(client, job_id))["state"] == "queued"


async def test_waiting_ends_with_the_time_for_it(live: LiveServer, clock: HeldClock) -> None:
    await live.editor().connect()
    async with live.client() as client:
        job_id = await submitted(client)
        call = asyncio.create_task(
            client.call_tool("get_job_status", {"job_id": job_id, "wait_ms": 2_000})
        )
        await _pass_until(call, clock)
        assert result(await call, "get_job_status")["state"] == "queued"


async def _pass_until(call: asyncio.Task[Any], clock: HeldClock) -> None:
    """Let time pass in steps until ``call`` is done; each step lets the sockets be read."""
    while not call.done():
        clock.advance(100)
        await asyncio.wait([call], timeout=0.005)


async def test_cancel_a_queued_job(editor: FakeEditor, client: Client) -> None:
    job_id = await submitted(client)
    assert await cancelled(client, job_id) == "cancelled"
    assert editor.jobs[job_id].state == "cancelled"
    assert (await status(client, job_id))["state"] == "cancelled"
    assert await cancelled(client, job_id) == "rejected"


async def test_a_queued_job_is_cancelled_while_the_editor_compiles(
    live: LiveServer, editor: FakeEditor, client: Client
) -> None:
    job_id = await submitted(client)
    await editor.enter("compiling")
    await live.logged("editor_state", state="compiling")
    assert await cancelled(client, job_id) == "cancelled"
    # It is told before it could start the job: this is not put off until it is ready.
    assert (await editor.received("cancel"))["target_job_id"] == job_id
    assert (await status(client, job_id))["state"] == "cancelled"
    assert await cancelled(client, job_id) == "rejected"


async def test_a_queued_job_is_cancelled_though_the_editor_compiles_and_says_nothing(
    live: LiveServer, clock: HeldClock, client: Client
) -> None:
    editor = await live.editor(memory_id="m").connect()
    job_id = await submitted(client)
    await editor.enter("compiling")
    await live.logged("editor_state", state="compiling")
    editor.held = True
    call = asyncio.create_task(cancelled(client, job_id))
    await editor.received("cancel")
    clock.advance(2_000)
    assert await call == "cancelled"
    assert (await status(client, job_id))["state"] == "cancelled"


@pytest.mark.parametrize(
    ("state", "leaves", "memory"),
    [
        ("queued", "reload", "m"),
        ("queued", "reload", None),
        ("queued", "abort", None),
        ("running", "reload", None),
    ],
)
async def test_a_cancel_waits_for_an_editor_that_is_away(
    live: LiveServer, state: str, leaves: str, memory: str | None, client: Client
) -> None:
    """The reload may be that into play mode, for this very job: what it does is not known."""
    editor = await live.editor(memory_id=memory).connect()
    job_id = await submitted(client)
    editor.jobs[job_id].state = state
    await status(client, job_id)
    await getattr(editor, leaves)()
    await live.logged("editor_state", connected=False)
    assert await cancelled(client, job_id) == "cancel_requested"
    assert (await status(client, job_id))["state"] == state
    await editor.connect()
    assert (await editor.received("cancel"))["target_job_id"] == job_id


@pytest.mark.parametrize("meanwhile", ["still queued", "ended"])
async def test_a_queued_job_is_cancelled_while_others_keep_the_editor(
    live: LiveServer, clock: HeldClock, meanwhile: str, editor: FakeEditor
) -> None:
    async with live.client() as client, live.client() as other:
        job_id = await submitted(client)
        editor.held = True
        keeping = asyncio.create_task(other.call_tool("get_play_mode_state"))
        kept = await editor.received("execute")
        cancelling = asyncio.create_task(cancelled(client, job_id))
        await live.logged("request_state", times=3, state="queued", previous="received")
        job = editor.jobs[job_id]
        if meanwhile == "ended":
            job.finish()
            await editor.announce(job)
            await live.logged("job_state", state="succeeded")
        clock.advance(CANCEL_IN_LINE_MS)
        expected = "rejected" if meanwhile == "ended" else "cancel_requested"
        assert await cancelling == expected
        assert editor.count("cancel") == 0
        editor.held = False
        await editor.answer(kept)
        result(await keeping, "get_play_mode_state")
        if meanwhile == "ended":
            assert (await status(client, job_id))["state"] == "succeeded"
            return
        assert (await editor.received("cancel"))["target_job_id"] == job_id
        assert (await status(client, job_id))["state"] == "cancelled"


async def test_a_job_that_goes_on_after_its_cancel_is_cancelled_again(
    live: LiveServer, client: Client
) -> None:
    editor = await live.editor(memory_id="m").connect()
    job_id = await submitted(client)
    await editor.reload()
    await live.logged("editor_state", connected=False)
    editor.held = True
    assert await cancelled(client, job_id) == "cancel_requested"
    await editor.connect(plugin_session_id="s1")
    await editor.received("cancel")
    await editor.reload()  # and the cancel is lost
    await editor.connect(plugin_session_id="s2")
    job = editor.jobs[job_id]
    job.state = "running"
    for _ in range(2):
        await editor.announce(job)
    assert (await editor.received("cancel"))["target_job_id"] == job_id
    assert editor.count("cancel") == 2


async def test_cancel_a_running_job(editor: FakeEditor, client: Client) -> None:
    job_id = await submitted(client)
    editor.jobs[job_id].state = "running"
    await status(client, job_id)
    assert await cancelled(client, job_id) == "cancel_requested"
    assert (await editor.received("cancel"))["target_job_id"] == job_id
    editor.jobs[job_id].finish("cancelled")
    assert (await status(client, job_id))["state"] == "cancelled"


@pytest.mark.parametrize(
    ("state", "outcome"), [("running", "cancel_requested"), ("succeeded", "rejected")]
)
async def test_cancel_a_job_that_went_on_without_our_knowing(
    editor: FakeEditor, client: Client, state: str, outcome: str
) -> None:
    job_id = await submitted(client)
    editor.jobs[job_id].finish(state)
    assert await cancelled(client, job_id) == outcome
    assert (await status(client, job_id))["state"] == state


async def test_two_cancels_at_once(live: LiveServer) -> None:
    await live.editor().connect()
    async with live.client() as client:
        job_id = await submitted(client)
        outcomes = await asyncio.gather(cancelled(client, job_id), cancelled(client, job_id))
        assert sorted(outcomes) == ["cancelled", "rejected"]


async def test_a_cancel_that_unity_says_nothing_to(
    editor: FakeEditor, client: Client, clock: HeldClock
) -> None:
    job_id = await submitted(client)
    editor.held = True
    call = asyncio.create_task(client.call_tool("cancel_job", {"job_id": job_id}))
    await editor.received("cancel")
    clock.advance(5_000)
    assert code_and_guarantee(await call) == ("ERR_REQUEST_TIMEOUT", "unknown")
    editor.held = False
    await editor.tell_job(await editor.received("get_job_status"))  # asked meanwhile
    assert (await status(client, job_id))["state"] == "queued"


@pytest.mark.parametrize(
    ("code", "guarantee"),
    [("ERR_CANCEL_NOT_SUPPORTED", "not_executed"), ("ERR_CANCEL_REJECTED", "unknown")],
)
async def test_a_cancel_that_unity_refuses(
    editor: FakeEditor, client: Client, code: str, guarantee: str
) -> None:
    job_id = await submitted(client)
    editor.held = True
    call = asyncio.create_task(client.call_tool("cancel_job", {"job_id": job_id}))
    await editor.refuse(await editor.received("cancel"), code)
    assert code_and_guarantee(await call) == (code, guarantee)


@pytest.mark.parametrize("tool", ["get_job_status", "cancel_job"])
@pytest.mark.parametrize("comes", [True, False])
async def test_right_after_a_restart_the_editor_is_waited_for(
    live: LiveServer, clock: HeldClock, tool: str, comes: bool, client: Client
) -> None:
    job = Job("Q2", {}, state="running")
    call = asyncio.create_task(client.call_tool(tool, {"job_id": "Q2"}))
    await live.logged("request_state")
    if comes:
        editor = live.editor()
        editor.jobs[job.job_id] = job
        await editor.connect()
        told = result(await call, tool)
        expected = {"get_job_status": "running", "cancel_job": "cancel_requested"}[tool]
        assert expected in (told.get("state"), told.get("status"))
    else:
        clock.advance(3_000)
        told = error(await call)
        assert (told["code"], told["retryable"]) == ("ERR_EDITOR_NOT_READY", True)
        assert "knows no job 'Q2'" in told["message"]


async def test_a_job_outlives_a_restart_of_the_server(editor: FakeEditor, client: Client) -> None:
    job_id = await submitted(client)
    await editor.close()
    async with LiveServer() as restarted, restarted.client() as later:
        again = FakeEditor(restarted.unity_url, jobs=editor.jobs)
        await again.connect()
        assert (await status(later, job_id))["state"] == "queued"
        assert await cancelled(later, job_id) == "cancelled"


async def test_no_jobs_for_a_plugin_that_runs_none(live: LiveServer, client: Client) -> None:
    editor = await live.editor(hello={"editor_instance_id": "e"}).connect()
    called = await client.call_tool("run_tests")
    assert code_and_guarantee(called) == ("ERR_UNKNOWN_COMMAND", "not_executed")
    await succeeded(client, "read_console")
    assert editor.count("submit_job") == 0
