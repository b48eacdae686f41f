"""Jobs over Unity's Pipeline package as tasks, and after the server that began them has gone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from call_results import succeeded
from live_server import LiveServer
from mcp import Client, MCPError
from pipeline_editor import PipelineEditor
from pipeline_editor.dialects import Dialect
from running_server import make_project
from tasks_client import TaskHandle, TasksClient, TasksClientExtension

from mcp_server.host.config import EditorRoad
from unity_bridge.timing import Pace

pytestmark = pytest.mark.anyio

WRONG = "Assets/Scripts/Player.cs(5,36): error CS0029: Cannot convert"


@pytest.fixture
def dialect() -> Dialect:
    """What happens here is the same in every one."""
    return Dialect.V1_0


@asynccontextmanager
async def served(project: Path, pace: Pace) -> AsyncIterator[LiveServer]:
    """A server that has found the Editor, on any port."""
    async with LiveServer(project=project, editor=EditorRoad.PIPELINE, pace=pace) as live:
        await live.logged("editor_state", state="ready", connected=True)
        yield live


@asynccontextmanager
async def tasks_of(live: LiveServer) -> AsyncIterator[TasksClient]:
    async with Client(live.url, extensions=[TasksClientExtension()]) as client:
        yield TasksClient(client)


async def begun(client: TasksClient, tool: str, **arguments: Any) -> TaskHandle:
    handle = await client.call(tool, arguments)
    assert isinstance(handle, TaskHandle), handle
    return handle


async def outcome(client: TasksClient, handle: TaskHandle) -> dict[str, Any]:
    async with asyncio.timeout(60):
        task = await client.until(handle.task_id, "completed")
    told: dict[str, Any] = task["result"]
    return told


async def test_tests_as_a_task(connected: LiveServer, unity: PipelineEditor) -> None:
    unity.ends_tests = False
    async with tasks_of(connected) as client:
        handle = await begun(client, "run_tests")
        await asyncio.to_thread(unity.wait_until, lambda: unity.run is not None)
        assert (await client.ask("get", handle.task_id))["status"] == "working"
        unity.begin(unity.reload)
        await asyncio.to_thread(unity.wait_until, lambda: unity.reloads == 1)
        unity.finish_tests()
        told = await outcome(client, handle)
    assert told["structuredContent"]["summary"]["passed"] == 2


async def test_a_compile_as_a_task(connected: LiveServer, unity: PipelineEditor) -> None:
    unity.edit(WRONG)
    async with tasks_of(connected) as client:
        told = await outcome(client, await begun(client, "compile"))
    assert told["isError"] is False
    assert told["structuredContent"]["status"] == "failed"
    assert told["structuredContent"]["errors"][0]["line"] == 5


async def test_a_task_is_cancelled(connected: LiveServer, unity: PipelineEditor) -> None:
    unity.ends_tests = False
    async with tasks_of(connected) as client:
        handle = await begun(client, "run_tests")
        await asyncio.to_thread(unity.wait_until, lambda: unity.run is not None)
        await client.ask("cancel", handle.task_id)
        async with asyncio.timeout(60):
            await client.until(handle.task_id, "cancelled")
    assert len(unity.did("cancel_tests")) == 1


@pytest.mark.parametrize("ends", ["while nobody serves", "under the next server"])
async def test_a_run_outlives_the_server(
    project: Path, pace: Pace, unity: PipelineEditor, tmp_path: Path, ends: str
) -> None:
    """On another port, while another project's server has that of the first for a while."""
    unity.ends_tests = False
    async with served(project, pace) as live, tasks_of(live) as client:
        handle = await begun(client, "run_tests", filter="Works")
        await asyncio.to_thread(unity.wait_until, lambda: unity.run is not None)
    elsewhere = make_project(tmp_path / "elsewhere")
    road = EditorRoad.PIPELINE
    others = LiveServer(project=elsewhere, editor=road, pace=pace, port=live.port)
    async with others as other, tasks_of(other) as client:
        with pytest.raises(MCPError):
            await client.ask("get", handle.task_id)
    if ends == "while nobody serves":
        unity.finish_tests()
    async with served(project, pace) as second, tasks_of(second) as client:
        if unity.run is not None:
            assert (await client.ask("get", handle.task_id))["status"] == "working"
            unity.finish_tests()
        told = await outcome(client, handle)
        assert told["structuredContent"]["summary"]["total"] == 1
    assert len(unity.did("run_tests")) == 1, "nothing is started twice"


async def test_an_id_without_a_task_is_known_after_a_restart(
    project: Path, pace: Pace, unity: PipelineEditor
) -> None:
    unity.ends_tests = False
    async with served(project, pace) as live, live.client() as client:
        started = await succeeded(client, "run_tests")
        await asyncio.to_thread(unity.wait_until, lambda: unity.run is not None)
    async with served(project, pace) as second, second.client() as client:
        ask = {"job_id": started["job_id"]}
        status = await succeeded(client, "get_job_status", **ask)
        assert status["state"] == "running"
        again = await client.call_tool("run_tests")
        assert again.is_error, "there is one already"
        unity.finish_tests()
        await second.logged("job_state", state="succeeded")


async def test_a_run_whose_editor_has_gone_meanwhile(
    project: Path, pace: Pace, unity: PipelineEditor
) -> None:
    unity.ends_tests = False
    async with served(project, pace) as live, tasks_of(live) as client:
        handle = await begun(client, "run_tests")
        await asyncio.to_thread(unity.wait_until, lambda: unity.run is not None)
    unity.restart()
    async with served(project, pace) as second, tasks_of(second) as client:
        told = await outcome(client, handle)
    assert told["isError"] is True
    assert told["structuredContent"]["error"]["details"]["execution_guarantee"] == "unknown"


async def test_a_compile_that_the_next_server_follows(
    project: Path, pace: Pace, unity: PipelineEditor
) -> None:
    unity.edit(WRONG)
    unity.compile_s = 1
    async with served(project, pace) as live, tasks_of(live) as client:
        handle = await begun(client, "compile")
        await asyncio.to_thread(unity.wait_until, lambda: unity.state == "compiling")
    async with served(project, pace) as second, tasks_of(second) as client:
        told = await outcome(client, handle)
    assert told["structuredContent"]["status"] == "failed"
    assert told["structuredContent"]["errors"][0]["line"] == 5


async def test_what_is_kept_of_ended_jobs_goes(
    connected: LiveServer, unity: PipelineEditor
) -> None:
    folder = connected.server.kept.folder / "jobs"
    async with tasks_of(connected) as client:
        handle = await begun(client, "run_tests")
        (kept,) = folder.iterdir()
        assert kept.stat().st_mode & 0o077 == 0
        assert unity.token not in kept.read_text()
        await outcome(client, handle)
    async with asyncio.timeout(20):
        while list(folder.iterdir()):
            await asyncio.sleep(0.01)
