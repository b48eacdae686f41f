"""Let the project's running server make a command's call of a script tool.

Implements docs/design/server-and-bridge.md §14. A server has already loaded the code that the call
needs. This module has the command's side and the server's. The answer is the same as the command's
own: the same parameters go through an engine made for this call, without a language server. Imports
nothing that only the command's own work needs.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mcp_server
from mcp_server.calls.interrupted_call import InterruptedCallError
from mcp_server.calls.server.proven_connection import Answer, NotSentError, ProvenConnection
from mcp_server.calls.server.server_file import ServerFile, in_project, read
from mcp_server.calls.server.server_proof import NotProvenError
from mcp_server.calls.server.single_call import outcome as outcome_of
from mcp_server.contract.errors import ToolError, ToolErrorCode, lost
from mcp_server.contract.outcome import Outcome
from mcp_server.contract.server_schemas import (
    CALL_PATH,
    DELEGATED_TOOLS,
    MAX_QUESTION_BYTES,
    READING_TOOLS,
    STOP_PATH,
)

if TYPE_CHECKING:
    from snippet_engine.budget import Stop

LOOK_S = 2.0
"""Limit for each step of reaching the server, in seconds."""

LOOK_SHARE = 0.5
"""The largest share of a call's time for each of these steps."""

MARGIN_S = 5.0
"""How much longer than its timeout a call's answer may take on a busy machine, in seconds."""

MAX_MS = 120_000
MAX_ANSWER_BYTES = 256 * 1024 * 1024
_PACKAGES = ("mcp_server", "snippet_engine", "lsp_client")
"""The packages whose code runs in a call."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """The context of a call: the process's folder, rights and code."""

    installation: str
    code: str
    device: int
    inode: int
    umask: int
    group: int

    @classmethod
    def of_this_process(cls, project: Path) -> Circumstances:
        """Return this process's circumstances for calls in ``project``. Raises ``OSError``.

        Don't call it while other threads create files: it sets the umask for a moment.
        """
        umask = os.umask(0o077)
        os.umask(umask)
        group = os.getegid() if os.name == "posix" else 0
        return cls(str(_installation()), _code(), *_folder(project), umask, group)

    def now(self, project: Path) -> Circumstances:
        """Return these circumstances with the folder that is now at ``project``'s path.

        The folder may have been replaced. Raises ``OSError``.
        """
        device, inode = _folder(project)
        return replace(self, device=device, inode=inode)

    def to_json(self) -> dict[str, Any]:
        """Return the circumstances as they are sent."""
        return {name: getattr(self, name) for name in self.__slots__}


def _installation() -> Path:
    return Path(mcp_server.__file__).resolve().parent


def _code() -> str:
    """Return a digest of the code files' times and sizes. Raises ``OSError``.

    The version alone is not enough: in a clone it stays the same.
    """
    root = _installation().parent
    found = [each for package in _PACKAGES for each in _files(f"{root}/{package}")]
    return sha256("\n".join(sorted(found)).encode()).hexdigest()


def _files(folder: str) -> Iterator[str]:
    """Yield each code file with its time and size. Raises ``OSError``."""
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
    """Return whether a call can change anything, as ``ToolSpec.changes_things`` would."""
    if tool in READING_TOOLS:
        return False
    harmless = isinstance(params, Mapping) and params.get("mode") == "preview"
    return tool == "undo_snippet" or not harmless


def is_delegated(tool: str, params: object) -> bool:
    """Return whether a server can make the call: it needs neither an Editor nor a compiler."""
    return tool in DELEGATED_TOOLS and not (isinstance(params, Mapping) and "editorGate" in params)


def call_by_server(
    project: Path, tool: str, params: object, on_held: Callable[[], None] = lambda: None
) -> Outcome | None:
    """Have the project's server make the call; return ``None`` if the command must make it.

    The command makes the call if no server can, or if a reading call got no answer. If an
    unanswered call may have changed something, the outcome is an error. ``on_held`` is called once
    if the call waits for a person.

    Raises :class:`.InterruptedCallError` for an interrupt, or ``KeyboardInterrupt`` if the call
    changes nothing.
    """
    file = read(in_project(project))
    if file is None:
        return None
    given_s = _given_s(params)
    look_s = LOOK_S if given_s is None else min(LOOK_S, given_s * LOOK_SHARE)
    call_id = os.urandom(16).hex()
    try:
        here = Circumstances.of_this_process(project).to_json()
        question = {**here, "id": call_id, "tool": tool, "params": params}
        if len(json.dumps(question)) > MAX_QUESTION_BYTES:
            return None
        connection = ProvenConnection.to_server(file, look_s)
    except (NotProvenError, OSError, RecursionError, ValueError):
        return None
    except KeyboardInterrupt:  # nothing was sent
        raise InterruptedCallError(None, is_stopped=True) from None
    try:
        limit_s = (given_s or DELEGATED_TOOLS[tool] / 1000) + MARGIN_S
        document = _ask(connection, file, CALL_PATH, question, limit_s, on_held)
        return None if document is None else _outcome(document)
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


