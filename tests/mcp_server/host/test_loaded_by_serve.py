"""What a server holds in memory: nothing that only some calls need, until there is one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from running_server import SCRIPT

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
