"""Jobs as tasks of MCP's extension: real clients, with and without it, over real HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import jsonschema
import pytest
from call_results import result
from fake_editor import COMPILED, PATIENCE_S, TESTS_PASSED, FakeEditor, Job
from live_server import NO_HEARTBEAT, HeldClock, LiveServer
from mcp import MCPError
from running_server import make_project
from tasks_client import TaskHandle, TasksClient, tasks_of

from mcp_server.contract.catalog import CATALOG
from mcp_server.editor import job_watch
from mcp_server.host import serve as serve_module
from mcp_server.host.config import EditorRoad
from mcp_server.host.mcp import task_store
from mcp_server.host.mcp import tasks as tasks_module
from mcp_server.host.mcp.mcp_endpoint import make_mcp_server
from mcp_server.host.mcp.task_store import Task, TaskStore, new_task_id
from unity_bridge.link import Completed

pytestmark = pytest.mark.anyio

CONTRACTS = Path(__file__).parents[4] / "contracts" / "tasks"
NO_TASK = "0" * 32
EXTENSION = "io.modelcontextprotocol/tasks"


@asynccontextmanager
async def restarted_after(live: LiveServer, editor: FakeEditor) -> AsyncIterator[LiveServer]:
    """The server that follows ``live`` on its port, whose Editor has gone too."""
    await editor.close()
    live.server.should_exit = True
    await live.task
    async with LiveServer(timing=NO_HEARTBEAT, port=live.port) as restarted:
        yield restarted


async def begun(client: TasksClient, tool: str = "run_tests", **arguments: Any) -> TaskHandle:
    handle = await client.call(tool, arguments)
    assert isinstance(handle, TaskHandle), handle
    keeps_contract("created", handle.model_dump(by_alias=True, mode="json", exclude_none=True))
    return handle


def keeps_contract(name: str, document: Any) -> None:
    jsonschema.validate(document, json.loads((CONTRACTS / f"{name}.json").read_bytes()))


async def ended(client: TasksClient, task_id: str, status: str = "completed") -> dict[str, Any]:
    async with asyncio.timeout(20):
        task = await client.until(task_id, status)
    keeps_contract("get", task)
    return task


async def refused(client: TasksClient, verb: str, task_id: str) -> int:
    with pytest.raises(MCPError) as refusal:
        await client.ask(verb, task_id)
    return refusal.value.error.code


async def test_tests_run_as_a_task(live: LiveServer) -> None:
    editor = await live.editor().connect()
    async with tasks_of(live) as client:
        handle = await begun(client, mode="edit")
        assert (handle.status, handle.poll_interval_ms) == ("working", 1_000)
        assert handle.ttl_ms == 300_000 + 30 * 60_000
        (job,) = editor.jobs.values()
        working = await client.ask("get", handle.task_id)
        keeps_contract("get", working)
        assert (working["status"], working["statusMessage"]) == ("working", "queued")
        job.state, job.progress = "running", {"completed": 1, "total": 2, "current": "A"}
        await editor.announce(job)
        await live.logged("job_state", job_id=job.job_id, state="running")
        assert (await client.ask("get", handle.task_id))["statusMessage"] == "running, 1 of 2, A"
        job.finish()
        await editor.announce(job)
        told = (await ended(client, handle.task_id))["result"]
        assert told["isError"] is False
        assert told["structuredContent"] == {"job_id": job.job_id, **TESTS_PASSED}
        assert "2 passed" in told["content"][0]["text"]
        jsonschema.validate(
            told["structuredContent"], CATALOG["run_tests"].to_mcp()["outputSchema"]
        )


async def test_a_tool_that_fails_is_completed(live: LiveServer) -> None:
    editor = await live.editor().connect()
    async with tasks_of(live) as client:
        handle = await begun(client)
        (job,) = editor.jobs.values()
        job.finish("failed", {"code": "ERR_COMPILE_ERRORS", "message": "does not compile"})
        await editor.announce(job)
        told = (await ended(client, handle.task_id))["result"]
        assert told["isError"] is True
        error = told["structuredContent"]["error"]
        assert error["code"] == "ERR_UNITY_EXECUTION"
        assert error["details"]["plugin_error_code"] == "ERR_COMPILE_ERRORS"


async def test_what_is_refused_at_once_is_no_task(live: LiveServer) -> None:
    async with tasks_of(live) as client:
        answer = await client.call("run_tests", {"mode": "no such mode"})
        assert answer.is_error
        assert answer.structured_content["error"]["code"] == "ERR_INVALID_PARAMS"
        assert not (await client.call("get_editor_state")).is_error


@pytest.mark.parametrize("tool", ["run_tests", "compile"])
async def test_a_task_outlives_a_reload_and_its_server(live: LiveServer, tool: str) -> None:
    editor = await live.editor().connect()
    async with tasks_of(live) as client:
        handle = await begun(client, tool)
    async with restarted_after(live, editor) as restarted:
        async with tasks_of(restarted) as client:
            away = await client.ask("get", handle.task_id)
            assert away["status"] == "working"
            assert away["createdAt"] == handle.created_at
            assert away["statusMessage"] == "waiting for Unity: no_editor"
            again = FakeEditor(restarted.unity_url, jobs=editor.jobs)
            await again.connect()
            assert (await client.ask("get", handle.task_id))["statusMessage"] == "queued"
            (job,) = again.jobs.values()
            job.finish()
            await again.announce(job)
            first = await ended(client, handle.task_id)
        await restarted.logged("task_ended", task_id=handle.task_id)
        await again.close()
    async with LiveServer(timing=NO_HEARTBEAT, port=live.port) as third, tasks_of(third) as client:
        assert await client.ask("get", handle.task_id) == first


async def followed(restarted: LiveServer, editor: FakeEditor) -> None:
    """The Editor's job ends under a server that came back, which lets it be forgotten."""
    again = await FakeEditor(restarted.unity_url, jobs=editor.jobs).connect()
    (job,) = again.jobs.values()
    job.finish()
    await again.announce(job)
    assert (await again.received("job_confirmed"))["job_id"] == job.job_id
    again.jobs.clear()
    await again.close()


