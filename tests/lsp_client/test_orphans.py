"""However the client's process ends, nothing that its language server has started outlives it.

docs/design/roslyn.md §2, on Windows docs/design/systems.md "Processes". The witness is a file that
the server and its children hold open; the tests return once the last of them is gone, and time out
if one is not.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from this_system import KILL, needs_posix
from witness import Witness

from lsp_client.process import guardian

CLIENT = Path(__file__).with_name("client_process.py")


def client(root: Path, witness: Witness, fault: str) -> subprocess.Popen[str]:
    """A client whose server has answered."""
    started = subprocess.Popen(
        [sys.executable, CLIENT, root, fault],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **witness.environment},
    )
    assert started.stdout is not None
    assert "Verdict" in started.stdout.readline()
    return started


@pytest.mark.parametrize("fault", ["forks_children", "ignores_exit"])
@pytest.mark.parametrize(
    "number",
    [
        pytest.param(KILL, id="kill"),
        pytest.param(signal.SIGTERM, marks=needs_posix, id="terminate"),
        pytest.param(signal.SIGINT, marks=needs_posix, id="interrupt"),
    ],
)
def test_a_client_that_is_killed(
    root: Path, witness: Witness, fault: str, number: signal.Signals
) -> None:
    with client(root, witness, fault) as process:
        assert not witness.none_is_left()
        process.send_signal(number)
        assert process.wait() != 0
        witness.wait_until_none_is_left()


@needs_posix
def test_a_guardian_that_is_killed_takes_the_server_along(root: Path, witness: Witness) -> None:
    with client(root, witness, "ignores_exit") as process:
        children = Path(f"/proc/{process.pid}/task").glob("*/children")
        pids = [int(pid) for each in children for pid in each.read_text().split()]
        for pid in pids:
            os.kill(pid, KILL)
        assert pids
        witness.wait_until_none_is_left()
        process.kill()


def guarded(*command: str, lifeline: int) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-I", "-S", str(guardian.__file__), str(lifeline), *command],
        pass_fds=[lifeline],
        capture_output=True,
        check=False,
    )


@needs_posix
@pytest.mark.parametrize(
    ("command", "code"),
    [
        (["-c", "print('out')"], 0),
        (["-c", "raise SystemExit(7)"], 7),
        (["-c", "import os; os.kill(os.getpid(), 11)"], 128 + 11),
    ],
)
def test_the_guardian_ends_as_its_server_did(command: list[str], code: int) -> None:
    read_end, write_end = os.pipe()
    done = guarded(sys.executable, *command, lifeline=read_end)
    assert done.returncode == code
    if code == 0:
        assert done.stdout == b"out\n"
    os.close(read_end)
    os.close(write_end)


@needs_posix
def test_the_guardian_says_what_it_could_not_start() -> None:
    read_end, write_end = os.pipe()
    done = guarded("/no/such/program", lifeline=read_end)
    assert done.returncode == guardian.NOT_STARTED
    assert b"/no/such/program: No such file or directory" in done.stderr
    os.close(read_end)
    os.close(write_end)


@needs_posix
def test_nothing_is_started_for_a_client_that_is_gone_already(witness: Witness) -> None:
    read_end, write_end = os.pipe()
    os.close(write_end)
    done = guarded("sleep", "3600", lifeline=read_end)
    assert done.returncode == 137
    os.close(read_end)
