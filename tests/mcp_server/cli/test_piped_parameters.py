"""JSON on a pipe without ``-``: read where it is needed, told where not, never waited for."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from running_server import SCRIPT, UNITY_CLI, free_port, run_process
from this_system import needs_posix

PARAMS = json.dumps({"path": SCRIPT}).encode()
NOT_READ = "Standard input was not read. To read parameters from it, give -.\n"


def piped(project: Path, data: bytes, tool: str, *more: str) -> subprocess.CompletedProcess[bytes]:
    command = [UNITY_CLI, "tool", "call", tool, *more]
    return run_process(command, project, input=data, text=False)


@pytest.mark.parametrize("data", [PARAMS, b"", b"["], ids=["json", "nothing", "cut"])
def test_what_is_piped_in_is_what_dash_reads(project: Path, data: bytes) -> None:
    without, dash = piped(project, data, "get_symbols"), piped(project, data, "get_symbols", "-")
    if data:
        assert (without.returncode, without.stdout, without.stderr) == (
            dash.returncode,
            dash.stdout,
            dash.stderr,
        )
        assert (without.returncode == 0) == (data == PARAMS)
    else:
        assert b"$.filter is required" in without.stderr


def test_a_file_is_read_likewise(project: Path, tmp_path: Path) -> None:
    file = tmp_path / "params.json"
    file.write_bytes(PARAMS)
    command = [UNITY_CLI, "tool", "call", "get_symbols"]
    with file.open("rb") as opened:
        done = run_process(command, project, stdin=opened, text=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("written", "said"), [(b"", b"$.filter is required"), (PARAMS, b"To wait for it, give -")]
)
def test_a_pipe_that_stays_open_is_not_waited_for(
    project: Path, written: bytes, said: bytes
) -> None:
    reading, writing = os.pipe()
    try:
        os.write(writing, written)
        done = run_process(
            [UNITY_CLI, "tool", "call", "get_symbols"], project, stdin=reading, text=False
        )
    finally:
        os.close(reading)
        os.close(writing)
    assert done.returncode == 2
    assert said in done.stderr
    assert b"Fatal" not in done.stderr


@needs_posix
@pytest.mark.parametrize(("data", "told"), [(PARAMS, 1), (b"", 0)])
def test_a_tool_that_needs_none_leaves_it_and_says_so(
    project: Path, data: bytes, told: int
) -> None:
    url = f"http://127.0.0.1:{free_port()}/mcp"
    done = piped(project, data, "read_console", "--url", url)
    assert done.stderr.decode().count(NOT_READ) == told