async def test_a_task_is_its_projects_whatever_the_port(tmp_path: Path, clock: HeldClock) -> None:
    mine, others = (make_project(tmp_path / name) for name in ("mine", "others"))
    road = EditorRoad.PLUGIN
    async with LiveServer(project=mine, clock=clock, timing=NO_HEARTBEAT, editor=road) as live:
        editor = await live.editor().connect()
        async with tasks_of(live) as client:
            handle = await begun(client)
        await editor.close()
    async with LiveServer(project=others, port=live.port, editor=road) as other:
        await other.editor().connect()
        async with tasks_of(other) as client:
            for verb in ("get", "cancel"):
                assert await refused(client, verb, handle.task_id) == -32602
        async with (
            LiveServer(project=mine, timing=NO_HEARTBEAT, editor=road) as back,
            LiveServer(project=mine, timing=NO_HEARTBEAT, editor=road) as beside,
        ):
            assert back.port != live.port
            async with tasks_of(beside) as client:
                assert await refused(client, "get", handle.task_id) == -32602
            await followed(back, editor)
            async with tasks_of(back) as client:
                told = (await ended(client, handle.task_id))["result"]
            assert told["structuredContent"]["summary"] == TESTS_PASSED["summary"]


async def test_everyone_with_a_task_of_a_compilation_is_told_its_end(live: LiveServer) -> None:
    editor = await live.editor().connect()
    editor.held = True
    async with tasks_of(live) as one, tasks_of(live) as other:
        calls = [asyncio.create_task(begun(client, "compile")) for client in (one, other)]
        job = await editor.accept(await editor.received("submit_job"))
        second = (await editor.received("submit_job"))["request_id"]
        await editor.say(
            "submit_job_result", request_id=second, status="accepted", job_id=job.job_id
        )
        handles = [await call for call in calls]
    async with restarted_after(live, editor) as restarted:
        await followed(restarted, editor)
    async with LiveServer(timing=NO_HEARTBEAT, port=live.port) as third, tasks_of(third) as client:
        await third.editor().connect()
        for handle in handles:
            told = (await ended(client, handle.task_id))["result"]
            assert told["structuredContent"] == {**COMPILED, "link": "plugin"}


