"""A running server's status, and how to ask for it without an MCP client.

Part of docs/design/command-line.md ``mcp`` and ``doctor``. Both the
server and its clients use this module, so it imports nothing heavy.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, fields
from http import HTTPStatus
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from mcp_server.calls.server.server_file import how_to_start
from mcp_server.calls.server.server_proof import Credentials, NotProvenError
from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error
from snippet_engine.errors import shortened
from snippet_engine.storage.os_failure import reason_of

STATUS_PATH = "/status"
LEASE_PATH = "/lease"
SERVER_NAME = "unity-snippet"

MAX_ANSWER_BYTES = 64 * 1024
MAX_NAMED = 400


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """The status of one server at one moment. Paths are absolute; ``None`` means unknown."""

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
    watch: str | None = None
    """``events`` if the system reports changed files. Otherwise why file times are compared."""

    @property
    def works_in(self) -> str | None:
        """Return the project of the server's calls: its own, or else its Editor's."""
        return self.project or self.editor_project

    def to_json(self) -> dict[str, Any]:
        """Return the status as the server sends it."""
        return {"server": SERVER_NAME, **asdict(self)}

    @classmethod
    def from_json(cls, document: object) -> ServerStatus | None:
        """Return ``document`` as a status; ``None`` if it isn't one."""
        if not isinstance(document, Mapping) or document.get("server") != SERVER_NAME:
            return None
        names = [each.name for each in fields(cls)]
        needed = [each.name for each in fields(cls) if each.default is MISSING]
        if not document.keys() >= set(needed):
            return None
        return cls(**{name: document[name] for name in names if name in document})

    @classmethod
    def parse(cls, text: str | bytes) -> ServerStatus | None:
        """Return the status in a received text; ``None`` if there is none."""
        try:
            return cls.from_json(json.loads(text))
        except (ValueError, RecursionError):
            return None


@dataclass(frozen=True, slots=True)
class NoStatus:
    """Why a server gave no status."""

    reason: str
    answered: bool
    """Whether something answered: another program, or a server that wants another token."""
    advice: str = ""
    silent: bool = False
    """Whether the listener took the connection, but sent nothing in time."""


WRONG_TOKEN = (
    "it requires its bearer token. Set UNITY_CLI_TOKEN to that token, or, with serve, mcp and "
    "client, give its --token-file. If it is your own server, unset UNITY_CLI_TOKEN"
)
NOT_OURS = "a program other than unity-cli serve answers there"
_WHEN_NOT_OURS = "End that program, or name a server's own address: --url."


def ask_status(
    url: str, token: str | None, timeout_s: float, project: Path | None = None
) -> ServerStatus | NoStatus:
    """Ask the server at the MCP endpoint ``url`` for its status, within ``timeout_s`` seconds.

    ``token`` is the user's. The server's own file may be in ``project``.
    """
    from mcp_server.calls.server.proven_connection import (  # noqa: PLC0415 - not for help pages
        JSON_TYPE,
        ConnectionLostError,
        ProvenConnection,
    )

    until = monotonic() + timeout_s
    credentials = Credentials.for_url(url, token, project)
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or 80
    except ValueError as error:
        return NoStatus(f"not an address: {error}", answered=False)
    connection = None
    try:
        file = credentials.file if credentials.needs_proof else None
        connection = ProvenConnection(host, port, timeout_s, file)
        answer = connection.request(
            "GET", STATUS_PATH, credentials.headers, within_s=until - monotonic()
        )
        if answer.status == HTTPStatus.UNAUTHORIZED:
            return NoStatus(WRONG_TOKEN, answered=True)
        is_json = answer.content_type == JSON_TYPE
        body = answer.read(MAX_ANSWER_BYTES) if is_json else b""
    except NotProvenError as error:
        return NoStatus(str(error), answered=True)
    except TimeoutError:
        return no_answer(timeout_s)
    except (ConnectionLostError, ValueError):
        return NoStatus(NOT_OURS, answered=True)
    except OSError as error:
        return NoStatus(reason_of(error).lower(), answered=False)
    finally:
        if connection is not None:
            connection.close()
    return ServerStatus.parse(body) or NoStatus(NOT_OURS, answered=True)


