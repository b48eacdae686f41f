"""Find the running server of a project, so that nobody has to choose a port.

Implements docs/design/server-and-bridge.md §12. Server files say where a server may be. Only the
server's own answer, which names its project, counts. A project's own server holds a lock, which
ends with its process.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mcp_server.calls.server import server_file
from mcp_server.calls.server.server_file import DEFAULT_PORT, ServerFile
from mcp_server.calls.server.server_proof import LOOPBACK_ADDRESS
from mcp_server.calls.server.server_status import (
    WRONG_TOKEN,
    NoStatus,
    ServerStatus,
    ask_status,
    is_same_folder,
)
from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error
from snippet_engine.storage.system.file_lock import HeldLock, acquire

ANSWER_LIMIT_S = 5.0
"""How long one server may take to answer, in seconds."""

MAX_ASKED = 32
_BY_PORT = re.compile(r"([1-9]\d{0,4})\.json")


@dataclass(frozen=True, slots=True)
class SilentServer:
    """A project's running server that doesn't answer."""

    file: ServerFile | None
    """The server's file in the project; ``None`` if it can't be read."""

    @property
    def summary(self) -> str:
        """Return the known facts about the server, in words."""
        at = "" if self.file is None else f" (port {self.file.port}, pid {self.file.pid})"
        return f"the project's own server{at} runs and doesn't answer: it hangs, or is very busy"

    @property
    def advice(self) -> str:
        """Return what to do about the silent server."""
        pid = "" if self.file is None else f" {self.file.pid}"
        return f"End its process{pid} and start it again (unity-cli serve), or try again later."

    def error(self) -> ToolError:
        """Return the error of a call to this server."""
        summary = self.summary[0].upper() + self.summary[1:]
        return tool_error(ToolErrorCode.UNITY_DISCONNECTED, f"{summary}. {self.advice}")


def own_server(
    project: Path, token: str | None = None, within_s: float = math.inf
) -> int | SilentServer | None:
    """Return the port of the running server that works in ``project``; ``None`` without one.

    ``token`` is the user's; a server's file has that server's token. The server in the project's
    file is asked first, then the lowest port. Asking ends after ``within_s`` seconds.
    """
    until = time.monotonic() + within_s
    is_any_silent = False
    for port in _candidates(project):
        limit_s = min(ANSWER_LIMIT_S, until - time.monotonic())
        if limit_s <= 0:
            break
        status = status_of_port(port, token, limit_s, project)
        served = status.project if isinstance(status, ServerStatus) else None
        if served is not None and is_same_folder(served, project):
            return port
        is_any_silent |= isinstance(status, NoStatus) and status.silent
    # A left-over file may lead to another program, which is silent.
    if is_any_silent and _is_claimed(project):
        return SilentServer(server_file.read(server_file.in_project(project)))
    return None


def status_of_port(
    port: int, token: str | None, limit_s: float, project: Path
) -> ServerStatus | NoStatus:
    """Return the status of the server on ``port``.

    A server that refuses ``token`` is asked again with the token of its own file. It is still the
    project's server; the next call with the wrong token gets the reason.
    """
    url = url_of_port(port)
    status = ask_status(url, token, limit_s, project)
    if isinstance(status, NoStatus) and status.reason == WRONG_TOKEN:
        file = server_file.find(port, project)
        if file is not None and file.token:
            return ask_status(url, file.token, limit_s, project)
    return status


def own_address(
    project: Path | None, token: str | None = None, within_s: float = math.inf
) -> str | SilentServer:
    """Return the address where the project's own server is or would be, or a silent server.

    The search takes ``within_s`` seconds at most.
    """
    own = None if project is None else own_server(project, token, within_s)
    return own if isinstance(own, SilentServer) else url_of_port(own or DEFAULT_PORT)


def url_of_port(port: int) -> str:
    """Return the address of the MCP endpoint on ``port`` of this machine."""
    return f"http://{LOOPBACK_ADDRESS}:{port}/mcp"


def project_key(project: Path) -> str:
    """Return a key for the project in file names: the same for every path to the project."""
    status = project.stat()
    # Not the path: links, drive letters and letter case give one folder several paths.
    identity = f"{status.st_dev}:{status.st_ino}" if status.st_ino else os.path.realpath(project)
    return hashlib.sha256(identity.encode()).hexdigest()[:16]


def claim_project(project: Path, patience_s: float) -> HeldLock | int | SilentServer | None:
    """Become the project's own server, and keep the lock as long as this process lives.

    If the project has a server already, return its port. After ``patience_s``, return a silent
    server, or ``None`` if none could be asked. Raises ``OSError``.
    """
    folder = _folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = _claim(project)
    until = time.monotonic() + patience_s
    while True:
        lock = acquire(path, 200)
        found = own_server(project)
        if lock is not None and not isinstance(found, int):  # a silent server would hold the lock
            return lock
        if lock is not None:  # the other server is used
            lock.release()
        if isinstance(found, int) or time.monotonic() >= until:
            return found


def _claim(project: Path) -> Path:
    return _folder() / f"project-{project_key(project)}.lock"


def _is_claimed(project: Path) -> bool:
    try:
        path = _claim(project)
        lock = acquire(path, 0) if path.exists() else None
    except OSError:
        return False
    if lock is None:
        return path.exists()
    lock.release()
    return False


def _candidates(project: Path) -> Iterator[int]:
    by_port, *in_project = server_file.places(DEFAULT_PORT, project)
    named = [file.port for path in in_project if (file := server_file.read(path)) is not None]
    yield from named
    try:
        names = os.listdir(by_port.parent)  # noqa: PTH208 - names are all that is needed
    except OSError:
        return
    ports = {int(match[1]) for name in names if (match := _BY_PORT.fullmatch(name))}
    yield from sorted(ports - set(named))[:MAX_ASKED]


def _folder() -> Path:
    return server_file.places(DEFAULT_PORT, None)[0].parent