def _ask(
    connection: ProvenConnection,
    file: ServerFile,
    path: str,
    question: Any,
    within_s: float,
    on_held: Callable[[], None] = lambda: None,
) -> Any:
    """Return the server's answer; ``None`` if the server did nothing. Raises :data:`_NO_ANSWER`."""
    answer = connection.ask(file, path, question, within_s=within_s)
    refused = HTTPStatus.BAD_REQUEST <= answer.status < HTTPStatus.INTERNAL_SERVER_ERROR
    if refused or answer.status == HTTPStatus.SERVICE_UNAVAILABLE:
        return None
    if answer.status != HTTPStatus.OK:
        raise ValueError(f"HTTP status {answer.status}")
    document = json.loads(b"".join(_parts(answer, on_held)))
    if document is None:
        raise TypeError("not the outcome of a tool")
    return document


def _parts(answer: Answer, on_held: Callable[[], None]) -> Iterator[bytes]:
    """Yield the answer's parts. Blanks come first while the call waits for a person."""
    for number, part in enumerate(answer.bounded(MAX_ANSWER_BYTES)):
        answer.limit.renew()
        if number == 0 and part.isspace():
            on_held()
        yield part


def _interrupted(file: ServerFile, call_id: str) -> KeyboardInterrupt:
    unknown = InterruptedCallError(None, is_stopped=False)
    try:
        connection = ProvenConnection.to_server(file, LOOK_S)
    except (NotProvenError, OSError):
        return unknown
    try:
        answer = _ask(connection, file, STOP_PATH, {"id": call_id}, MARGIN_S)
        outcome = None if answer["outcome"] is None else _outcome(answer["outcome"])
        is_stopped = answer["is_stopped"] is True
        return InterruptedCallError(outcome, is_stopped, [str(each) for each in answer["notes"]])
    except _NO_ANSWER:
        return unknown
    finally:
        connection.close()


def _outcome(answer: Mapping[str, Any]) -> Outcome:
    """Return the outcome in an answer. Raises ``ValueError``, ``KeyError`` or ``TypeError``."""
    text, document = answer["text"], answer["document"]
    if not isinstance(text, str) or not isinstance(document, dict):
        raise TypeError("not the outcome of a tool")
    return outcome_of(text, document, is_error=answer["is_error"])


def _given_s(params: object) -> float | None:
    given = params.get("timeout_ms") if isinstance(params, Mapping) else None
    return given / 1000 if type(given) is int and 0 < given < MAX_MS else None


def _lost(file: ServerFile, tool: str, params: object, why: str, *, late: bool) -> ToolError:
    from mcp_server.contract.script_tools import SCRIPT_TOOLS  # noqa: PLC0415 - only where it failed

    code = ToolErrorCode.REQUEST_TIMEOUT if late else ToolErrorCode.RECONNECT_TIMEOUT
    what = "did not answer in time" if late else f"gave no answer ({why})"
    message = f"The project's server (port {file.port}) {what}: {tool} was sent to it."
    return lost(code, message, SCRIPT_TOOLS[tool], params)


# -- the server's side -------------------------------------------------------------------


def differences(question: Mapping[str, Any], here: Circumstances) -> Iterator[str]:
    """Yield the name of each circumstance of the asking process that differs from ``here``."""
    for name, value in here.to_json().items():
        if question[name] != value:
            yield name


def make_call(project: Path, question: Mapping[str, Any], stop: Stop) -> Outcome:
    """Make the call as the command would. ``stop`` stops it, unless it is writing."""
    from mcp_server.calls.local_tools import LocalTools  # noqa: PLC0415 - loaded in a server
    from mcp_server.calls.tool_caller import COMMAND_LINE  # noqa: PLC0415
    from mcp_server.contract.script_tools import check_arguments, find_tool  # noqa: PLC0415
    from snippet_engine.call_context import (  # noqa: PLC0415
        as_client,
    )

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
    """Stop the call because the server ends; return the outcome with its known effect.

    ``None`` if the call only reads, and can be made elsewhere.
    """
    from mcp_server.calls.local_tools import stopped  # noqa: PLC0415 - loaded in a server
    from mcp_server.contract.script_tools import SCRIPT_TOOLS  # noqa: PLC0415

    tool, params = question["tool"], question["params"]
    if not may_change(tool, params):
        stop.stop()
        return None
    why = f"The server stopped before {tool} had finished"
    return stopped(ToolErrorCode.RECONNECT_TIMEOUT, why, SCRIPT_TOOLS[tool], params, stop)


def to_document(outcome: Outcome) -> dict[str, Any]:
    """Return ``outcome`` as the JSON object that is sent."""
    is_error = isinstance(outcome, ToolError)
    return {"text": outcome.text, "is_error": is_error, "document": outcome.to_json()}
