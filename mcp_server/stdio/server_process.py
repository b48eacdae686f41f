"""Start a server in the background, on every system, and watch whether it lives.

Implements docs/design/systems.md "Processes"; part of docs/design/command-line.md ``mcp``. The
server outlives the process that starts it, and logs to a file. On POSIX it only needs its own
session. On Windows it gets no window and no console. It also leaves the client's job object, which
would end it with the client, if the job allows that.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import platformdirs

from mcp_server.calls.server.project_server import project_key
from mcp_server.calls.server.server_file import DEFAULT_PORT
from mcp_server.calls.server.server_proof import TOKEN_VARIABLE
from snippet_engine.storage.system.plain_file import read_plain, require_regular

CREATE_NEW_PROCESS_GROUP = 0x00000200
CREATE_BREAKAWAY_FROM_JOB = 0x01000000
CREATE_NO_WINDOW = 0x08000000
"""Flags of ``CreateProcess``, as its documentation names them.

``DETACHED_PROCESS`` isn't used: without a console, each child process would open its own.
"""

_ERROR_ACCESS_DENIED = 5

Start = Callable[..., "subprocess.Popen[bytes]"]


def start_detached(
    command: Sequence[str | os.PathLike[str]],
    env: Mapping[str, str],
    stderr: Any,
    *,
    windows: bool = sys.platform == "win32",
    start: Start = subprocess.Popen,
) -> subprocess.Popen[bytes]:
    """Start ``command`` without input. Its standard error goes to ``stderr``.

    Its standard output is discarded. Raises ``OSError``.
    """
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": stderr}
    if not windows:
        return start(command, env=env, start_new_session=True, **streams)
    flags = CREATE_NO_WINDOW | CREATE_NEW_PROCESS_GROUP
    try:
        return start(command, env=env, creationflags=flags | CREATE_BREAKAWAY_FROM_JOB, **streams)
    except PermissionError as error:
        # No process may leave this job. So the server will end with the client.
        if getattr(error, "winerror", None) != _ERROR_ACCESS_DENIED:
            raise
        return start(command, env=env, creationflags=flags, **streams)


class ServerProcess:
    """A process that runs ``unity-cli serve``. It may run and still fail to serve."""

    def __init__(
        self, port: int | None, project: Path | None, token: str | None, lsp: str | None = None
    ) -> None:
        """Start the process, with ``--lsp`` if ``lsp`` is given. Raises ``OSError``.

        Without ``port`` the server chooses one. It ends when no client has a lease any more.
        """
        self.log = log_path(port or (DEFAULT_PORT if project is None else project_key(project)))
        self.log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        command = [sys.executable, "-P", "-m", "mcp_server.cli", "serve", "--ends-with-clients"]
        command += ["--rotated-log", str(self.log)]
        command += ["--port", str(port)] if port is not None else []
        command += ["--project", str(project)] if project is not None else []
        command += ["--lsp", lsp] if lsp is not None else []
        with _open_log(self.log) as log:
            self._log_start = os.fstat(log.fileno()).st_size
            env = {**os.environ, **({TOKEN_VARIABLE: token} if token else {})}
            self._process = start_detached(command, env, log)

    @property
    def ended(self) -> bool:
        """Return whether the process has ended."""
        return self._process.poll() is not None

    @property
    def last_words(self) -> str:
        """Return the last line that the process logged; empty if it logged none."""
        written = read_plain(self.log)
        start = self._log_start if len(written) >= self._log_start else 0  # the log was rotated
        lines = written[start:].decode(errors="replace").split("\n")
        return next((line for line in reversed(lines) if line.strip()), "").strip()


def _open_log(path: Path) -> BinaryIO:
    """Open the log for appending. Only its user may read it."""
    handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        require_regular(os.fstat(handle))
        if os.name == "posix":
            os.fchmod(handle, 0o600)
    except OSError as error:
        os.close(handle)
        error.filename = str(path)
        raise
    return os.fdopen(handle, "ab")


def log_path(port_or_project: int | str) -> Path:
    """Return the path of a server's log, for its given port or its project's key."""
    folder = platformdirs.user_log_path("unity-snippet", appauthor=False)
    return folder / f"serve-{port_or_project}.log"
