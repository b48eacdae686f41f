"""A call of a script tool, made by the project's running server as the command would make it.

Implements docs/design/server-and-bridge.md §14. What a command takes to edit one script is the
loading of what edits it, and a server has that loaded. Both ends are here. What the server answers
is what the command itself would have come to, by construction: the same parameters go the same way
through an engine that was made for this one call, and asks no language server.

Nothing is imported that only the command's own work needs: that is what is saved.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mcp_server
from mcp_server.calls.interrupted_call import InterruptedCallError
from mcp_server.calls.server.proven_connection import NotSentError, ProvenConnection
from mcp_server.calls.server.server_file import ServerFile, in_project, read
from mcp_server.calls.server.server_proof import Credentials, NotProvenError
from mcp_server.contract.errors import ToolError, ToolErrorCode, lost
from mcp_server.contract.outcome import Outcome, ToolResult
from mcp_server.contract.server_schemas import CALL_PATH, LENT_TOOLS, MAX_QUESTION_BYTES, STOP_PATH

if TYPE_CHECKING:
    from snippet_engine.budget import Stop

LOOK_S = 2.0
"""How long each step of reaching the server may take, in seconds."""

LOOK_SHARE = 0.5
"""The part of a call's time in which the server may be reached: the rest is for making it here."""

MARGIN_S = 5.0
"""How much later than the call's time an answer may come, in seconds, on a busy machine."""

MAX_MS = 120_000
"""More than any of the tools may take, in milliseconds."""

MAX_ANSWER_BYTES = 256 * 1024 * 1024
"""More than this is no answer. A command's own has no bound but what an engine may change."""

_PACKAGES = ("mcp_server", "snippet_engine", "lsp_client")
"""Those whose code a call runs."""

_READING = frozenset(("get_symbols", "validate_script", "get_history"))


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What of a process shows in what it does, but for the parameters of the call."""

    installation: str
    code: str
    device: int
    inode: int
    umask: int
    group: int

    @classmethod
    def of_this_process(cls, project: Path) -> Circumstances:
        """For calls in ``project``. Raises ``OSError``. Not where other threads make files."""
        umask = os.umask(0o077)
        os.umask(umask)
        group = os.getegid() if os.name == "posix" else 0
        return cls(str(_installation()), _code(), *_folder(project), umask, group)

    def now(self, project: Path) -> Circumstances:
        """The same, with the folder that ``project`` is by now: one that is moved has left its
        path, and another one may lie there. Raises ``OSError``.
        """
        device, inode = _folder(project)
        return replace(self, device=device, inode=inode)

    def to_json(self) -> dict[str, Any]:
        """As it is sent."""
        return {name: getattr(self, name) for name in self.__slots__}


def _installation() -> Path:
    return Path(mcp_server.__file__).resolve().parent


def _code() -> str:
    """A digest of which files the code is by their times and sizes: a version may stay what it is
    as they change, in a clone or where one is installed anew. Raises ``OSError``."""
    root = _installation().parent
    found = [each for package in _PACKAGES for each in _files(f"{root}/{package}")]
    return sha256("\n".join(sorted(found)).encode()).hexdigest()


def _files(folder: str) -> Iterator[str]:
    """Each file of code, with its time and size. Raises ``OSError``."""
    with os.scandir(folder) as entries:
        for each in entries:
            if each.is_dir():
                yield from _files(each.path)
            elif each.name.endswith(".py"):
                status = each.stat()
                yield f"{each.path} {status.st_mtime_ns} {status.st_size}"


def _folder(project: Path) -> tuple[int, int]:
    found = project.stat()
    return found.st_dev, found.st_ino


def may_change(tool: str, params: object) -> bool:
    """Whether a call can change anything; the same as ``ToolSpec.changes_things``."""
    if tool in _READING:
        return False
    harmless = isinstance(params, Mapping) and params.get("mode") == "preview"
    return tool == "undo_snippet" or not harmless


def is_lent(tool: str, params: object) -> bool:
    """Whether it is a call that needs neither an Editor nor a compiler, but for ``--lsp``."""
    return tool in LENT_TOOLS and not (isinstance(params, Mapping) and "editorGate" in params)


def call_by_server(project: Path, tool: str, params: object) -> Outcome | None:
    """What the project's running server comes to; ``None``: the call is to be made here.

    That is so where there is none that could stand in for this process, and where it gave no
    answer to a call that changes nothing. A call that may have changed something and wasn't
    answered is an error of the outcome. Raises :class:`.InterruptedCallError`, and of a
    call that changes nothing ``KeyboardInterrupt``, for an interrupt meanwhile.
    """
    file = read(in_project(project))
    if file is None:
        return None
    given_s = _given_s(params)
    look_s = LOOK_S if given_s is None else min(LOOK_S, given_s * LOOK_SHARE)
    call_id = os.urandom(16).hex()
    try:
        asker = Circumstances.of_this_process(project).to_json()
        question = {**asker, "id": call_id, "tool": tool, "params": params}
        body = json.dumps(question).encode()
        if len(body) > MAX_QUESTION_BYTES:
            return None
        connection = ProvenConnection(file, look_s)
    except (NotProvenError, OSError, RecursionError, ValueError):
        return None
    except KeyboardInterrupt:  # nothing was sent
        raise InterruptedCallError(None, is_stopped=True) from None
    try:
        told = _asked(connection, file, CALL_PATH, body, _limit_s(tool, params) + MARGIN_S)
        return None if told is None else _outcome(told)
    except NotSentError:
        return None
    except _NO_ANSWER as error:
        late = isinstance(error, TimeoutError)
        if not late and not may_change(tool, params):
            return None
        return _lost(file, tool, params, str(error), late=late)
    except KeyboardInterrupt:
        if not may_change(tool, params):
            raise
        raise _interrupted(file, call_id) from None
    finally:
        connection.close()


_NO_ANSWER = (OSError, RecursionError, ValueError, KeyError, TypeError)


def _asked(
    connection: ProvenConnection, file: ServerFile, path: str, body: bytes, within_s: float
) -> Any:
    """What the server says; ``None``: that it did nothing. Raises what is of :data:`_NO_ANSWER`."""
    headers = {**Credentials.for_file(file).headers, "Content-Type": "application/json"}
    answer = connection.request("POST", path, headers, body, within_s=within_s)
    refused = HTTPStatus.BAD_REQUEST <= answer.status < HTTPStatus.INTERNAL_SERVER_ERROR
    if refused or answer.status == HTTPStatus.SERVICE_UNAVAILABLE:
        return None
    if answer.status != HTTPStatus.OK:
        raise ValueError(f"HTTP status {answer.status}")
    document = json.loads(answer.read(MAX_ANSWER_BYTES))
    if document is None:
        raise TypeError("no outcome of a tool")
    return document


def _interrupted(file: ServerFile, call_id: str) -> KeyboardInterrupt:
    """Have the server stop the call; what was done by then, as far as it says so."""
    unknown = InterruptedCallError(None, is_stopped=False)
    try:
        connection = ProvenConnection(file, LOOK_S)
    except (NotProvenError, OSError):
        return unknown
    try:
        body = json.dumps({"id": call_id}).encode()
        told = _asked(connection, file, STOP_PATH, body, MARGIN_S)
        outcome = None if told["outcome"] is None else _outcome(told["outcome"])
        is_stopped = told["is_stopped"] is True
        return InterruptedCallError(outcome, is_stopped, [str(each) for each in told["notes"]])
    except _NO_ANSWER:
        return unknown
    finally:
        connection.close()


def _outcome(told: Mapping[str, Any]) -> Outcome:
    """Raises ``ValueError``, ``KeyError`` or ``TypeError`` for what is none."""
    text, document, is_error = told["text"], told["document"], told["is_error"]
    if not isinstance(text, str) or not isinstance(document, dict):
        raise TypeError("no outcome of a tool")
    if not is_error:
        return ToolResult(document, text)
    error = document["error"]
    return ToolError(
        ToolErrorCode(error["code"]), error["message"], error["retryable"], error["details"], text
    )


def _given_s(params: object) -> float | None:
    """The time that the call was given; ``None``: none that a tool allows, which is refused."""
    given = params.get("timeout_ms") if isinstance(params, Mapping) else None
    return given / 1000 if type(given) is int and 0 < given < MAX_MS else None


def _limit_s(tool: str, params: object) -> float:
    return _given_s(params) or LENT_TOOLS[tool] / 1000


def _lost(file: ServerFile, tool: str, params: object, why: str, *, late: bool) -> ToolError:
    from mcp_server.contract.script_tools import SCRIPT_TOOLS  # noqa: PLC0415 - only where it failed

    code = ToolErrorCode.REQUEST_TIMEOUT if late else ToolErrorCode.RECONNECT_TIMEOUT
    what = "did not answer in time" if late else f"gave no answer ({why})"
    message = f"The project's server (port {file.port}) {what}: {tool} was sent to it."
    return lost(code, message, SCRIPT_TOOLS[tool], params)


# -- the server's end --------------------------------------------------------------------


def differences(question: Mapping[str, Any], here: Circumstances) -> Iterator[str]:
    """In what the process that asks ``question`` isn't like the one that ``here`` describes."""
    for name, value in here.to_json().items():
        if question[name] != value:
            yield name