class HeldStore(TaskStore):
    """Keeps tasks as the real one does; the end of one when it is released, or not at all."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.released, self.full, self.began = threading.Event(), False, threading.Event()

    def write(self, task: Task) -> None:
        if task.end is not None:
            self.began.set()
            assert self.released.wait(PATIENCE_S)
            if self.full:
                raise OSError("no space left")
        super().write(task)


@pytest.fixture
def held(live: LiveServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HeldStore:
    store = HeldStore(tmp_path / "tasks")
    monkeypatch.setattr(live.server.tasks, "_store", store)
    return store


def end_on_disk(store: TaskStore, task_id: str) -> dict[str, Any]:
    kept = store.read(task_id)
    assert kept is not None
    assert kept.end is not None
    return kept.end


async def nothing_confirmed(live: LiveServer, editor: FakeEditor) -> None:
    """Whatever the server had to say before this call, the Editor has received."""
    async with live.client() as client:
        result(await client.call_tool("get_play_mode_state"), "get_play_mode_state")
    assert editor.count("job_confirmed") == 0


async def confirmed_once_on_disk(
    live: LiveServer, held: HeldStore, editor: FakeEditor, task_id: str
) -> None:
    """The end of a job whose writing is held is confirmed when it is written, and not before."""
    assert await asyncio.to_thread(held.began.wait, PATIENCE_S)
    editor.held = False
    await nothing_confirmed(live, editor)
    held.released.set()
    await editor.received("job_confirmed")
    assert end_on_disk(held, task_id)["status"] == "completed"


@pytest.mark.parametrize("tool", ["run_tests", "compile"])
async def test_an_end_is_confirmed_once_it_is_on_disk(
    live: LiveServer, held: HeldStore, tool: str
) -> None:
    editor = await live.editor().connect()
    async with tasks_of(live) as client:
        handle = await begun(client, tool)
        (job,) = editor.jobs.values()
        job.finish()
        for _ in range(3):
            await editor.announce(job)
        await confirmed_once_on_disk(live, held, editor, handle.task_id)


async def test_an_end_that_cannot_be_written_is_not_confirmed_until_it_can(
    live: LiveServer, held: HeldStore
) -> None:
    held.full = True
    held.released.set()
    editor = await live.editor().connect()
    async with tasks_of(live) as client:
        handle = await begun(client)
        (job,) = editor.jobs.values()
        job.finish()
        await editor.announce(job)
        await live.logged("task_not_stored")
        await nothing_confirmed(live, editor)
        await ended(client, handle.task_id)
        held.full = False
        await editor.announce(job)  # as it does whenever it connects
        await editor.received("job_confirmed")
        assert end_on_disk(held, handle.task_id)["status"] == "completed"


@pytest.mark.parametrize("tool", ["run_tests", "compile"])
async def test_a_job_that_ends_before_its_task_is_on_disk(
    live: LiveServer, monkeypatch: pytest.MonkeyPatch, tool: str
) -> None:
    """What is written first can't replace what is written last; nothing is confirmed before."""
    store, announced = live.server.tasks._store, threading.Event()
    write = store.write

    def after_the_end(task: Task) -> None:
        assert announced.wait(PATIENCE_S)
        write(task)

    monkeypatch.setattr(store, "write", after_the_end)
    editor = await live.editor().connect()
    async with tasks_of(live) as client:
        call = asyncio.create_task(begun(client, tool))
        await live.logged("job_accepted")
        (job,) = editor.jobs.values()
        job.finish()
        await editor.announce(job)
        await live.logged("job_state", job_id=job.job_id, state="succeeded")
        await nothing_confirmed(live, editor)
        announced.set()
        handle = await call
        await editor.received("job_confirmed")
        assert end_on_disk(store, handle.task_id)["status"] == "completed"


def of_call(frame: dict[str, Any]) -> Job:
    """A job of the Editor's for a call, which hasn't been told of it; it has ended."""
    job = Job("ended-first", frame["params"], frame["tool_name"])
    job.finish()
    return job


async def accept(editor: FakeEditor, frame: dict[str, Any], job: Job) -> None:
    answer = {"request_id": frame["request_id"], "job_id": job.job_id}
    await editor.say("submit_job_result", status="accepted", **answer)


