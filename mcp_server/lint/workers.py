"""Worker processes that each do one thing after another, and none of which can be missed.

Part of docs/design/command-line.md ``lint`` (``--jobs``). Each worker has a pipe of its own and
shares no lock or queue, so that one that is killed is noticed at once and can hold up nobody
(``concurrent.futures`` can wait for ever for one that dies as it starts). A worker whose parent is
gone reads the end of its pipe, and ends.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import TYPE_CHECKING, Generic, Self, TypeAlias, TypeVar, cast

from mcp_server.interrupt_signals import ignore_interrupts, interrupts_noted
from snippet_engine.storage.os_failure import reason_of

if TYPE_CHECKING:
    from lsp_client.process.job_object import JobObject

Task = TypeVar("Task")
Result = TypeVar("Result")
Prepare: TypeAlias = Callable[[], AbstractContextManager[Callable[[Task], Result]]]

_END_S = 10
"""How long a worker that has nothing to do may take to end by itself."""


class LostWorkerError(Exception):
    """A worker could not be started, or ended before it was told to; the message says how."""


class Workers(Generic[Task, Result]):
    """Processes that turn tasks into results. A context manager: on exit all of them are gone.

    ``prepare`` is called once in each process and gives what is then called for each task.
    It, tasks and results must be picklable. A worker is forked where that is safe, else spawned.
    Raises :class:`LostWorkerError`.
    """

    def __init__(self, count: int, prepare: Prepare[Task, Result]) -> None:
        self._processes: dict[Connection, BaseProcess] = {}
        self._job = _job_of_ours()
        try:
            with interrupts_held_back():
                for _ in range(count):
                    ours, theirs = multiprocessing.Pipe()
                    self._processes[ours] = process = self._new(theirs, prepare)
                    process.start()
                    if self._job is not None and process.pid is not None:
                        self._job.add(process.pid)
                    theirs.close()
        except OSError as error:
            self._end(at_once=True)
            raise LostWorkerError(f"it could not be started: {reason_of(error)}") from error
        except KeyboardInterrupt:
            self._end(at_once=True)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._end(at_once=kind is not None)

    def _new(self, theirs: Connection, prepare: Prepare[Task, Result]) -> BaseProcess:
        """A worker that isn't started yet, beside those that there are."""
        if not can_fork():
            spawned = multiprocessing.get_context("spawn")
            return spawned.Process(target=_work, args=(theirs, prepare), daemon=True)
        forked = multiprocessing.get_context("fork")
        # Also its own, which is among them by the time that it starts.
        return forked.Process(
            target=_work_apart, args=(self._processes.keys(), theirs, prepare), daemon=True
        )

    def results(self, tasks: Sequence[Task]) -> Iterator[tuple[int, Result]]:
        """Each task's index and result, as they come. One call at a time."""
        indexes = iter(range(len(tasks)))
        busy: set[Connection] = set()

        def give(worker: Connection) -> None:
            index = next(indexes, None)
            if index is not None:
                with self._missing(worker):
                    worker.send((index, tasks[index]))
                busy.add(worker)

        for worker in self._processes:
            give(worker)
        while busy:
            for ready in wait(list(busy)):
                worker = cast(Connection, ready)
                with self._missing(worker):
                    answer = cast("tuple[int, Result]", worker.recv())
                busy.discard(worker)
                give(worker)
                yield answer

    @contextmanager
    def _missing(self, worker: Connection) -> Iterator[None]:
        """Say how the worker came to its end if it can't be talked to any more."""
        try:
            yield
        except (EOFError, OSError) as error:
            process = self._processes[worker]
            process.join()
            code = process.exitcode or 0
            ending = f"signal {-code}" if code < 0 else f"exit code {code}"
            raise LostWorkerError(ending) from error

    def _end(self, *, at_once: bool) -> None:
        for connection in self._processes:
            connection.close()
        for process in self._processes.values():
            if process.pid is not None:
                process.join(0 if at_once else _END_S)
                process.terminate()
                process.join()
        if self._job is not None:
            self._job.close()


def can_fork() -> bool:
    """Whether a worker can begin as a copy of this process, with all that is loaded here.

    That takes a tenth of a second less of the processor for each. Of several threads, the copy
    would have one, and what the others were in the middle of: locks that nobody lets go of. macOS's
    own libraries keep such threads.
    """
    return sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1  # noqa: PTH208


def _job_of_ours() -> JobObject | None:
    """On Windows, what ends the workers with us while they are busy."""
    if sys.platform == "win32":  # others need not pay for the import
        from lsp_client.process.job_object import JobObject  # noqa: PLC0415

        return JobObject()
    return None


@contextmanager
def interrupts_held_back() -> Iterator[None]:
    """Start processes that Ctrl-C does not reach: this one ends them, without tracebacks.

    A Ctrl-C that comes meanwhile takes effect at the end of the block: in the middle of a start it
    would leave a process that waits for the rest of what it is to do.
    """
    # The mask is this thread's alone; the signal can come to another one, and act in this.
    with interrupts_noted() as came, _blocked_for_children():
        yield
    if came():
        raise KeyboardInterrupt


@contextmanager
def _blocked_for_children() -> Iterator[None]:
    """Processes that are started in the block have SIGINT blocked, as this thread has."""
    if sys.platform == "win32":
        # A process that ignores Ctrl-C passes that on to those that it starts. One that comes in
        # these milliseconds is lost; the next one isn't.
        import ctypes  # noqa: PLC0415 - for this alone

        control = ctypes.WinDLL("kernel32").SetConsoleCtrlHandler
        control(None, True)
        try:
            yield
        finally:
            control(None, False)
        return
    if not can_fork():
        # Its start lets SIGINT through again, and multiprocessing starts it before the first worker
        # that is spawned.
        resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work_apart(
    inherited: Iterable[Connection], connection: Connection, prepare: Prepare[Task, Result]
) -> None:
    """The life of a forked worker, which has the parent's ends of all pipes so far: kept open,
    they would let no worker see that the parent is gone."""
    for each in inherited:
        each.close()
    _work(connection, prepare)


def _work(connection: Connection, prepare: Prepare[Task, Result]) -> None:
    """A worker's life: until its parent hangs up."""
    ignore_interrupts()
    with prepare() as work, suppress(EOFError, OSError):
        while True:
            index, task = connection.recv()
            connection.send((index, work(task)))
