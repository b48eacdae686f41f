"""Which server is a project's own, so that nobody has to choose a port.

Implements docs/design/server-and-bridge.md §12. The files that servers leave say where one may be;
believed is only the server's own answer, which names its project. One server at a time is a
project's own: it holds a lock of the operating system's, which ends with its process.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

from mcp_server.calls.server import server_file
from mcp_server.calls.server.server_address import DEFAULT_PORT
from mcp_server.calls.server.server_proof import LOOPBACK_ADDRESS
from mcp_server.calls.server.server_status import (
    WRONG_TOKEN,
    NoStatus,
    ServerStatus,
    ask_status,
    is_same_folder,
)
from snippet_engine.storage.system.file_lock import HeldLock, acquire

ANSWER_LIMIT_S = 5.0
"""How long asking one server may take, in seconds."""

MAX_ASKED = 32
"""Servers that are asked at most."""

_BY_PORT = re.compile(r"([1-9]\d{0,4})\.json")


def port_of_project(
    project: Path, token: str | None = None, within_s: float = math.inf
) -> int | None:
    """The port of the running server whose own answer names ``project``; ``None``: there is none.

    ``token`` is what the user gave; a server's own file has its own. Of several the one that the
    project's file names, else the one on the lowest port. Who hasn't been asked after ``within_s``
    seconds isn't.
    """
    until = time.monotonic() + within_s
    for port in _candidates(project):
        limit_s = min(ANSWER_LIMIT_S, until - time.monotonic())
        if limit_s <= 0:
            return None
        status = _asked(port, token, limit_s, project)
        served = status.project if isinstance(status, ServerStatus) else None
        if served is not None and is_same_folder(served, project):
            return port
    return None


def _asked(port: int, token: str | None, limit_s: float, project: Path) -> ServerStatus | NoStatus:
    """What the server says of itself: to the token of its own file where it refuses the given one.

    It is the project's all the same, and whoever then calls it is told what it wants.
    """
    url = url_of_port(port)
    status = ask_status(url, token, limit_s, project)
    if isinstance(status, NoStatus) and status.reason == WRONG_TOKEN:
        file = server_file.find(port, project)
        if file is not None and file.token:
            return ask_status(url, file.token, limit_s, project)
    return status


def own_url(project: Path | None, token: str | None = None, within_s: float = math.inf) -> str:
    """Where the project's own server answers; where one would be looked for, if there is none.

    It is looked for ``within_s`` seconds at most.
    """
    port = None if project is None else port_of_project(project, token, within_s)
    return url_of_port(port or DEFAULT_PORT)


def url_of_port(port: int) -> str:
    """The address of the MCP endpoint on ``port`` of this machine."""
    return f"http://{LOOPBACK_ADDRESS}:{port}/mcp"


def project_key(project: Path) -> str:
    """A name for the project among the user's files: the same for each path that leads to it."""
    status = project.stat()
    # Not the path: links, drive letters and letter case give one folder several.
    told = f"{status.st_dev}:{status.st_ino}" if status.st_ino else os.path.realpath(project)
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def claim_project(project: Path, patience_s: float) -> HeldLock | int | None:
    """Become the project's own server; to be kept for as long as the process lives.

    The port of the one that is it already, or that was started on a port of somebody's choice;
    ``None`` if that one doesn't answer for ``patience_s``. Raises ``OSError``.
    """
    folder = _folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"project-{project_key(project)}.lock"
    until = time.monotonic() + patience_s
    while True:
        lock = acquire(path, 200)
        port = port_of_project(project)
        if lock is not None and port is None:
            return lock
        if lock is not None:  # whoever was told a port holds none
            lock.release()
        if port is not None or time.monotonic() >= until:
            return port


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
