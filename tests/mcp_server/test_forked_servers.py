"""What is forked is a process like any: its own streams, folder, environment and end."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest
from forked_servers import ForkedProcess, start_forked
from running_server import UNITY_CLI, environment, free_port, run_cli_process
from this_system import needs_posix

pytestmark = needs_posix


def forked(*arguments: str, cwd: Path, **env: str) -> ForkedProcess:
    return start_forked([UNITY_CLI, *arguments], cwd, environment(**env))


@pytest.mark.parametrize("argument", ["Assets/Scripts/Player.cs", "x"])
def test_it_prints_and_ends_as_one_that_was_started(project: Path, argument: str) -> None:
    """Both in the working folder, which has a project."""
    process = forked("symbols", argument, cwd=project)
    printed, complained = process.stdout.read(), process.stderr.read()
    started = run_cli_process("symbols", argument, cwd=project)
    ended = (process.wait(60), printed, complained)
    assert ended == (started.returncode, started.stdout, started.stderr)
    assert process.poll() == process.returncode == started.returncode


def test_signals_reach_it_alone(project: Path) -> None:
    ports = [str(free_port()), str(free_port())]
    one, other = (forked("serve", "--port", port, cwd=project) for port in ports)
    assert [each.stdout.readline() != "" for each in (one, other)] == [True, True]
    with pytest.raises(subprocess.TimeoutExpired):
        one.wait(0.01)
    one.kill()
    assert one.wait(60) == -signal.SIGKILL
    assert other.poll() is None
    other.send_signal(signal.SIGINT)
    assert other.wait(60) == 0
    other.send_signal(signal.SIGINT)  # which nobody gets any more
