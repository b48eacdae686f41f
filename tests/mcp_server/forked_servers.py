"""Server processes that are forked from one that has already loaded what ``serve`` loads.

Nine tenths of a server's start are imports. A forked one has its own process, streams, working
folder, environment and end; it only has not begun as an interpreter. This file is also the program
that forks them: it reads orders from the socket that is its standard input.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import IO, Any, TextIO

_MOST_BYTES = 1_000_000


class ForkedProcess:
    """A server's process, asked and ended like a ``subprocess.Popen``."""

    def __init__(self, forker: _Forker, pid: int, stdout: IO[str], stderr: IO[str]) -> None:
        self.pid, self.stdout, self.stderr = pid, stdout, stderr
        self.stdin = None
        self.returncode: int | None = None
        self._forker = forker

    def poll(self) -> int | None:
        """The exit code, once it has one."""
        self.returncode = self._forker.ended(self.pid, 0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end; the exit code."""
        self.returncode = self._forker.ended(self.pid, timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired("a forked server", timeout or 0)
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)


class _Forker:
    """The process that forks, seen from the tests."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._socket, theirs = socket.socketpair()
        command = [sys.executable, "-P", str(Path(__file__))]
        with theirs:
            self._process = subprocess.Popen(
                command, stdin=theirs, stdout=subprocess.DEVNULL, env=dict(environ)
            )
        self._forked: list[int] = []
        self._ended: dict[int, int] = {}
        self._told = threading.Condition()
        self._one_order = threading.Lock()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with self._socket.makefile("r", encoding="utf-8") as lines:
            for line in lines:
                what, pid, code = json.loads(line)
                with self._told:
                    if what == "forked":
                        self._forked.append(pid)
                    else:
                        self._ended[pid] = code
                    self._told.notify_all()

    def start(self, argv: Sequence[str], cwd: Path, environ: Mapping[str, str]) -> ForkedProcess:
        ours: list[int] = []
        given: list[int] = []
        for _ in range(2):
            read, write = os.pipe()
            ours.append(read)
            given.append(write)
        order = json.dumps([list(argv), str(cwd), dict(environ)]).encode()
        with self._one_order, self._told:
            socket.send_fds(self._socket, [len(order).to_bytes(4, "big")], given)
            self._socket.sendall(order)
            assert self._told.wait_for(lambda: self._forked, 60), "nothing was forked"
            pid = self._forked.pop()
        for each in given:
            os.close(each)
        stdout, stderr = (os.fdopen(each, "r", encoding="utf-8") for each in ours)
        return ForkedProcess(self, pid, stdout, stderr)

    def ended(self, pid: int, timeout: float | None) -> int | None:
        with self._told:
            self._told.wait_for(lambda: pid in self._ended, timeout)
            return self._ended.get(pid)


@cache
def forker(environ: tuple[tuple[str, str], ...]) -> _Forker:
    """What forks servers for this process; it ends with it."""
    return _Forker(dict(environ))


def start_forked(argv: Sequence[str], cwd: Path, environ: Mapping[str, str]) -> ForkedProcess:
    """Start a server as ``subprocess.Popen`` does, with its output in pipes."""
    # What the interpreter itself reads as it starts.
    first = ("PYTHON", "LC_", "LANG")
    read_early = {name: value for name, value in environ.items() if name.startswith(first)}
    return forker(tuple(sorted(read_early.items()))).start(argv, cwd, environ)


# -- the program -----------------------------------------------------------------------------------


_LOADED = (
    "mcp_server.cli.commands.serve_command",
    "mcp_server.cli.entry",
    "mcp_server.host.serve",
    "uvicorn.protocols.http.h11_impl",
)
"""What a server has loaded when it answers."""


def _order(orders: socket.socket) -> tuple[list[int], Any] | None:
    head, fds, _, _ = socket.recv_fds(orders, 4, 2)
    if not head:
        return None
    left, parts = int.from_bytes(head, "big"), []
    while left:
        parts.append(orders.recv(min(left, _MOST_BYTES)))
        left -= len(parts[-1])
    return list(fds), json.loads(b"".join(parts))


def _stream(fd: int, like: TextIO) -> TextIO:
    """A standard stream as the interpreter makes one of a pipe."""
    assert isinstance(like, io.TextIOWrapper)
    return io.TextIOWrapper(
        open(fd, "wb", closefd=False),
        encoding=like.encoding,
        errors=like.errors,
        line_buffering=fd == 2,
        write_through=like.write_through,
    )


def _become(fds: list[int], cwd: str, environ: dict[str, str]) -> None:
    """Give this process, just forked, what a new one has."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for to, fd in enumerate((os.open(os.devnull, os.O_RDONLY), *fds)):
        os.dup2(fd, to)
        os.close(fd)
    sys.stdout = sys.__stdout__ = _stream(1, sys.stdout)
    sys.stderr = sys.__stderr__ = _stream(2, sys.stderr)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environ)


def _serve_orders() -> list[str] | None:
    """Fork a server for each order. In a server: its arguments. At the end ``None``."""
    orders = socket.socket(fileno=os.dup(0))
    wake, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of Ctrl-C the tests are told, too

    def tell(*what: object) -> None:
        orders.sendall(json.dumps(what).encode() + b"\n")

    while True:
        ready, _, _ = select.select([orders, wake], [], [])
        if orders in ready:
            order = _order(orders)
            if order is None:
                return None
            fds, (argv, cwd, environ) = order
            pid = os.fork()
            if pid == 0:
                orders.close()
                os.close(wake)
                os.close(woken)
                _become(fds, cwd, environ)
                return list(argv)
            for fd in fds:
                os.close(fd)
            tell("forked", pid, 0)
        if wake in ready:
            os.read(wake, 1000)
            with contextlib.suppress(ChildProcessError):
                while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                    tell("ended", ended[0], os.waitstatus_to_exitcode(ended[1]))


if __name__ == "__main__":
    for each in _LOADED:
        import_module(each)
    arguments = _serve_orders()
    if arguments is not None:
        sys.argv = arguments
        from mcp_server.cli import main

        main()
