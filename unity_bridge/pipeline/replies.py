"""Read an HTTP answer of the Pipeline package as one of the link's answers.

Implements docs/design/pipeline.md §4. A result with ``success: false`` inside a successful answer
is a failure. Only this module decides which answers prove that nothing ran.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, TypeAlias

from unity_bridge.bounded_json import Unreadable, read_json_text
from unity_bridge.link import Failed, Malformed, NotSent, OutcomeUnknown, Rejected

MAX_DETAIL = 4_000
"""Longest message from the Editor that is passed on, in code points."""


@dataclass(frozen=True, slots=True)
class Result:
    """The command ran and succeeded."""

    value: Any


ExecReply: TypeAlias = Result | Failed | Rejected | Malformed | NotSent | OutcomeUnknown
"""``OutcomeUnknown``: the request was sent, and no whole answer came."""

UNAUTHORIZED = NotSent(
    "ERR_UNITY_DISCONNECTED", "the Unity Editor refused the token in its descriptor"
)
UNREACHABLE = NotSent("ERR_UNITY_DISCONNECTED", "the Unity Editor has just disconnected")

_BUSY = "ERR_EDITOR_NOT_READY"


def is_busy(reply: ExecReply) -> bool:
    """Return whether nothing ran because the Editor takes no commands now."""
    return isinstance(reply, NotSent) and reply.code == _BUSY


def read_exec(status: int, body: bytes) -> ExecReply:
    """Read the answer of ``POST /api/exec``."""
    if status == HTTPStatus.UNAUTHORIZED:
        return UNAUTHORIZED
    document = _read(body)
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        return _busy(str(field_of(document, "busyReason") or "busy"))
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return _busy("too many jobs")
    if status == HTTPStatus.BAD_REQUEST:
        return _read_bad_request(document)
    if status in _NEVER_RUN:
        return Rejected("ERR_EDITOR_NOT_READY", _NEVER_RUN[status])
    if status != HTTPStatus.OK:
        return Malformed("status 200", f"status {status}")
    if isinstance(document, Unreadable) and document.hopeless:
        return Malformed("an object with success", document.problem, hopeless=True)
    if not isinstance(document, dict) or not isinstance(document.get("success"), bool):
        return Malformed("an object with success", _kind(document))
    result = decoded(document.get("result"))
    if not document["success"]:
        return _failed(document, result)
    if field_of(result, "success") is False:
        return _failed(result, result)
    return Result(result)


_NEVER_RUN: Mapping[int, str] = {
    HTTPStatus.FORBIDDEN: "Unity's Pipeline package refused the request as one from a browser",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "the request is too large for Unity's Pipeline package",
    HTTPStatus.NOT_FOUND: "the server on the Editor's port has no /api/exec",
}


def _busy(reason: str) -> NotSent:
    return NotSent(_BUSY, f"the Unity Editor is busy ({reason})")


def _read_bad_request(document: Any) -> ExecReply:
    error = str(field_of(document, "error") or "")
    details = _text(field_of(document, "errorDetails"))
    message = f"{error}: {details}" if details else error
    if error == "Parameter Validation Failed":
        return Rejected("ERR_INVALID_PARAMS", message)
    if error == "Command Not Found":
        return Rejected("ERR_UNKNOWN_COMMAND", message)
    if error in ("Command Execution Failed", "Internal Server Error"):
        return _command_failed(message, document)
    return Malformed("one of the package's errors", error[:80] or _kind(document))


def _failed(document: Any, result: Any) -> Failed:
    message = (
        field_of(document, "error")
        or field_of(document, "message")
        or field_of(result, "error")
        or field_of(result, "message")
        or field_of(document, "errorDetails")
        or "it failed without a reason"
    )
    return _command_failed(_text(message), result if isinstance(result, Mapping) else document)


def _command_failed(message: str, document: Any) -> Failed:
    details = {"pipeline": document} if isinstance(document, Mapping) else {}
    return Failed("PIPELINE_COMMAND_FAILED", message, details)


def decoded(value: Any) -> Any:
    """Return ``value``, decoded if it is a string with a JSON object or list."""
    if not (isinstance(value, str) and value.lstrip()[:1] in ("{", "[")):
        return value
    inner = read_json_text(value)
    return value if isinstance(inner, Unreadable) else inner


def read_json(body: bytes) -> Any:
    """Return the JSON value of a body; ``None`` if the body isn't JSON."""
    document = _read(body)
    return None if isinstance(document, Unreadable) else document


def field_of(document: Any, name: str) -> Any:
    """Return the field ``name``, in any letter case; ``None`` if it is missing."""
    if not isinstance(document, Mapping):
        return None
    if name in document:
        return document[name]
    lower = name.lower()
    return next((each for key, each in document.items() if str(key).lower() == lower), None)


def list_field(document: Any, name: str) -> list[Any]:
    """Return the field ``name`` if it is a list, else an empty list."""
    found = field_of(document, name)
    return found if isinstance(found, list) else []


def text_field(document: Any, name: str) -> str:
    """Return the field ``name`` if it is a string, else an empty one."""
    found = field_of(document, name)
    return found if isinstance(found, str) else ""


def _read(body: bytes) -> Any | Unreadable:
    return read_json_text(body.decode("utf-8-sig", "replace"))


def _text(value: Any) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text[:MAX_DETAIL]


def _kind(document: Any) -> str:
    if document is None or isinstance(document, Unreadable):
        return "something else"
    return f"a JSON {type(document).__name__}"
