"""A server started in the background, and what is known of its fate.

Part of docs/design/command-line.md ``mcp``. Nothing ties it to the process that started it: it has
a session of its own, and a log file instead of a terminal.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import BinaryIO

import platformdirs

from mcp_server.calls.server.project_server import project_key
from mcp_server.calls.server.server_address import DEFAULT_PORT
from mcp_server.calls.server.server_proof import TOKEN_VARIABLE
from mcp_server.stdio.detached_process import start_detached
from snippet_engine.storage.system.plain_file import read_plain, require_regular


class ServerProcess:
    """One ``unity-cli serve``. Starting it does not mean that it comes to serve."""

    def __init__(
        self, port: int | None, project: Path | None, token: str | None, lsp: str | None = None
    ) -> None:
        """Start it, with ``--lsp`` if that is given. Raises ``OSError``.

        Without ``port`` it takes one of its own. It ends by itself once no client has a lease.
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
        """Whether the process is gone."""
        return self._process.poll() is not None

    @property
    def last_words(self) -> str:
        """The last line that it wrote; empty if it wrote none."""
        written = read_plain(self.log)
        start = self._log_start if len(written) >= self._log_start else 0  # it was begun anew
        lines = written[start:].decode(errors="replace").split("\n")
        return next((line for line in reversed(lines) if line.strip()), "").strip()


def _open_log(path: Path) -> BinaryIO:
    """The log, to be written at its end: for its user alone, also one of an older version."""
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
    """Where a server that was started in the background writes its log: by the port that was named,
    else by the key of its project."""
    folder = platformdirs.user_log_path("unity-snippet", appauthor=False)
    return folder / f"serve-{port_or_project}.log"