@pytest.mark.parametrize(
    ("tool", "meanwhile"),
    [
        ("run_tests", "nothing"),
        ("run_tests", "something"),
        ("run_tests", "a reload"),
        ("compile", "a reload"),
    ],
)
async def test_an_end_before_the_acceptance_is_confirmed_once_it_is_on_disk(
    live: LiveServer, clock: HeldClock, held: HeldStore, tool: str, meanwhile: str
) -> None:
    editor = await live.editor(held=True).connect()
    async with tasks_of(live) as client:
        call = asyncio.create_task(begun(client, tool))
        frame = await editor.received("submit_job")
        job = of_call(frame)
        clock.advance(1)
        if meanwhile == "a reload":
            await editor.reload()
            await editor.connect(open_requests=[frame["request_id"]])
        await editor.announce(job)
        if meanwhile != "nothing":
            await live.logged("job_state", job_id=job.job_id, state="succeeded")
            await editor.announce(job)
        await accept(editor, frame, job)
        handle = await call
        await confirmed_once_on_disk(live, held, editor, handle.task_id)
        await ended(client, handle.task_id)


async def test_an_end_and_then_the_acceptance_in_one_read(
    live: LiveServer, held: HeldStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However few steps of the loop are between the two."""
    editor = await live.editor(held=True).connect()
    async with tasks_of(live) as client:
        call = asyncio.create_task(begun(client))
        frame = await editor.received("submit_job")
        job, watch = of_call(frame), live.server.editor_tools._watch
        confirm = watch._confirm_once_kept

        def accepted_at_once(job_id: str) -> Coroutine[Any, Any, None]:
            body = {"status": "accepted", "job_id": job_id}
            watch._requests.on_answer(frame["request_id"], Completed(body))
            return confirm(job_id)

        monkeypatch.setattr(watch, "_confirm_once_kept", accepted_at_once)
        await editor.announce(job)
        handle = await call
        await confirmed_once_on_disk(live, held, editor, handle.task_id)


async def test_ends_of_nobodys_jobs_wait_for_calls_within_bounds(
    live: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_watch, "MAX_ENDED", 3)
    editor = await live.editor(held=True).connect()
    async with tasks_of(live) as client:
        call = asyncio.create_task(client.call("run_tests"))
        frame = await editor.received("submit_job")
        for number in range(9):
            job = Job(f"nobodys-{number}", {})
            job.finish()
            await editor.announce(job)
            await live.logged("job_state", job_id=job.job_id, state="succeeded")
        assert len(live.server.editor_tools._watch._confirming) == 3
        assert editor.count("job_confirmed") == 0
        await editor.refuse(frame, "ERR_BUSY")  # no call's: nothing more to wait for
        assert (await call).is_error
        told = {(await editor.received("job_confirmed"))["job_id"] for _ in range(3)}
        assert told == {f"nobodys-{number}" for number in range(3)}
        await editor.announce(job)
        assert (await editor.received("job_confirmed"))["job_id"] == job.job_id


@pytest.mark.parametrize("tool", ["run_tests", "compile"])
async def test_who_hangs_up_before_the_acceptance_stops_neither_job_nor_task(
    live: LiveServer, held: HeldStore, tool: str
) -> None:
    editor = await live.editor(held=True).connect()
    async with tasks_of(live) as client:
        call = asyncio.create_task(client.call(tool, {"client_request_id": "once"}))
        frame = await editor.received("submit_job")
        call.cancel()
        await live.logged("request_abandoned", tool=tool)
        job = of_call(frame)
        await accept(editor, frame, job)
        created = await live.logged("task_created", job_id=job.job_id)
        await editor.announce(job)
        await confirmed_once_on_disk(live, held, editor, created["task_id"])
        await ended(client, created["task_id"])


async def test_who_hangs_up_before_it_was_sent_has_no_job(live: LiveServer) -> None:
    editor = await live.editor(held=True).connect()
    async with tasks_of(live) as client:
        before = asyncio.create_task(client.call("read_console"))
        frame = await editor.received("execute")
        call = asyncio.create_task(client.call("run_tests"))
        await live.logged("request_state", state="queued", times=2)
        call.cancel()
        await live.logged("request_abandoned", tool="run_tests")
        editor.held = False
        await editor.answer(frame)
        await before
        await nothing_confirmed(live, editor)
        assert editor.count("submit_job") == 0


@pytest.mark.parametrize("tool", ["run_tests", "compile"])
async def test_a_call_that_is_repeated_after_a_restart_finds_the_end_on_disk(
    live: LiveServer, tool: str
) -> None:
    """Although the Editor, which was told that it is kept, has dropped it."""
    editor = await live.editor(memory_id="of this Editor").connect()
    async with tasks_of(live) as client:
        first = await begun(client, tool, client_request_id="once")
        (job,) = editor.jobs.values()
        job.finish()
        await editor.announce(job)
        await editor.received("job_confirmed")
        told = await ended(client, first.task_id)
    async with restarted_after(live, editor) as restarted:
        again = FakeEditor(restarted.unity_url, memory_id=editor.memory_id, memory=editor.memory)
        await again.connect()
        async with tasks_of(restarted) as client:
            answer = await client.call(tool, {"client_request_id": "once"})
            assert (answer.task_id, answer.status) == (first.task_id, "completed")
            assert (await client.ask("get", first.task_id)) == told
        await again.close()


async def test_a_call_that_is_repeated_asks_anew_where_the_first_one_did_not_wait(
    live: LiveServer,
) -> None:
    """That a caller's time was over is no end of its job."""
    editor = await live.editor(memory_id="of this Editor").connect()
    async with tasks_of(live) as client:
        first = await begun(client, "compile", client_request_id="once")
    async with restarted_after(live, editor) as restarted:
        store = restarted.server.tasks._store
        lost = {"error": {"details": {"execution_guarantee": "unknown"}}}
        end = {"status": "completed", "result": {"isError": True, "structuredContent": lost}}
        kept = store.read(first.task_id)
        assert kept is not None
        restarted.server.tasks._keep(kept, end)
        again = FakeEditor(
            restarted.unity_url,
            jobs=editor.jobs,
            memory_id=editor.memory_id,
            memory=editor.memory,
        )
        await again.connect()
        async with tasks_of(restarted) as client:
            second = await begun(client, "compile", client_request_id="once")
            (job,) = again.jobs.values()
            job.finish()
            await again.announce(job)
            told = (await ended(client, second.task_id))["result"]
            assert told["structuredContent"] == {**COMPILED, "link": "plugin"}
        await again.close()


async def test_a_job_that_the_editor_has_forgotten(live: LiveServer) -> None:
    editor = await live.editor().connect()
    async with tasks_of(live) as client:
        handle = await begun(client)
    async with restarted_after(live, editor) as restarted:
        await restarted.editor().connect()
        async with tasks_of(restarted) as client:
            told = (await ended(client, handle.task_id))["result"]
            assert told["isError"] is True
            details = told["structuredContent"]["error"]["details"]
            assert details["execution_guarantee"] == "unknown"


async def test_cancel(live: LiveServer) -> None:
    editor = await live.editor().connect()
    async with tasks_of(live) as client:
        handle = await begun(client)
        keeps_contract("acknowledged", await client.ask("cancel", handle.task_id))
        await client.ask("cancel", handle.task_id)
        await ended(client, handle.task_id, "cancelled")
        await client.ask("cancel", handle.task_id)
        assert (await client.ask("get", handle.task_id))["status"] == "cancelled"
        (job,) = editor.jobs.values()
        assert job.state == "cancelled"


async def test_cancel_without_an_editor_is_made_up_for(live: LiveServer) -> None:
    editor = await live.editor().connect()
    async with tasks_of(live) as client:
        handle = await begun(client)
    async with restarted_after(live, editor) as restarted:
        async with tasks_of(restarted) as client:
            await client.ask("cancel", handle.task_id)
            again = FakeEditor(restarted.unity_url, jobs=editor.jobs)
            await again.connect()
            await ended(client, handle.task_id, "cancelled")
        await again.close()


async def test_a_compilation_goes_on_after_a_cancel(live: LiveServer) -> None:
    editor = await live.editor().connect()
    async with tasks_of(live) as client:
        handle = await begun(client, "compile")
        await client.ask("cancel", handle.task_id)
        (job,) = editor.jobs.values()
        assert (await client.ask("get", handle.task_id))["status"] == "working"
        job.finish()
        await editor.announce(job)
        await ended(client, handle.task_id)
        assert editor.count("cancel") == 0


async def test_the_same_request_again_is_the_same_task_and_serves_whoever_has_its_id(
    live: LiveServer,
) -> None:
    editor = await live.editor().connect()
    async with tasks_of(live) as client, tasks_of(live) as other:
        first = await begun(client, client_request_id="once")
        assert (await begun(client, client_request_id="once")).task_id == first.task_id
        assert len(editor.jobs) == 1
        assert (await other.ask("get", first.task_id))["status"] == "working"


async def test_ids_that_name_no_task(live: LiveServer) -> None:
    async with tasks_of(live) as client:
        for task_id in (NO_TASK, "", "../../x", "é" * 9_000, "A" * 32):
            for verb in ("get", "cancel", "update"):
                assert await refused(client, verb, task_id) == -32602, task_id
    for no_id in (None, 1, ["x"]):
        answer = await posted(
            live, {"extensions": {EXTENSION: {}}}, method="tasks/get", taskId=no_id
        )
        assert answer["error"]["code"] == -32602
        assert "taskId must be a string" in answer["error"]["message"]


async def test_a_task_that_has_expired(live: LiveServer, monkeypatch: pytest.MonkeyPatch) -> None:
    await live.editor().connect()
    async with tasks_of(live) as client:
        handle = await begun(client)
        later = live.server.tasks._wall_clock_s() + 3_000  # longer than its ttl
        monkeypatch.setattr(live.server.tasks, "_wall_clock_s", lambda: later)
        assert await refused(client, "get", handle.task_id) == -32602


async def test_without_the_extension_tasks_are_not_served(live: LiveServer) -> None:
    async with live.client() as client:
        assert await refused(TasksClient(client), "get", NO_TASK) == -32021
    async with live.client(mode="legacy") as client:
        assert await refused(TasksClient(client), "get", NO_TASK) == -32601


FIRST_JOB = "the first one"
LEGACY = "2025-06-18"
MODERN = "2026-07-28"

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("run_tests", {"mode": "edit"}),
    ("get_job_status", {"job_id": FIRST_JOB}),
    ("cancel_job", {"job_id": FIRST_JOB}),
    ("compile", {}),
    ("compile", {"stop_play_mode": "perhaps"}),
    ("run_tests", {"mode": "no such mode"}),
    ("get_job_status", {"job_id": "nobody"}),
    ("get_play_mode_state", {}),
    ("get_editor_state", {}),
    ("no_such_tool", {}),
]


