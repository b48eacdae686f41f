"""What a running server says of itself, and how to ask it without an MCP client.

Part of docs/design/command-line.md ``mcp`` and ``doctor``, which ask whether there is a server to
join. Both ends are here, so that they can't differ; nothing heavy is imported.
"""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, fields
from pathlib import Path
from threading import Event, Timer
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from mcp_server.calls.server.server_address import how_to_start
from mcp_server.calls.server.server_proof import Credentials, NotProvenError, prove
from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error
from snippet_engine.errors import shortened
from snippet_engine.storage.os_failure import reason_of

if TYPE_CHECKING:
    from http.client import HTTPConnection

STATUS_PATH = "/status"
SERVER_NAME = "unity-snippet"

MAX_ANSWER_BYTES = 64 * 1024
"""More than this is not a status."""

MAX_NAMED = 400
"""So much of a folder that somebody names is repeated, in code points."""


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """One server, at one moment. Paths are absolute; ``None`` stands for what isn't known.

    ``clients`` counts the stdio clients; ``ends_with_clients``: the server ends with the last.
    ``lsp`` is what it was started with as ``--lsp``, ``lsp_memory_mb`` what the language server
    that runs for it takes, ``lsp_memory_limit_mb`` what its compiler may.
    """

    version: str
    pid: int
    project: str | None
    state: str
    ends_with_clients: bool
    clients: int
    editor_connected: bool
    editor_state: str
    editor_project: str | None
    unity_version: str | None
    plugin_version: str | None
    editor_link: str = "none"
    lsp: str | None = None
    lsp_memory_mb: int | None = None
    lsp_memory_limit_mb: int | None = None

    @property
    def works_in(self) -> str | None:
        """The project that its calls are for: its own, or else its Editor's."""
        return self.project or self.editor_project

    def to_json(self) -> dict[str, Any]:
        """The status as the server sends it."""
        return {"server": SERVER_NAME, **asdict(self)}

    @classmethod
    def from_json(cls, document: object) -> ServerStatus | None:
        """``document`` as a status; ``None`` if it isn't one of ours."""
        if not isinstance(document, Mapping) or document.get("server") != SERVER_NAME:
            return None
        names = [each.name for each in fields(cls)]
        needed = [each.name for each in fields(cls) if each.default is MISSING]
        if not document.keys() >= set(needed):
            return None
        return cls(**{name: document[name] for name in names if name in document})

    @classmethod
    def parse(cls, text: str | bytes) -> ServerStatus | None:
        """Read a status from what was received; ``None`` if it is none."""
        try:
            return cls.from_json(json.loads(text))
        except (ValueError, RecursionError):
            return None


@dataclass(frozen=True, slots=True)
class NoStatus:
    """Why there is no status. ``answered``: something is there that is no server of ours, or
    that wants another token. ``advice`` says what to do, where that can be said. ``silent``:
    what is there took the connection, and said nothing in time."""

    reason: str
    answered: bool
    advice: str = ""
    silent: bool = False


WRONG_TOKEN = (
    "it wants the bearer token that it was started with: UNITY_CLI_TOKEN must be that one, or not "
    "be set, as this user's servers are known without; serve, mcp and client take a --token-file"
)
NOT_OURS = "something else than unity-cli serve answers there"
_WHEN_NOT_OURS = "End that program, or name a server's own address: --url."


def ask_status(
    url: str, token: str | None, timeout_s: float, project: Path | None = None
) -> ServerStatus | NoStatus:
    """Ask the server whose MCP endpoint is ``url``; all of it takes ``timeout_s`` at most.

    ``token`` is what the user gave; the server's own file is looked for in ``project``, too.
    """
    import http.client  # noqa: PLC0415 - with TLS and all: most commands ask no server

    credentials = Credentials.for_url(url, token, project)
    try:
        parts = urlsplit(url)
        connection = http.client.HTTPConnection(
            parts.hostname or "", parts.port or 80, timeout=timeout_s
        )
    except ValueError as error:
        return NoStatus(f"not an address: {error}", answered=False)
    late = Event()
    bound = Timer(timeout_s, lambda: _hang_up(connection, late))
    bound.daemon = True
    try:
        connection.connect()
        bound.start()  # what trickles in would keep each step within its own time
        if credentials.needs_proof:
            prove(connection.sock, credentials.file)
        connection.auto_open = 0  # another connection would have to be proven, too
        connection.request("GET", STATUS_PATH, headers=credentials.headers)
        response = connection.getresponse()
        body = response.read(MAX_ANSWER_BYTES)
    except (NotProvenError, http.client.HTTPException, OSError) as error:
        if late.is_set() or isinstance(error, TimeoutError):
            return no_answer(timeout_s)
        if isinstance(error, NotProvenError):
            return NoStatus(str(error), answered=True)
        if isinstance(error, http.client.HTTPException):
            return NoStatus(NOT_OURS, answered=True)
        return NoStatus(reason_of(error).lower(), answered=False)
    finally:
        bound.cancel()
        connection.close()
    if late.is_set():
        return no_answer(timeout_s)
    if response.status == http.client.UNAUTHORIZED:
        return NoStatus(WRONG_TOKEN, answered=True)
    return ServerStatus.parse(body) or NoStatus(NOT_OURS, answered=True)


