"""A job as a task of MCP's extension, through real domain reloads of the package on the bench."""

from __future__ import annotations

import asyncio

import pytest
from stage import Stage
from tasks_client import TaskHandle, TasksClient, TasksClientExtension

from tests.bench.editor import PATIENCE_S

pytestmark = pytest.mark.anyio


async def test_a_run_of_tests_as_a_task_outlives_a_reload(stage: Stage) -> None:
    await stage.do("test edit Game.A.Slow passed 1500", "test edit Game.A.Wrong failed 1 no")
    async with stage.live.client(extensions=[TasksClientExtension()]) as client:
        tasks = TasksClient(client)
        handle = await tasks.call("run_tests", {"mode": "edit"})
        assert isinstance(handle, TaskHandle), handle
        await stage.wait("test_started", name="Game.A.Slow")
        stage.editor.tell("reload")
        await stage.wait("reloaded")
        async with asyncio.timeout(PATIENCE_S):
            ended = await tasks.until(handle.task_id, "completed", "cancelled")
    assert (ended["status"], ended["taskId"]) == ("completed", handle.task_id)
    told = ended["result"]
    assert told["isError"] is False
    summary = told["structuredContent"]["summary"]
    assert (summary["total"], summary["passed"], summary["failed"]) == (2, 1, 1)
    assert [each["name"] for each in told["structuredContent"]["failed_tests"]] == ["Game.A.Wrong"]
    job_id = told["structuredContent"]["job_id"]
    assert (await stage.job(job_id, "succeeded"))["result"]["summary"] == summary