@pytest.mark.parametrize("version", [MODERN, LEGACY])
async def test_byte_for_byte_as_without_tasks(
    monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    """A server that has tasks, and one that has none, to a client that doesn't declare them."""
    with_tasks = await all_bytes(version)
    monkeypatch.setattr(
        serve_module,
        "make_mcp_server",
        lambda coordinator, _tasks, *told: make_mcp_server(coordinator, (), *told),
    )
    without = await all_bytes(version)
    assert len(with_tasks) == len(without) > len(CALLS)
    for one, other in zip(with_tasks, without, strict=True):
        assert one == other
    assert b"ERR_JOB_NOT_FOUND" in b"".join(without)
    assert b"succeeded" in b"".join(without)


async def all_bytes(version: str) -> list[bytes]:
    """Every answer of a new server to a new client, as it came."""
    answers = []
    async with LiveServer(clock=HeldClock(), timing=NO_HEARTBEAT) as live:
        editor = await live.editor().connect()
        async with httpx2.AsyncClient(timeout=PATIENCE_S) as http:
            if version == LEGACY:
                about = {"name": "by hand", "version": "1"}
                hello = {"protocolVersion": version, "capabilities": {}, "clientInfo": about}
                answers.append(await bytes_of(http, live, version, "initialize", hello))
            answers.append(await bytes_of(http, live, version, "tools/list", {}))
            answers.append(await bytes_of(http, live, version, "tasks/list", {}))
            for tool, arguments in CALLS:
                asked = dict(arguments)
                if asked.get("job_id") == FIRST_JOB:
                    asked["job_id"] = next(iter(editor.jobs))
                params = {"name": tool, "arguments": asked}
                call = asyncio.create_task(bytes_of(http, live, version, "tools/call", params))
                if (tool, arguments) == ("compile", {}):
                    await live.logged("job_accepted", tool="compile")
                    job = list(editor.jobs.values())[-1]
                    job.finish()
                    await editor.announce(job)
                answers.append(await call)
    chosen = [str(live.port), *editor.jobs]  # what differs from one run to the next
    for n, word in enumerate(chosen):
        answers = [answer.replace(word.encode(), f"CHOSEN-{n}".encode()) for answer in answers]
    return answers


async def bytes_of(
    http: httpx2.AsyncClient, live: LiveServer, version: str, method: str, params: dict[str, Any]
) -> bytes:
    headers = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": version,
    }
    if version == MODERN:
        meta = {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        headers |= {"Mcp-Method": method, "Mcp-Name": params.get("name", "")}
        params = {**params, "_meta": meta}
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return (await http.post(live.url, json=request, headers=headers)).content


async def test_malformed_settings_and_the_older_wire_declare_nothing(live: LiveServer) -> None:
    await live.editor().connect()
    for settings in (None, "yes", 1, [], True):
        answer = await posted(live, {"extensions": {EXTENSION: settings}})
        assert "task" not in json.dumps(answer.get("result", {})), settings
        assert "job_id" in json.dumps(answer) or answer["error"]["code"] == -32602, settings
    plain = await posted(live, {}, task={"ttl": 60_000})
    assert plain["result"]["structuredContent"]["state"] == "queued"
    new = await posted(live, {"extensions": {EXTENSION: {}}}, task={"ttl": 60_000})
    assert new["result"]["resultType"] == "task"


async def posted(
    live: LiveServer, capabilities: Any, *, method: str = "tools/call", **more: Any
) -> dict[str, Any]:
    """The answer to a request written by hand; by default one of ``run_tests``."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    }
    params = {"name": "run_tests", "arguments": {}, "_meta": meta, **more}
    headers = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": method,
        "Mcp-Name": "run_tests",
    }
    async with httpx2.AsyncClient() as http:
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answer: dict[str, Any] = (await http.post(live.url, json=request, headers=headers)).json()
    return answer


async def test_without_room_calls_answer_as_to_others(
    live: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks_module, "MAX_OPEN", 1)
    editor = await live.editor().connect()
    async with tasks_of(live) as client:
        await begun(client)
        answer = await client.call("run_tests")
        assert answer.structured_content == {"job_id": list(editor.jobs)[-1], "state": "queued"}


@pytest.mark.skipif(os.name != "posix", reason="a folder that is a file")
async def test_a_task_that_cannot_be_kept_is_not_given_out(
    live: LiveServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setattr(live.server.tasks, "_store", TaskStore(tmp_path / "file" / "tasks"))
    editor = await live.editor().connect()
    async with tasks_of(live) as client:
        answer = await client.call("run_tests")
        assert answer.structured_content["state"] == "queued"
        compiling = asyncio.create_task(client.call("compile"))
        await editor.received("submit_job")
        await live.logged("task_not_stored", times=2)
        job = list(editor.jobs.values())[-1]
        job.finish()
        await editor.announce(job)
        assert (await compiling).structured_content["status"] == "succeeded"


def test_tasks_on_disk_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_store, "MAX_TASKS", 20)
    store = TaskStore(tmp_path / "tasks")
    written = [Task(new_task_id(), "run_tests", "j", 0, 0, 10, []) for _ in range(29)]
    for number, task in enumerate(written):
        store.write(task)
        path = tmp_path / "tasks" / f"{task.task_id}.json"
        os.utime(path, ns=(number, number))
    assert len(store.load_tasks(5)) <= 20
    assert store.read(written[0].task_id) is None
    assert store.read(written[-1].task_id) == written[-1]
    assert store.load_tasks(10) == []
    assert list((tmp_path / "tasks").iterdir()) == []


def test_an_old_task_that_cannot_be_removed_keeps_no_new_one_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On Windows: a virus scanner has it open."""
    store = TaskStore(tmp_path)
    monkeypatch.setattr(task_store, "MAX_TASKS", 2)

    def held_open(path: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "used by another process", str(path))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", held_open)
        for number in range(4):
            store.write(Task(new_task_id(), "run_tests", f"j{number}", 0, 0, 10, []))
        assert len(store.load_tasks(5)) == 4
    store.write(Task(new_task_id(), "run_tests", "last", 0, 0, 10, []))
    assert len(store.load_tasks(5)) == 2


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{}", b"[" * 99_999, b'{"task_id": 1}', b"\xff\xfe"]
)
def test_files_that_are_no_tasks(tmp_path: Path, content: bytes) -> None:
    (tmp_path / f"{NO_TASK}.json").write_bytes(content)
    store = TaskStore(tmp_path)
    assert store.read(NO_TASK) is None
    assert store.load_tasks(0) == []
