"""What a server holds in memory: no text of a call that has ended, no module before its use."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
from pathlib import Path

import pytest
from call_results import result
from live_server import LiveServer
from running_server import SCRIPT, edit, make_project

from snippet_engine.storage.change_sets.change_plan import FileChange

PROGRAM = """
import asyncio, sys
from pathlib import Path

import mcp_server.clients
import mcp_server.host.serve
from mcp_server.calls.local_tools import LocalTools
from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.outcome import ToolResult
from mcp_server.host.execution_coordinator import ExecutionCoordinator

async def call(arguments):
    coordinator = ExecutionCoordinator(LocalTools(Path.cwd()))
    outcome = await coordinator.call(CATALOG["get_symbols"], arguments)
    print(isinstance(outcome, ToolResult), *sys.modules)

asyncio.run(call({"path": sys.argv[1]}))
asyncio.run(call({"file": sys.argv[1]}))
"""


def test_what_reads_other_shapes_is_loaded_by_the_first_call_that_has_one(project: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, SCRIPT],
        cwd=project,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    as_sent, otherwise = (set(line.split()) for line in done.stdout.splitlines())
    seldom = {
        "mcp_server.calls.json_input",
        "mcp_server.calls.project_check",
        "mcp_server.clients.installation",
        "mcp_server.repair.call",
        "mcp_server.repair.offers",
        "mcp_server.repair.reading",
        "mcp_server.repair.words",
    }
    assert as_sent & (seldom | {"True", "False"}) == {"True"}
    assert otherwise >= {"True", "mcp_server.repair.call"}


pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("mode", ["preview", "apply"])
async def test_the_texts_of_a_call_are_not_kept(tmp_path: Path, mode: str) -> None:
    async with LiveServer(project=make_project(tmp_path / "Game")) as live:
        async with live.client() as client:
            result(await client.call_tool("edit_snippet", edit(mode)), "edit_snippet")
        await asyncio.to_thread(live.server.review.store.settle, 60)
        gc.collect()
        kept = [each for each in gc.get_objects() if isinstance(each, FileChange)]
        assert kept == []
