"""The cores know neither an event loop nor a socket."""

from __future__ import annotations

import subprocess
import sys

CORES = (
    "mcp_server.editor.deduplicator, mcp_server.editor.job_manager, mcp_server.editor.scheduler, "
    "unity_bridge.plugin.session, unity_bridge.editor_state"
)


def test_the_cores_import_no_io() -> None:
    found = "sorted({'asyncio', 'mcp', 'starlette', 'websockets'} & set(sys.modules))"
    check = f"import sys, {CORES}; print({found})"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
