"""Progress of calls that take long, as clients hear it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from call_results import result
from live_server import NO_HEARTBEAT, HeldClock, LiveServer
from running_server import SCRIPT

from mcp_server.host.mcp.clients import sending_progress

pytestmark = pytest.mark.anyio


class Heard:
    """What a client was told, and a wait for more of it."""

    def __init__(self) -> None:
        self.notices: list[tuple[float, float | None, str | None]] = []
        self._more = asyncio.Event()

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None:
        self.notices.append((progress, total, message))
        self._more.set()

    async def more(self) -> tuple[float, float | None, str | None]:
        async with asyncio.timeout(20):
            await self._more.wait()
        self._more.clear()
        return self.notices[-1]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_an_editor_that_takes_long_is_told_of(mode: Any) -> None:
    clock, heard = HeldClock(), Heard()
    async with LiveServer(clock=clock, timing=NO_HEARTBEAT) as live:
        editor = await live.editor(held=True).connect()
        async with live.client(mode=mode) as client:
            call = asyncio.create_task(client.call_tool("read_console", progress_callback=heard))
            frame = await editor.received("execute")
            for seconds in (1.0, 2.0):
                clock.advance(1_000)
                assert await heard.more() == (seconds, None, "Unity has not answered yet")
            await editor.answer(frame)
            result(await call, "read_console")
            clock.advance(5_000)
            await client.list_tools()
            assert len(heard.notices) == 2


async def test_a_job_of_which_nothing_is_new_is_told_of() -> None:
    clock, heard = HeldClock(), Heard()
    async with LiveServer(clock=clock, timing=NO_HEARTBEAT) as live:
        editor = await live.editor().connect()
        async with live.client() as client:
            job_id = result(await client.call_tool("run_tests"), "run_tests")["job_id"]
            asking = {"job_id": job_id, "wait_ms": 9_000}
            call = asyncio.create_task(
                client.call_tool("get_job_status", asking, progress_callback=heard)
            )
            assert await heard.more() == (0.0, None, "queued")
            job = editor.jobs[job_id]
            job.state, job.progress = "running", {"completed": 1, "total": 2, "current": "A"}
            await editor.announce(job)
            assert await heard.more() == (1.0, 2.0, "A")
            while len(heard.notices) < 3:
                clock.advance(500)
                await asyncio.sleep(0.01)
            progress, total, message = heard.notices[2]
            assert 1.0 < progress < 1.1
            assert (total, message) == (2.0, "A")
            job.finish()
            await editor.announce(job)
            result(await call, "get_job_status")


EDIT = {
    "operation": "replace",
    "anchor": {"type": "text", "target": "class Player"},
    "newText": "class Hero",
}


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_symbols", {"path": SCRIPT}),
        ("check_project", {}),
        ("edit_snippet", {"path": SCRIPT, "mode": "preview", "instructions": [EDIT]}),
        (
            "edit_scripts",
            {"mode": "preview", "changes": [{"path": SCRIPT, "instructions": [EDIT]}]},
        ),
    ],
)
async def test_a_script_tool_that_takes_long_is_told_of(
    project: Path, monkeypatch: pytest.MonkeyPatch, tool: str, arguments: dict[str, Any]
) -> None:
    heard = Heard()
    async with LiveServer(project=project) as live:
        tools = live.server.coordinator._local_tools
        asyncio_loop, may_end = asyncio.get_running_loop(), asyncio.Event()
        run = tools.call

        def slow(*arguments: Any) -> Any:
            asyncio.run_coroutine_threadsafe(may_end.wait(), asyncio_loop).result()
            return run(*arguments)

        monkeypatch.setattr(tools, "call", slow)
        async with live.client() as client:
            call = asyncio.create_task(client.call_tool(tool, arguments, progress_callback=heard))
            first, second = await heard.more(), await heard.more()
            may_end.set()
            await call
    assert first[1:] == second[1:] == (None, f"{tool} is under way")
    assert 0 < first[0] < second[0]


async def test_notices_rise_and_end_with_their_call() -> None:
    sent: list[tuple[float, float | None, str]] = []
    arrived = asyncio.Event()

    async def report_progress(progress: float, total: float | None, message: str) -> None:
        sent.append((progress, total, message))
        arrived.set()

    context: Any = SimpleNamespace(
        meta={"progress_token": 1}, session=SimpleNamespace(report_progress=report_progress)
    )
    async with sending_progress(context) as tell:
        assert tell is not None
        await tell(1, None, "one")
        await arrived.wait()
        arrived.clear()
        await tell(1, None, "as much")
        await tell(0, None, "less")
        for number in range(2, 1_000):
            await tell(number, None, "many")
        await arrived.wait()
    await tell(5_000, None, "too late")
    await asyncio.sleep(0)
    assert sent == [(1, None, "one"), (999, None, "many")]


async def test_a_client_that_does_not_read_holds_up_nothing() -> None:
    async def report_progress(*_: object) -> None:
        await asyncio.Event().wait()

    context: Any = SimpleNamespace(
        meta={"progress_token": 1}, session=SimpleNamespace(report_progress=report_progress)
    )
    async with asyncio.timeout(20):
        async with sending_progress(context) as tell:
            assert tell is not None
            await tell(1, None, "one")
            await asyncio.sleep(0)
            await tell(2, None, "two")