def made_here(project: Path, question: Mapping[str, Any], stop: Stop) -> Outcome:
    """Make the call as the command would. ``stop`` stops it if it isn't writing."""
    from mcp_server.calls.local_tools import LocalTools  # noqa: PLC0415 - loaded in a server
    from mcp_server.calls.tool_caller import COMMAND_LINE  # noqa: PLC0415
    from mcp_server.contract.request_validator import check_arguments, find_tool  # noqa: PLC0415
    from snippet_engine.client_identity import as_client  # noqa: PLC0415

    spec = find_tool(question["tool"])
    if isinstance(spec, ToolError):
        return spec
    params = check_arguments(spec, question["params"])
    if isinstance(params, ToolError):
        return params
    tools = LocalTools(project)
    try:
        with as_client(COMMAND_LINE):
            return tools.call_in_time(spec, params, stop=stop)
    finally:
        tools.close()


def cut_off(question: Mapping[str, Any], stop: Stop) -> Outcome | None:
    """Stop the call, as the server ends; what is known of its effect.

    ``None``: it only looks, and can be made elsewhere.
    """
    from mcp_server.calls.local_tools import stopped  # noqa: PLC0415 - loaded in a server
    from mcp_server.contract.script_tools import SCRIPT_TOOLS  # noqa: PLC0415

    tool, params = question["tool"], question["params"]
    if not may_change(tool, params):
        stop.stop()
        return None
    why = f"The server stopped before {tool} had finished"
    return stopped(ToolErrorCode.RECONNECT_TIMEOUT, why, SCRIPT_TOOLS[tool], params, stop)


def told(outcome: Outcome) -> dict[str, Any]:
    """``outcome`` as it is sent."""
    is_error = isinstance(outcome, ToolError)
    return {"text": outcome.text, "is_error": is_error, "document": outcome.to_json()}
