"""Run one language server, and end all of it when the client ends.

Implements docs/design/roslyn.md §2, supervision. A program of its own, started as ``guardian.py
LIFELINE COMMAND ARGS…``; it imports nothing of this project. ``LIFELINE`` is the read end of a pipe
that only the client writes to. The pipe reaches its end when the client ends in any way; the
guardian then kills every process that the server started. On Linux the guardian adopts orphans, so
it also kills processes in sessions of their own; elsewhere it kills the process group.
"""

from __future__ import annotations

import os
import select
import signal
import sys

NOT_STARTED = 127
"""Exit code if the command can't be run; stderr says why."""

_CLIENT_GONE = 137
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_LINUX = sys.platform == "linux"


def main(arguments: list[str]) -> int:
    """Run the command until the command or the client ends; return the exit code."""
    lifeline, command = int(arguments[0]), arguments[1:]
    os.set_inheritable(lifeline, False)
    _control_process(_PR_SET_CHILD_SUBREAPER, 1)
    wake, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    server = os.fork()
    if server == 0:
        _become(command)
    # The client must see the end of the server's pipes once the server is gone.
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    code = _watch(server, lifeline, wake)
    _kill_descendants()
    return code


def _become(command: list[str]) -> None:
    """Replace this process by the server; never return."""
    try:
        _control_process(_PR_SET_PDEATHSIG, signal.SIGKILL)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]}: {os.strerror(error.errno or 0)}\n".encode(errors="replace"))
    finally:
        os._exit(NOT_STARTED)


def _watch(server: int, lifeline: int, wake: int) -> int:
    """Wait for the server's exit code, or for the client's end."""
    while True:
        ready, _, _ = select.select([lifeline, wake], [], [])
        if lifeline in ready and not os.read(lifeline, 1):
            return _CLIENT_GONE
        if wake in ready:
            received = os.read(wake, 512)
            if any(number != signal.SIGCHLD for number in received):
                return _CLIENT_GONE
        while (ended := _reap(os.WNOHANG)) is not None:
            if ended[0] == server:
                code = os.waitstatus_to_exitcode(ended[1])
                return code if code >= 0 else 128 - code


def _reap(options: int) -> tuple[int, int] | None:
    """Return a child that ended and its status; ``None`` if there is none."""
    try:
        pid, status = os.waitpid(-1, options)
    except ChildProcessError:
        return None
    return (pid, status) if pid else None


def _kill_descendants() -> None:
    if not _LINUX:
        os.killpg(0, signal.SIGKILL)  # ends this process, too
    while True:
        for pid in _descendants(os.getpid()):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        if _reap(0) is None:
            return


def _descendants(ancestor: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):  # noqa: PTH208 - pathlib takes long to import
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat", "rb") as stat:  # noqa: PTH123
                    parent = int(stat.read().rpartition(b")")[2].split()[1])
            except OSError:
                continue
            children.setdefault(parent, []).append(int(entry))
    found = list(children.get(ancestor, ()))
    for pid in found:
        found += children.get(pid, ())
    return found


def _control_process(option: int, value: int) -> None:
    """Call ``prctl``, if the system has it."""
    if _LINUX:
        import ctypes  # noqa: PLC0415 - nothing that other systems need

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


if __name__ == "__main__":
    # Python's own shutdown would only take time.
    os._exit(main(sys.argv[1:]))