def _hang_up(connection: HTTPConnection, late: Event) -> None:
    late.set()
    sock = connection.sock
    if sock is not None:
        with contextlib.suppress(OSError):  # it has ended meanwhile
            sock.shutdown(socket.SHUT_RDWR)


def no_answer(limit_s: float) -> NoStatus:
    """Something took the connection, and was silent for ``limit_s`` seconds."""
    advice = (
        "If it is unity-cli serve, it is stuck or very busy: restart it, or give a larger "
        "--timeout. Else name another --url."
    )
    return NoStatus(f"no answer within {limit_s:.2g} s", True, advice, silent=True)


def unreachable(url: str, why: NoStatus, project: Path | None) -> ToolError:
    """There is no server to ask, for who works in ``project``."""
    reason = why.reason
    if why.answered:
        advice = why.advice or (_WHEN_NOT_OURS if reason == NOT_OURS else "")
        message = f"What listens at {url} is of no use: {reason}. {advice}".rstrip()
    else:
        advice = how_to_start(url, how_to_serve(project))
        message = f"No server answers at {url} ({reason}). {advice}"
    return tool_error(ToolErrorCode.UNITY_DISCONNECTED, message)


def is_same_folder(told: str, project: Path) -> bool:
    """Whether the path that a server tells is the folder ``project``."""
    try:
        return Path(told).samefile(project)
    except (OSError, ValueError):
        return False


def other_project(url: str, served: str, project: Path) -> ToolError:
    """The server works in another project than the command, so nothing was sent to it."""
    from mcp_server.this_installation import quoted_word  # noqa: PLC0415 - slow, and seldom asked

    what = "The server works in another project than this command; nothing was sent or written."
    todo = (
        f"{url} works in {served}, this command in {project.absolute()}. Start that project's own "
        f"server: {start_in(project)} (commands find it without a --url). If the other project is "
        f"meant: --project {quoted_word(served)}."
    )
    return tool_error(
        ToolErrorCode.CONFIG_VALIDATION,
        f"{what} Start its own server with unity-cli serve, or give the other's --project.",
        details={"server_project": served, "project": str(project.absolute())},
        text=f"{ToolErrorCode.CONFIG_VALIDATION.value}: {what} {todo}",
    )


def not_chosen(url: str, served: str) -> ToolError:
    """The server at ``url``, which nobody named, works in a project, and the command in none."""
    from mcp_server.this_installation import quoted_word  # noqa: PLC0415 - slow, and seldom asked

    what = "No Unity project is found here, and the server that runs has one; nothing was sent."
    todo = (
        f"{url} works in {served}, and none is found upward from {_working_folder()}. If that is "
        f"meant: --project {quoted_word(served)}, or --url {url}."
    )
    return tool_error(
        ToolErrorCode.CONFIG_VALIDATION,
        f"{what} Name the project with --project, or the server with --url.",
        details={"server_project": served, "project": None},
        text=f"{ToolErrorCode.CONFIG_VALIDATION.value}: {what} {todo}",
    )


def _working_folder() -> str:
    try:
        return str(Path.cwd())
    except OSError:  # it is gone
        return "the working folder"


def how_to_serve(project: Path | None, program: str = "unity-cli", command: str = "serve") -> str:
    """The command that starts a server for ``project``, or ends it, typed where this one was."""
    from mcp_server.calls.project import find_project, problem_of  # noqa: PLC0415 - only for errors

    if project is None or problem_of(project) is not None:  # there none can be started
        return f"{program} {command} --project PATH"
    try:
        is_here = find_project(Path.cwd()) == project
    except OSError:  # the working folder is gone
        is_here = False
    return f"{program} {command}" if is_here else start_in(project, program, command)


def start_in(project: Path, program: str = "unity-cli", command: str = "serve") -> str:
    """The command that starts the project's own server, or ends it, typed anywhere."""
    from mcp_server.this_installation import quoted_word  # noqa: PLC0415 - slow, and seldom asked

    return f"{program} {command} --project {quoted_word(str(project.absolute()))}"


def meant_for_another(served: str, meant: str) -> ToolError:
    """A call came whose address names ``meant``, another project than ``served``, the server's."""
    # A folder's name needn't be UTF-8, and a message has to be.
    served, meant = (each.encode(errors="replace").decode() for each in (served, meant))
    what = "This server works in another project than the one the call is for; nothing was done."
    todo = (
        f"It works in {served}, the address names {shortened(meant, MAX_NAMED)}. Start that "
        "project's own server (unity-cli serve), and give the client the address that it prints, "
        "or let the client find it: unity-cli client install."
    )
    return tool_error(
        ToolErrorCode.CONFIG_VALIDATION,
        what,
        details={"server_project": served, "project": shortened(meant, MAX_NAMED)},
        text=f"{ToolErrorCode.CONFIG_VALIDATION.value}: {what} {todo}",
    )
