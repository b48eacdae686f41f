"""The project's running server, where a command need not start a compiler of its own.

Part of docs/design/command-line.md ``check``: a compiler that runs already
answers in a fraction of the time that the first answer of a new one takes. So calls that ask one
are made by the server of the same project, version and ``--lsp``, if there is one that proves to be
this user's; else here. What such a server answers is what this process would.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mcp_server.calls.server_address import ENDPOINT, port_here, read_url
from mcp_server.calls.server_file import ServerFile, find, places, read
from mcp_server.calls.server_proof import LOOPBACK_ADDRESS, answers
from mcp_server.calls.server_status import ServerStatus, ask_status, is_same_folder
from mcp_server.version import package_version

LOOK_S = 2.0
"""How long each step of looking may take, in seconds."""


def warm_server(project: Path, url: str, lsp: str) -> str | None:
    """The address of a server that can stand in for this process; ``None`` where there is none.

    It works in ``project`` and asks the server that ``lsp``, a valid ``--lsp``, says. The one that
    the project's own file names is preferred to the one at ``url``.
    """
    for file in _files(project, url):
        if not answers(file, LOOK_S):
            continue
        address = f"http://{LOOPBACK_ADDRESS}:{file.port}{ENDPOINT}"
        status = ask_status(address, None, LOOK_S, project)
        if isinstance(status, ServerStatus) and _stands_in(status, project, lsp):
            return address
    return None


def _files(project: Path, url: str) -> Iterator[ServerFile]:
    in_project = read(places(0, project)[-1])
    if in_project is not None:
        yield in_project
    address = read_url(url)
    port = port_here(address) if isinstance(address, str) else None
    by_port = find(port, None) if port is not None else None
    if by_port is not None and by_port != in_project:
        yield by_port


def _stands_in(status: ServerStatus, project: Path, lsp: str) -> bool:
    return (
        status.version == package_version()
        and status.lsp == lsp
        and status.state not in ("stopping", "stopped")
        and status.project is not None
        and is_same_folder(status.project, project)
    )
