"""Stopping in each state, and starting again under the same clients."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Literal

import pytest
from call_results import code_and_guarantee, result, succeeded
from fake_editor import FakeEditor
from live_server import HeldClock, LiveServer
from mcp import Client
from running_server import TERMINATED, RunningServer, free_port
from this_system import needs_posix

pytestmark = pytest.mark.anyio


async def test_stop_with_an_editor_and_nothing_to_do(clock: HeldClock) -> None:
    async with LiveServer(clock=clock) as live:
        editor = await live.editor().connect()
    await asyncio.wait_for(editor.closed.wait(), 20)
    assert editor.close_code == 1001
    states = [fields["state"] for name, fields in live.log if name == "server_state"]
    assert states == ["waiting_editor", "ready", "stopping", "stopped"]


async def test_stop_while_one_runs_and_one_is_queued(clock: HeldClock) -> None:
    async with LiveServer(clock=clock) as live, live.client() as client:
        editor = await live.editor(held=True).connect()
        running = asyncio.create_task(client.call_tool("control_play_mode", {"action": "stop"}))
        await editor.received("execute")
        queued = asyncio.create_task(client.call_tool("read_console"))
        await live.logged("request_state", state="queued", times=2)
        live.server.should_exit = True
        assert code_and_guarantee(await running) == ("ERR_RECONNECT_TIMEOUT", "unknown")
        assert code_and_guarantee(await queued) == ("ERR_EDITOR_NOT_READY", "not_executed")
        await asyncio.wait_for(editor.closed.wait(), 20)
        assert editor.close_code == 1001


async def test_stop_while_a_status_is_waited_for(clock: HeldClock) -> None:
    async with LiveServer(clock=clock) as live, live.client() as client:
        await live.editor().connect()
        job_id = (await succeeded(client, "run_tests"))["job_id"]
        call = asyncio.create_task(
            client.call_tool("get_job_status", {"job_id": job_id, "wait_ms": 9_000})
        )
        await live.logged("request", tool="get_job_status")
        live.server.should_exit = True
        assert result(await call, "get_job_status")["state"] == "queued"


@needs_posix
async def test_the_process_ends_even_with_a_frozen_editor(no_project: Path) -> None:
    with RunningServer(cwd=no_project) as server:
        editor = FakeEditor(f"ws://127.0.0.1:{server.port}/unity", frozen=True)
        await editor.connect()
        async with Client(server.url) as client:
            call = asyncio.create_task(client.call_tool("read_console"))
            await editor.received("execute")
            stopped = asyncio.create_task(asyncio.to_thread(server.stop))
            assert code_and_guarantee(await call) == ("ERR_RECONNECT_TIMEOUT", "unknown")
            assert await stopped == 0


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_restart_strands_nobody(mode: Literal["auto", "legacy"], no_project: Path) -> None:
    port = free_port()
    first = RunningServer(cwd=no_project, port=port)
    with first:
        async with Client(first.url, mode=mode) as client:
            editor = await FakeEditor(f"ws://127.0.0.1:{port}/unity").connect()
            await succeeded(client, "read_console")
            assert await asyncio.to_thread(first.stop) == TERMINATED
            with RunningServer(cwd=no_project, port=port):
                await editor.connect()
                await succeeded(client, "read_console")
                await editor.close()
