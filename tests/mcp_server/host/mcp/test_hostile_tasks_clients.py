"""Clients that mean ill by tasks: too early, too often, too many, gone in the middle."""

from __future__ import annotations

import asyncio
import json
import threading
from contextlib import suppress
from typing import Any

import pytest
from call_results import result
from fake_editor import PATIENCE_S, FakeEditor, Job
from live_server import NO_HEARTBEAT, HeldClock, LiveServer
from mcp import MCPError
from tasks_client import TaskHandle, TasksClient, tasks_of

from mcp_server.host.mcp import task_store
from mcp_server.host.mcp import tasks as tasks_module
from mcp_server.host.mcp.task_store import Task

pytestmark = pytest.mark.anyio


async def begun(client: TasksClient, tool: str = "run_tests", **arguments: Any) -> str:
    handle = await client.call(tool, arguments)
    assert isinstance(handle, TaskHandle), handle
    return handle.task_id


async def end(editor: FakeEditor, job: Job) -> None:
    job.finish()
    await editor.announce(job)


async def is_gone(client: TasksClient, task_id: str) -> bool:
    with suppress(MCPError):
        await client.ask("get", task_id)
        return False
    return True


async def test_many_verbs_at_once(live: LiveServer) -> None:
    """Each is answered; the Editor hears of a cancel once, and the end is one."""
    editor = await live.editor().connect()
    async with tasks_of(live) as client:
        task_id = await begun(client)
        (job,) = editor.jobs.values()
        job.state = "running"
        await editor.announce(job)
        await live.logged("job_state", job_id=job.job_id, state="running")
        editor.held = True
        verbs = ["get", "cancel", "update"] * 20
        answers = await asyncio.gather(*(client.ask(verb, task_id) for verb in verbs))
        asked = [one["status"] for verb, one in zip(verbs, answers, strict=True) if verb == "get"]
        assert set(asked) == {"working"}
        frame = await editor.received("cancel")
        status = "cancel_requested"
        await editor.say("cancel_result", request_id=frame["request_id"], status=status)
        editor.held = False
        job.finish("cancelled")
        await editor.announce(job)
        assert (await client.until(task_id, "cancelled"))["taskId"] == task_id
        await asyncio.gather(*(client.ask("cancel", task_id) for _ in range(20)))
        assert (await client.ask("get", task_id))["status"] == "cancelled"
    assert editor.count("cancel") == 1


async def test_a_compile_that_more_join_than_there_is_room_for(
    live: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others are answered as if they took no tasks."""
    most = 8
    monkeypatch.setattr(tasks_module, "MAX_OPEN", most)
    editor = await live.editor().connect()
    async with tasks_of(live) as client:
        calls = [asyncio.create_task(client.call("compile")) for _ in range(3 * most)]
        await live.logged("job_accepted", times=len(calls))
        await live.logged("task_created", times=most)
        async with asyncio.timeout(PATIENCE_S):
            while sum(each.done() for each in calls) < most:
                await asyncio.sleep(0.01)
        for job in editor.jobs.values():
            await end(editor, job)
        answers = await asyncio.gather(*calls)
        handles = [each.task_id for each in answers if isinstance(each, TaskHandle)]
        others = [each for each in answers if not isinstance(each, TaskHandle)]
        assert len(handles) == most
        assert {each.structured_content["status"] for each in others} == {"succeeded"}
        for task_id in handles:
            told = (await client.until(task_id, "completed"))["result"]
            assert told["structuredContent"]["status"] == "succeeded"


async def test_more_tasks_than_are_kept(live: LiveServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_store, "MAX_TASKS", 8)
    monkeypatch.setattr(tasks_module, "MAX_TASKS", 8)
    editor = await live.editor().connect()
    async with tasks_of(live) as client:
        task_ids = []
        for _ in range(20):
            task_ids.append(await begun(client))
            await end(editor, list(editor.jobs.values())[-1])
            await client.until(task_ids[-1], "completed")
            while live.server.tasks._live:  # the oldest is told by when it was written
                await asyncio.sleep(0.01)
        assert [await is_gone(client, each) for each in task_ids] == [True] * 12 + [False] * 8
    known = live.server.tasks._of_job
    assert len(known) == 8


@pytest.mark.parametrize("tool", ["run_tests", "compile"])
async def test_who_hangs_up_before_the_handle(
    live: LiveServer, monkeypatch: pytest.MonkeyPatch, tool: str
) -> None:
    """The job goes on, and so does its task: it ends, and takes no room for ever."""
    monkeypatch.setattr(tasks_module, "MAX_OPEN", 1)
    writing, go_on = threading.Event(), threading.Event()
    store = live.server.tasks._store
    write = store.write

    def slowly(task: Task) -> None:
        writing.set()
        assert go_on.wait(PATIENCE_S)
        write(task)

    monkeypatch.setattr(store, "write", slowly)
    editor = await live.editor().connect()
    async with tasks_of(live) as client:
        call = asyncio.create_task(client.call(tool))
        assert await asyncio.to_thread(writing.wait, PATIENCE_S)
        call.cancel()
        await asyncio.wait([call])
        go_on.set()
        created = await live.logged("task_created")
        (job,) = editor.jobs.values()
        await end(editor, job)
        assert (await client.until(created["task_id"], "completed"))["status"] == "completed"
        async with asyncio.timeout(PATIENCE_S):
            while live.server.tasks._live:  # until its end is on disk
                await asyncio.sleep(0.01)
        await begun(client, tool)


async def test_a_silent_editor_is_not_asked_about_each_task(
    live: LiveServer, clock: HeldClock
) -> None:
    """After a restart nobody but the Editor knows the jobs; other calls are not behind all that."""
    editor = await live.editor().connect()
    async with tasks_of(live) as client:
        task_ids = [await begun(client) for _ in range(16)]
    await editor.close()
    live.server.should_exit = True
    await live.task
    async with LiveServer(clock=clock, timing=NO_HEARTBEAT, port=live.port) as restarted:
        again = FakeEditor(restarted.unity_url, jobs=editor.jobs, held=True)
        await again.connect()
        async with tasks_of(restarted) as client:
            polls = asyncio.gather(*(client.ask("get", each) for each in task_ids))
            await again.received("get_job_status")
            clock.advance(5_001)
            assert {each["status"] for each in await polls} == {"working"}
            for _ in range(3):
                polls = asyncio.gather(*(client.ask("get", each) for each in task_ids))
                assert {each["status"] for each in await polls} == {"working"}
            asked = again.count("get_job_status")
            assert asked == 1
            again.held = False
            answer = await client.call("read_console")
            result(answer, "read_console")
            for job in again.jobs.values():
                job.finish()
            for task_id in task_ids:
                told = (await client.until(task_id, "completed"))["result"]
                assert json.loads(json.dumps(told))["isError"] is False
        await again.close()
