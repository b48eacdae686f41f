"""What the double has of a process: a number, a listening socket, and a port of its own."""

from __future__ import annotations

import fcntl
import random
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import IO

from unity_bridge.pipeline.project_files import PORTS

_PROGRAM = """
import socket, sys
line, held = socket.socket(fileno=int(sys.argv[1])), []
while True:
    word, handles, _, _ = socket.recv_fds(line, 1, 1)
    if not word:
        break
    for old in held:
        socket.close(old)
    held = handles
    line.send(b".")
"""


class EditorProcess:
    """The process that the Editor is, as far as a system can tell: it lives until :meth:`kill`, and
    holds the socket that the double listens on."""

    def __init__(self) -> None:
        self._line, theirs = socket.socketpair()
        self._process = subprocess.Popen(
            [sys.executable, "-S", "-c", _PROGRAM, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
        )
        theirs.close()
        self.pid = self._process.pid

    def hold(self, listener: socket.socket) -> None:
        """Have it hold ``listener``, too."""
        socket.send_fds(self._line, [b"+"], [listener.fileno()])
        assert self._line.recv(1) == b"."

    def let_go(self) -> None:
        """Have it close what it holds; a dead one holds nothing."""
        with suppress(OSError):
            self._line.send(b"-")
            self._line.recv(1)

    def kill(self) -> None:
        """End it, and wait until it has ended."""
        self._process.kill()
        self._process.wait()
        self._line.close()


class ReservedPort:
    """A port of the package's range that no other double on this machine takes until it is given
    back, also while nobody listens on it."""

    def __init__(self, number: int, claim: IO[bytes]) -> None:
        self.number = number
        self._claim = claim

    def give_back(self) -> None:
        """Let others have it."""
        self._claim.close()


def reserve_port() -> ReservedPort:
    """One that is free."""
    for number in random.sample(PORTS, len(PORTS)):
        path = Path(tempfile.gettempdir()) / f"pipeline-double-{number}.lock"
        try:
            claim = path.open("wb")
            fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            continue
        with socket.socket() as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                trial.bind(("127.0.0.1", number))
            except OSError:
                claim.close()
                continue
        return ReservedPort(number, claim)
    raise AssertionError("every port of the Pipeline package is taken")
