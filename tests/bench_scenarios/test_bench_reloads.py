"""Compilations and domain reloads: while nothing happens, and while requests are under way."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from call_results import code_and_guarantee
from live_server import LiveServer
from mcp import Client
from stage import Stage, on_stage
from unreliable_line import UnreliableLine

from tests.bench.editor import BenchEditor
from tests.bench.installation import Installation, prepare_project

pytestmark = pytest.mark.anyio


@pytest.mark.sampled(one_in=1_000_000)
async def test_compile_and_reload_while_idle(anywhere: Stage) -> None:
    stage = anywhere
    await stage.do("log error Before")
    begun = len(stage.live.log)
    stage.editor.tell("compile 300")
    reloaded = await stage.wait("reloaded")
    assert reloaded["threads_left"] == []
    assert reloaded["sockets_left"] == 0
    await stage.ready()
    assert await stage.messages() == ["Before"]
    _check_never_ready_before_reload(stage, begun)
    closed = [fields["code"] for event, fields in stage.live.log if "closed" in event]
    assert closed == [1001]


async def test_a_compilation_without_focus_is_not_taken_for_over(stage: Stage) -> None:
    """One update a second: the reload comes seconds after the end of the compilation."""
    await stage.do("unfocus")
    begun = len(stage.live.log)
    stage.editor.tell("compile 100")
    await stage.wait("reloaded")
    await stage.ready()
    _check_never_ready_before_reload(stage, begun)


def _check_never_ready_before_reload(stage: Stage, begun: int) -> None:
    """What the server was told since ``begun``: ready only once the domain has been reloaded."""
    told = [fields["state"] for event, fields in stage.live.log[begun:] if event == "editor_state"]
    states = [state for state, before in zip(told, [None, *told], strict=False) if state != before]
    states = states[states.index("compiling") :]  # before, a slow machine may look blocked
    assert states[-1] == "ready"
    assert states.index("ready") > states.index("unknown")


async def test_a_failed_compilation_is_in_the_console_and_leaves_the_editor_ready(
    stage: Stage,
) -> None:
    stage.editor.tell("compile-fail Assets/Player.cs(12,9): CS0103: The name 'x' does not exist")
    await stage.wait("compiled", failed=True)
    read = await stage.result("read_console", types=["error"])
    (entry,) = read["entries"]
    assert entry["message"] == ("Assets/Player.cs(12,9): error CS0103: The name 'x' does not exist")
    assert (await stage.result("get_editor_state"))["editor_state"] == "ready"
    stage.editor.tell("compile-warn Assets/Player.cs(1,2): CS0168: 'x' is never used")
    await stage.wait("reloaded")
    await stage.ready()
    # Mended: the old error is gone with the compilation, the warning has come.
    messages = await stage.messages(types=["warning"])
    assert messages == ["Assets/Player.cs(1,2): warning CS0168: 'x' is never used"]


async def test_read_console_while_compiling_waits_for_the_new_domain(stage: Stage) -> None:
    await stage.do("log error Kept")
    stage.editor.tell("compile 500")
    await stage.logged("editor_state", state="compiling")
    assert await stage.messages() == ["Kept"]
    assert any(event["event"] == "reloaded" for event in stage.editor.events)


async def test_requests_in_flight_when_the_domain_goes_are_answered(stage: Stage) -> None:
    """Calls in a row, and reloads at once: each call ends, with a result or an honest error."""
    await stage.do("log error Kept")
    stop = asyncio.Event()
    endings: list[str] = []

    async def calling(tool: str) -> None:
        while not stop.is_set():
            called = await stage.call(tool)
            document = called.structured_content or {}
            endings.append("ok" if not called.is_error else document["error"]["code"])

    callers = [asyncio.create_task(calling(t)) for t in ("read_console", "get_play_mode_state")]
    for _ in range(4):
        stage.editor.tell("reload")
        await stage.wait("reloaded")
        await stage.ready()
        await stage.result("get_play_mode_state")
    stop.set()
    await asyncio.gather(*callers)
    assert endings.count("ok") > len(endings) / 2
    timeouts = {"ERR_RECONNECT_TIMEOUT", "ERR_COMPILE_TIMEOUT"}
    assert set(endings) <= {"ok", "ERR_EDITOR_NOT_READY", *timeouts}
    assert await stage.messages() == ["Kept"]


@pytest.mark.sampled(one_in=1_000_000)
async def test_run_tests_across_a_compile_and_reload(anywhere: Stage) -> None:
    stage = anywhere
    for number in range(6):
        outcome = "failed 120 boom" if number == 4 else "passed 120"
        await stage.do(f"test edit Game.Tests.T{number} {outcome}")
    submitted = await stage.result("run_tests", mode="edit")
    job_id = submitted["job_id"]
    await stage.wait("test_finished", name="Game.Tests.T1")
    stage.editor.tell("compile 50")
    await stage.wait("reloaded")
    await stage.wait("run_finished")
    done = await stage.job(job_id, "succeeded", "failed")
    summary = done["result"]["summary"]
    assert {key: summary[key] for key in ("total", "passed", "failed", "skipped")} == {
        "total": 6,
        "passed": 5,
        "failed": 1,
        "skipped": 0,
    }
    assert [test["name"] for test in done["result"]["failed_tests"]] == ["Game.Tests.T4"]


async def test_play_mode_tests_and_both_modes(stage: Stage) -> None:
    await stage.do(
        "test edit Game.E.One passed 5",
        "test edit Game.E.Two failed 5 no",
        "test play Game.P.One passed 5",
    )
    job = (await stage.result("run_tests", mode="play"))["job_id"]
    played = (await stage.job(job, "succeeded"))["result"]
    assert played["summary"]["total"] == 1
    job = (await stage.result("run_tests", mode="all"))["job_id"]
    everything = (await stage.job(job, "succeeded"))["result"]
    assert (everything["summary"]["total"], everything["summary"]["failed"]) == (3, 1)
    job = (await stage.result("run_tests", mode="edit", filter="Game.E.One"))["job_id"]
    assert (await stage.job(job, "succeeded"))["result"]["summary"]["total"] == 1


async def test_progress_is_told(stage: Stage) -> None:
    await stage.do("test edit Game.E.One passed 1", "test edit Game.E.Two passed 600000")
    job = (await stage.result("run_tests", mode="edit"))["job_id"]
    await stage.wait("test_started", name="Game.E.Two")
    expected = {"completed": 1, "total": 2, "current": "Game.E.Two"}
    # An Editor that doesn't answer in time leaves what was known before.
    while (known := await stage.result("get_job_status", job_id=job))["progress"] != expected:
        assert known["state"] in ("queued", "running")
    await stage.result("cancel_job", job_id=job)
    await stage.job(job, "cancelled")


async def test_ends_of_jobs_are_told_and_kept_until_the_server_knows_them(stage: Stage) -> None:
    """Nobody asks about a job: its end is known all the same, also when the line was cut."""
    await stage.do("test edit Game.E.One passed 1")
    jobs = [(await stage.result("run_tests", mode="edit"))["job_id"] for _ in range(10)]
    for job_id in jobs:
        await stage.logged("job_state", job_id=job_id, state="succeeded")
    asked = len(stage.live.log)
    for job_id in jobs:
        told = await stage.result("get_job_status", job_id=job_id)
        assert told["result"]["summary"]["total"] == 1
    assert not any(name == "request_state" for name, _ in stage.live.log[asked:])


async def test_a_server_that_was_away_is_told_of_the_ends_it_missed(
    on_mono: Installation, tmp_path: Path
) -> None:
    async with on_stage(on_mono, tmp_path) as stage:
        await stage.do("test edit Game.E.One passed 1")
        job_id = (await stage.result("run_tests", mode="edit"))["job_id"]
        async with LiveServer() as other:
            port = ("menu Window/Unity MCP Settings", f"type Port = {other.port}", "click Apply")
            await stage.do(*port)
            await other.logged("unity_hello")
            # The run may have ended before the port was typed: the server says when it knows.
            await other.logged("job_state", job_id=job_id, state="succeeded")
            stage.editor.tell("reload")
            await stage.wait("reloaded")
            await other.logged("unity_hello", times=2)
            async with other.client() as client:
                told = await client.call_tool("get_job_status", {"job_id": job_id})
                assert told.structured_content["state"] == "succeeded"


async def test_a_request_that_a_reload_swallows_is_made_again_and_acts_once(
    on_mono: Installation, tmp_path: Path
) -> None:
    """The answer gets lost on its way: the Editor, back from the reload, says it again."""
    async with LiveServer() as live, Client(live.url) as client:
        line = UnreliableLine(live.port)
        await line.open()
        prepare_project(tmp_path, line.port)
        try:
            with BenchEditor(on_mono, tmp_path) as editor:
                stage = Stage(live, editor, client)
                await stage.ready()
                await stage.do("test edit Game.E.One passed 1")
                named = {"mode": "edit", "client_request_id": "mine"}
                sessions = live.server.link.view.plugin_session
                line.stall(up=0)  # from here on, nothing that the Editor says arrives
                calling = asyncio.create_task(stage.call("run_tests", **named))
                await stage.wait("run_finished")  # it has been executed
                stage.editor.tell("reload")
                await stage.wait("reloaded")
                line.drop()
                line.pass_on()
                ended = await calling
                await stage.ready()
                assert code_and_guarantee(ended) == ("ERR_RECONNECT_TIMEOUT", "unknown")
                again = await stage.result("run_tests", **named)
                assert (await stage.job(again["job_id"], "succeeded"))["job_id"] == again["job_id"]
                assert live.server.link.view.plugin_session == sessions
                await stage.result("get_play_mode_state")
                runs = [e for e in stage.editor.events if e["event"] == "run_finished"]
                assert len(runs) == 1
        finally:
            await line.ended()


async def test_a_run_by_hand_is_no_job(stage: Stage) -> None:
    """The Test Runner window's own runs end nobody's job."""
    await stage.do("test edit Game.E.One passed 200", "test edit Game.E.Two failed 1 no")
    await stage.do("run-tests edit")
    job = (await stage.result("run_tests", mode="edit", filter="Game.E.One"))["job_id"]
    done = await stage.job(job, "succeeded")
    assert done["result"]["summary"]["total"] == 1
    for _ in range(2):
        await stage.wait("run_finished")