def no_answer(limit_s: float) -> NoStatus:
    """Return the :class:`NoStatus` of a listener that was silent for ``limit_s`` seconds."""
    advice = (
        "If it is unity-cli serve, it is stuck or very busy: restart it, or give a larger "
        "--timeout. Else name another --url."
    )
    return NoStatus(f"no answer within {limit_s:.2g} s", True, advice, silent=True)


def unreachable(url: str, why: NoStatus, project: Path | None) -> ToolError:
    """Return the error of a command in ``project`` whose server can't be asked."""
    reason = why.reason
    if why.answered:
        advice = why.advice or (_WHEN_NOT_OURS if reason == NOT_OURS else "")
        message = f"The program at {url} can't be used: {reason}. {advice}".rstrip()
    else:
        advice = how_to_start(url, how_to_serve(project))
        message = f"No server answers at {url} ({reason}). {advice}"
    return tool_error(ToolErrorCode.UNITY_DISCONNECTED, message)


def is_same_folder(path: str, project: Path) -> bool:
    """Return whether ``path``, as a server gave it, is the folder ``project``."""
    try:
        return Path(path).samefile(project)
    except (OSError, ValueError):
        return False


def other_project(url: str, served: str, project: Path) -> ToolError:
    """Return the error for a server that works in another project than the command."""
    from mcp_server.this_installation import quoted_word  # noqa: PLC0415 - slow, and seldom asked

    what = "The server works in another project than this command; nothing was sent or written."
    todo = (
        f"{url} works in {served}, this command in {project.absolute()}. Start that project's own "
        f"server: {start_in(project)} (commands find it without a --url). Or use the other "
        f"project: --project {quoted_word(served)}."
    )
    return tool_error(
        ToolErrorCode.CONFIG_VALIDATION,
        f"{what} Start one for this project with unity-cli serve, or give the running server's "
        "project as --project.",
        details={"server_project": served, "project": str(project.absolute())},
        text=f"{ToolErrorCode.CONFIG_VALIDATION.value}: {what} {todo}",
    )


def not_chosen(url: str, served: str) -> ToolError:
    """Return the error of a command without a project, if the server has one.

    The server at ``url`` wasn't named, so its project may not be the one that the user means.
    """
    from mcp_server.this_installation import quoted_word  # noqa: PLC0415 - slow, and seldom asked

    what = "No Unity project is found here, but the running server works in one; nothing was sent."
    todo = (
        f"{url} works in {served}, and no project is found upward from {_working_folder()}. "
        f"If you mean that one: --project {quoted_word(served)}, or --url {url}."
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
    """Return the command, typed in this folder, that starts or ends a server for ``project``."""
    from mcp_server.calls.project import find_project, problem_of  # noqa: PLC0415 - only for errors

    if project is None or problem_of(project) is not None:  # no server can start there
        return f"{program} {command} --project PATH"
    try:
        is_here = find_project(Path.cwd()) == project
    except OSError:  # the working folder is gone
        is_here = False
    return f"{program} {command}" if is_here else start_in(project, program, command)


def start_in(project: Path, program: str = "unity-cli", command: str = "serve") -> str:
    """Return the command, typed in any folder, that starts or ends the project's server."""
    from mcp_server.this_installation import quoted_word  # noqa: PLC0415 - slow, and seldom asked

    return f"{program} {command} --project {quoted_word(str(project.absolute()))}"


def wrong_project(served: str, named: str) -> ToolError:
    """Return the error of a call for the project ``named``, sent to the server of ``served``."""
    # A folder's name needn't be UTF-8; a message must be.
    served, named = (each.encode(errors="replace").decode() for each in (served, named))
    what = "This server works in another project than the call; nothing was done."
    todo = (
        f"It works in {served}; the address names {shortened(named, MAX_NAMED)}. Start that "
        "project's own server (unity-cli serve), and give the client the address that it prints, "
        "or let the client find it: unity-cli client install."
    )
    return tool_error(
        ToolErrorCode.CONFIG_VALIDATION,
        what,
        details={"server_project": served, "project": shortened(named, MAX_NAMED)},
        text=f"{ToolErrorCode.CONFIG_VALIDATION.value}: {what} {todo}",
    )
