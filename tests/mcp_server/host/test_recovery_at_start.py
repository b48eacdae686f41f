"""A server ends at its start what a process that died in a change set left behind."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from mcp import Client
from running_server import SCRIPT, SOURCE, RunningServer, new_script_and_edit

NEW = "Assets/New/Made.cs"
SET = new_script_and_edit(NEW)
DIES = """
import json, os, sys
from pathlib import Path
from snippet_engine.engine import SnippetEngine
from snippet_engine.storage.change_sets.change_journal import ChangeJournal

setattr(ChangeJournal, sys.argv[1], lambda *_: os._exit(9))
SnippetEngine.open(Path(sys.argv[2])).edit_scripts(json.loads(sys.argv[3]))
"""


@pytest.mark.parametrize(
    ("dies_at", "is_done"), [("commit", False), ("forward", True), ("finish", True)]
)
def test_a_server_ends_what_was_begun(project: Path, dies_at: str, is_done: bool) -> None:
    died = subprocess.run(
        [sys.executable, "-c", DIES, dies_at, str(project), json.dumps(SET)], check=False
    )
    assert died.returncode == 9
    assert _left_behind(project)
    with RunningServer(cwd=project) as server:
        _asked(server)
        assert _left_behind(project) == []
        assert (project / NEW).exists() == is_done
        assert (b"speed > 20" in (project / SCRIPT).read_bytes()) == is_done
        assert is_done or (project / SCRIPT).read_bytes() == SOURCE


def _asked(server: RunningServer) -> None:
    """A call that only reads, and cleans nothing up by itself."""

    async def ask() -> None:
        async with Client(server.url) as client:
            await client.call_tool("get_symbols", {"path": SCRIPT})

    anyio.run(ask)


def _left_behind(project: Path) -> list[Path]:
    pending = project / "Library/SnippetEngine/pending"
    return [*project.glob("Assets/**/*.tmp"), *pending.glob("*.set")]
