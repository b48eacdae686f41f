"""Commands whose working folder was removed, as by another terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from running_server import run_python
from this_system import needs_posix

IN_A_REMOVED_FOLDER = (
    "import os, sys; os.rmdir(os.getcwd()); "
    "from mcp_server.cli.entry import main; main(sys.argv[1:])"
)


@needs_posix
@pytest.mark.parametrize("command", ["check", "lint x.json", "doctor"])
def test_it_is_named_without_a_traceback(command: str, tmp_path: Path) -> None:
    output = ["--output", "json", *command.split()]
    done = run_python(IN_A_REMOVED_FOLDER, *output, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert "working folder was removed" in json.loads(done.stdout)["error"]["message"]
    assert "Traceback" not in done.stderr
