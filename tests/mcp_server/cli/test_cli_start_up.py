"""What a command loads: a help page or a local call must not wait for the server's libraries."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from running_server import SCRIPT

HEAVY = {"mcp", "starlette", "uvicorn", "pydantic", "asyncio", "rich", "jsonschema", "httpx2"}
ENGINE = {"snippet_engine.engine", "tree_sitter", "jsonschema_rs"}


def loaded_by(*arguments: str, cwd: Path) -> set[str]:
    code = (
        "import sys\n"
        "from mcp_server.cli import main\n"
        "try:\n"
        "    main(sys.argv[1:])\n"
        "except SystemExit as end:\n"
        "    assert not end.code, end.code\n"
        "print('modules', *sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split()[1:])


@pytest.mark.parametrize("arguments", [["--help"], ["serve", "--help"], ["tool", "list"]])
def test_help_and_lists_load_next_to_nothing(no_project: Path, arguments: list[str]) -> None:
    assert not loaded_by(*arguments, cwd=no_project) & (HEAVY | ENGINE)


def test_a_local_call_loads_the_engine_only(project: Path) -> None:
    loaded = loaded_by(
        "tool", "call", "get_symbols", "--json", f'{{"path": "{SCRIPT}"}}', cwd=project
    )
    assert not loaded & HEAVY
    assert loaded >= ENGINE
