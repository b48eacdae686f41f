"""Worker processes: their results, and their ends, however they come."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import Pipe
from pathlib import Path

import pytest

from mcp_server.lint.workers import LostWorkerError, Workers, _work, interrupts_held_back

KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # of which Windows makes the same


@contextmanager
def squaring() -> Iterator[Callable[[int], int]]:
    yield lambda number: number * number


@contextmanager
def dying() -> Iterator[Callable[[int], int]]:
    def work(number: int) -> int:
        if number == 3:
            os.kill(os.getpid(), KILL)
        return number

    yield work


@contextmanager
def stillborn() -> Iterator[Callable[[int], int]]:
    os._exit(7)
    yield lambda number: number


@contextmanager
def tidying() -> Iterator[Callable[[str], str]]:
    files: list[str] = []

    def work(name: str) -> str:
        files.append(name)
        return name

    yield work
    for name in files:
        Path(name).write_text("ended in order")


def test_every_task_gets_its_result() -> None:
    with Workers(2, squaring) as workers:
        assert sorted(workers.results(range(50))) == [(n, n * n) for n in range(50)]
        assert dict(workers.results([5])) == {0: 25}
        assert list(workers.results([])) == []


def test_workers_that_have_done_their_work_end_in_order(tmp_path: Path) -> None:
    names = [str(tmp_path / "a"), str(tmp_path / "b")]
    with Workers(2, tidying) as workers:
        assert len(list(workers.results(names))) == 2
    assert all(Path(name).read_text() == "ended in order" for name in names)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_worker_that_is_killed_is_missed_at_once() -> None:
    with pytest.raises(LostWorkerError, match="signal 9"), Workers(2, dying) as workers:
        list(workers.results(range(10)))


def test_a_worker_that_dies_as_it_starts_is_missed_at_once() -> None:
    with pytest.raises(LostWorkerError, match="exit code 7"), Workers(2, stillborn) as workers:
        list(workers.results(range(10)))


_PARENT = """
import os, sys, threading
from mcp_server.lint.workers import Workers, can_fork
sys.path.insert(0, sys.argv[1])
from test_workers import squaring
if __name__ == "__main__":
    if sys.argv[2] == "spawned":
        threading.Thread(target=threading.Event().wait, daemon=True).start()
    assert can_fork() == (sys.argv[2] == "forked")
    workers = Workers(2, squaring)
    dict(workers.results([1, 2]))
    print(*(process.pid for process in workers._processes.values()), flush=True)
    sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="waits for processes by their file descriptor")
@pytest.mark.parametrize("begun", ["forked", "spawned"])
@pytest.mark.parametrize("with_signal", [KILL, signal.SIGTERM])
def test_workers_end_with_a_parent_that_is_killed(
    tmp_path: Path, with_signal: signal.Signals, begun: str
) -> None:
    import select

    script = tmp_path / "parent.py"
    script.write_text(_PARENT)
    with subprocess.Popen(
        [sys.executable, str(script), str(Path(__file__).parent), begun],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as parent:
        assert parent.stdout is not None
        workers = [os.pidfd_open(int(pid)) for pid in parent.stdout.readline().split()]
        parent.send_signal(with_signal)
        assert parent.wait(60) == -with_signal
    assert len(workers) == 2
    for worker in workers:  # readable once the process has ended
        assert select.select([worker], [], [], 60)[0]
        os.close(worker)


_FORKING = """
import os, re, signal, sys
from contextlib import contextmanager
from pathlib import Path
from mcp_server.lint.workers import LostWorkerError, Workers, can_fork

loaded = []

@contextmanager
def recalling():
    def work(number):
        if number == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        blocked = re.search("SigBlk:\\s*(\\w+)", Path("/proc/self/status").read_text())[1]
        return loaded, int(blocked, 16) >> signal.SIGINT - 1 & 1
    yield work

assert can_fork()
loaded.append("here")
with Workers(2, recalling) as workers:
    print([answer for _, answer in workers.results([1, 2])])
try:
    with Workers(2, recalling) as workers:
        list(workers.results(range(10)))
except LostWorkerError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="forked on Linux only")
def test_workers_of_a_process_without_threads_load_nothing_again() -> None:
    """Nor are they reached by an interrupt; and one that is killed is missed."""
    said = subprocess.run(
        [sys.executable, "-c", _FORKING], stdout=subprocess.PIPE, text=True, check=True, timeout=60
    ).stdout
    assert said.splitlines() == ["[(['here'], 1), (['here'], 1)]", "signal 9"]


@pytest.mark.skipif(sys.platform != "linux", reason="reads signal masks in /proc")
def test_no_worker_is_reached_by_an_interrupt_however_early() -> None:
    with Workers(2, squaring) as workers:
        for process in workers._processes.values():
            status = Path(f"/proc/{process.pid}/status").read_text()
            blocked = re.search(r"^SigBlk:\s*([0-9a-f]+)$", status, re.MULTILINE)
            assert blocked is not None
            assert int(blocked[1], 16) & 1 << signal.SIGINT - 1


@pytest.mark.skipif(sys.platform == "win32", reason="a signal of POSIX stands in for it")
def test_ctrl_break_while_workers_start_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A signal of ours stands in for the one of Windows."""
    monkeypatch.setattr(signal, "SIGBREAK", signal.SIGUSR1, raising=False)

    def start() -> None:
        with interrupts_held_back():
            os.kill(os.getpid(), signal.SIGUSR1)

    with pytest.raises(KeyboardInterrupt):
        start()
    assert signal.getsignal(signal.SIGUSR1) is signal.SIG_DFL


@pytest.mark.skipif(sys.platform == "win32", reason="a signal of POSIX stands in for it")
def test_a_worker_ignores_ctrl_c_and_ctrl_break(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal, "SIGBREAK", signal.SIGUSR1, raising=False)
    both = (signal.SIGINT, signal.SIGUSR1)
    before = {each: signal.getsignal(each) for each in both}
    seen: list[object] = []

    @contextmanager
    def prepare() -> Iterator[Callable[[object], object]]:
        seen.extend(signal.getsignal(each) for each in both)
        yield lambda task: task

    ours, theirs = Pipe()
    ours.close()  # who gives it work is gone
    try:
        _work(theirs, prepare)
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
    assert seen == [signal.SIG_IGN, signal.SIG_IGN]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals to interrupt with")
def test_an_interrupt_while_workers_start_waits_even_where_another_thread_gets_it() -> None:
    reached: list[str] = []
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    over = threading.Event()
    other = threading.Thread(target=over.wait)  # its mask lets the signal through
    other.start()
    come, comes = os.pipe()
    os.set_blocking(comes, False)
    woken = signal.set_wakeup_fd(comes)

    def start() -> None:
        with interrupts_held_back():
            os.kill(os.getpid(), signal.SIGINT)
            os.read(come, 1)  # the other thread has taken it
            reached.append("the end of the block")

    try:
        with pytest.raises(KeyboardInterrupt):
            start()
    finally:
        signal.set_wakeup_fd(woken)
        os.close(come)
        os.close(comes)
        over.set()
        other.join()
    assert reached == ["the end of the block"]
    assert signal.signal(signal.SIGINT, handler) is signal.default_int_handler
