"""Who listens on a port: real sockets and processes, and a system that tells something else."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from unity_bridge.pipeline.claim import PROC, Holder, _started_s, process_alive, see, still_holds

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")


@pytest.fixture(params=["127.0.0.1", "0.0.0.0", "::"])
def listening(request: pytest.FixtureRequest) -> Iterator[socket.socket]:
    """A socket of this process, on an address that 127.0.0.1 reaches."""
    family = socket.AF_INET6 if request.param == "::" else socket.AF_INET
    try:
        listener = socket.create_server(
            (request.param, 0), family=family, dualstack_ipv6=request.param == "::"
        )
    except (OSError, ValueError):
        pytest.skip("this machine has no such address")
    with listener:
        yield listener


@pytest.fixture
def stranger() -> Iterator[subprocess.Popen[bytes]]:
    """Another process of this user, that listens nowhere."""
    waits = [sys.executable, "-S", "-c", "import sys; sys.stdin.read()"]
    with subprocess.Popen(waits, stdin=subprocess.PIPE) as process:
        yield process


@on_linux
def test_the_process_that_listens(listening: socket.socket) -> None:
    seen = see(listening.getsockname()[1], os.getpid())
    assert (seen.alive, seen.holder) == (True, Holder.PROCESS)


@on_linux
def test_a_socket_that_is_held_still(
    listening: socket.socket, stranger: subprocess.Popen[bytes]
) -> None:
    sockets = see(listening.getsockname()[1], os.getpid()).sockets
    assert still_holds(os.getpid(), sockets)
    assert not still_holds(stranger.pid, sockets)
    listening.close()
    assert not still_holds(os.getpid(), sockets)
    assert not still_holds(2**22 + 1, sockets)


@on_linux
def test_another_process(listening: socket.socket, stranger: subprocess.Popen[bytes]) -> None:
    seen = see(listening.getsockname()[1], stranger.pid)
    assert (seen.alive, seen.holder) == (True, Holder.ANOTHER)


@on_linux
def test_nobody() -> None:
    with socket.socket() as bound:  # taken, so that nobody else listens there either
        bound.bind(("127.0.0.1", 0))
        assert see(bound.getsockname()[1], os.getpid()).holder is Holder.NOBODY


@on_linux
def test_when_it_was_started(stranger: subprocess.Popen[bytes]) -> None:
    started_s = _started_s(stranger.pid, PROC)
    assert started_s is not None
    ours_s = _started_s(os.getpid(), PROC)
    assert ours_s is not None
    assert ours_s <= started_s <= time.time() + 5


def test_a_process_that_has_ended(stranger: subprocess.Popen[bytes]) -> None:
    if os.name != "posix":
        pytest.skip("not told on this system")
    assert process_alive(stranger.pid) is True
    stranger.kill()
    stranger.wait()
    assert process_alive(stranger.pid) is False
    assert process_alive(2**70) is False


LINE = "   0: {address}:1E79 00000000:0000 {state} 0:0 0:0 0 {uid} 0 4711 1 0 100 0 0 10 0\n"


def tell(proc: Path, *, address: str = "0100007F", state: str = "0A", uid: int) -> None:
    """Lay a table of sockets out, in which port 7801 stands once."""
    (proc / "net").mkdir(parents=True, exist_ok=True)
    row = LINE.format(address=address, state=state, uid=uid)
    with (proc / "net" / "tcp").open("a") as table:
        table.write(("" if table.tell() else "  sl ...\n") + row)


@pytest.fixture
def held(tmp_path: Path) -> Path:
    """A system on which this process holds socket 4711."""
    handles = tmp_path / str(os.getpid()) / "fd"
    handles.mkdir(parents=True)
    (handles / "3").symlink_to("socket:[4711]")
    (handles / "4").symlink_to("/dev/null")
    return tmp_path


def holder(proc: Path) -> Holder:
    return see(7801, os.getpid(), proc).holder


OTHERS = 1
"""What is added to this user's number to have another's."""


@on_linux
@pytest.mark.parametrize(
    ("sockets", "found"),
    [
        ([("0100007F", "0A", OTHERS)], Holder.ANOTHER),
        ([("0100007F", "01", 0)], Holder.NOBODY),
        ([("0A00000A", "0A", 0)], Holder.NOBODY),
        ([("00000000", "0A", OTHERS), ("0100007F", "0A", 0)], Holder.PROCESS),
    ],
    ids=[
        "another user's",
        "a connection is no listener",
        "an address that is not reached",
        "the nearest address gets the connection",
    ],
)
def test_what_the_table_of_sockets_says(
    held: Path, sockets: list[tuple[str, str, int]], found: Holder
) -> None:
    for address, state, user in sockets:
        tell(held, address=address, state=state, uid=os.geteuid() + user)
    assert holder(held) is found


@on_linux
def test_a_process_that_does_not_let_us_look(held: Path) -> None:
    tell(held, uid=os.geteuid())
    handles = held / str(os.getpid()) / "fd"
    for each in handles.iterdir():
        each.unlink()
    handles.rmdir()
    handles.touch()  # what can't be listed, whoever asks
    assert holder(held) is Holder.UNKNOWN


@on_linux
def test_nonsense_is_unknown(held: Path) -> None:
    (held / "net").mkdir()
    (held / "net" / "tcp").write_text("sl\n0: X:1E79 nonsense\n")
    assert holder(held) is Holder.UNKNOWN
    assert see(7801, os.getpid(), held / "nothing").holder is Holder.UNKNOWN
