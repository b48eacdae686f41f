"""The project's running server, where a command need not start a compiler of its own.

Part of docs/design/command-line.md ``check``: a compiler that runs already
answers in a fraction of the time that the first answer of a new one takes. So calls that ask one
are made by the server of the same project, version and ``--lsp``, if there is one that proves to be
this user's; else here. What such a server answers is what this process would.
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from mcp_server.calls.server_address import ENDPOINT, port_here, read_url
from mcp_server.calls.server_file import ServerFile, find, places, read
from mcp_server.calls.server_proof import (
    LOOPBACK_ADDRESS,
    Credentials,
    NotProvenError,
    answers,
    prove,
)
from mcp_server.calls.server_status import ServerStatus, ask_status, is_same_folder
from mcp_server.calls.verdict_questions import Judged, about_readiness, judged
from mcp_server.contract.verdict_schemas import VERDICT_PATH
from mcp_server.version import package_version

LOOK_S = 2.0
"""How long each step of looking may take, in seconds."""

GRACE_S = 5.0
"""How much later than its time an answer may come, in seconds, on a busy machine."""

MAX_ANSWER_BYTES = 4 * 1024 * 1024
"""More than this is no verdict."""


class ServerGoneError(Exception):
    """The server gave no answer, or none that is one. It only looks: nothing was done."""


@dataclass(slots=True)
class WarmServer:
    """A server that can stand in for this process. May be shared by threads; ``close`` it."""

    file: ServerFile
    project: Path
    _asking: Lock = field(default_factory=Lock)
    _connection: http.client.HTTPConnection | None = None

    @property
    def address(self) -> str:
        """Where it speaks MCP."""
        return f"http://{LOOPBACK_ADDRESS}:{self.file.port}{ENDPOINT}"

    def wait_until_ready(self, within_s: float) -> None:
        """Wait until its compiler is ready, or can't be had. Raises :class:`ServerGoneError`."""
        self.asked(about_readiness(within_s), within_s)

    def warm_up(self, path: str, text: str, within_s: float) -> None:
        """Wait until its compiler has judged ``text`` as the script at ``path``.

        Raises :class:`ServerGoneError`.
        """
        self.asked(about_readiness(within_s, path, text), within_s)

    def asked(self, question: Mapping[str, Any], within_s: float) -> Judged:
        """What it answers to one of :mod:`~mcp_server.calls.verdict_questions`.

        Raises :class:`ServerGoneError`.
        """
        body = json.dumps(question).encode()
        with self._asking:
            kept = self._connection is not None
            try:
                try:
                    return self._answer(body, within_s)
                except (http.client.HTTPException, OSError) as error:
                    if not kept or isinstance(error, TimeoutError):
                        raise
                    self._end()  # it rested for too long, perhaps
                    return self._answer(body, within_s)
            except (
                http.client.HTTPException,
                NotProvenError,
                OSError,
                RecursionError,
                ValueError,
            ) as error:
                self._end()
                raise ServerGoneError(str(error)) from error
            except BaseException:
                self._end()  # what is still to come would be taken for the next answer
                raise

    def _answer(self, body: bytes, within_s: float) -> Judged:
        connection = self._connected()
        connection.sock.settimeout(within_s + GRACE_S)
        headers = Credentials.for_url(self.address, None, self.project).headers
        headers = {**headers, "Content-Type": "application/json"}
        connection.request("POST", VERDICT_PATH, body, headers)
        response = connection.getresponse()
        answer = response.read(MAX_ANSWER_BYTES)
        if response.status != http.client.OK:
            raise ValueError(f"HTTP status {response.status}")
        if not response.isclosed():
            raise ValueError("the answer is too long")
        return judged(json.loads(answer))

    def _connected(self) -> http.client.HTTPConnection:
        """The connection, at whose other end is the server that left the file."""
        if self._connection is None:
            port = self.file.port
            made = http.client.HTTPConnection(LOOPBACK_ADDRESS, port, timeout=LOOK_S)
            self._connection = made
            made.connect()
            prove(made.sock, lambda: self.file)
            made.auto_open = 0  # another connection would have to be proven, too
        return self._connection

    def _end(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def close(self) -> None:
        """Hang up."""
        with self._asking:
            self._end()


def warm_server(project: Path, url: str, lsp: str) -> WarmServer | None:
    """A server that can stand in for this process; ``None`` where there is none.

    It works in ``project`` and asks the server that ``lsp``, a valid ``--lsp``, says. The one that
    the project's own file names is preferred to the one at ``url``.
    """
    for file in _files(project, url):
        if not answers(file, LOOK_S):
            continue
        found = WarmServer(file, project)
        status = ask_status(found.address, None, LOOK_S, project)
        if isinstance(status, ServerStatus) and _stands_in(status, project, lsp):
            return found
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
