"""What an HTTP answer means: from status and body to one of a few values.

Implements docs/design/pipeline.md §4. A status of 200 and ``success: true`` may be around a result
that says ``success: false``: the inner word counts. Which answers prove that nothing was run is
decided here and nowhere else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, TypeAlias

from unity_bridge.told_json import Unreadable, read_told

MAX_DETAIL = 4_000
"""Longest message of the Editor's that is passed on, in code points."""


@dataclass(frozen=True, slots=True)
class Result:
    """The command ran, and says that it did what it does."""

    value: Any


@dataclass(frozen=True, slots=True)
class CommandFailed:
    """The command ran and failed; ``details`` are its own words."""

    message: str
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Refused:
    """Nothing was run. ``code`` is an ``ERR_*``; the reason will not go away by itself."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Busy:
    """Nothing was run: the Editor takes nothing now. ``dialog``: because a dialog waits."""

    reason: str
    dialog: bool = False


@dataclass(frozen=True, slots=True)
class Unauthorized:
    """Nothing was run: the token is not the Editor's, or not any more."""


@dataclass(frozen=True, slots=True)
class Unreachable:
    """Nothing was sent: no connection could be made."""


@dataclass(frozen=True, slots=True)
class Lost:
    """The request was sent, and no whole answer came."""

    reason: str


@dataclass(frozen=True, slots=True)
class Garbled:
    """There was an answer, but not one that is known."""

    expected: str
    actual: str
    hopeless: bool = False
    """It would be no other if it were asked for again."""


ExecReply: TypeAlias = (
    Result | CommandFailed | Refused | Busy | Unauthorized | Unreachable | Lost | Garbled
)


def read_exec(status: int, body: bytes) -> ExecReply:
    """What ``POST /api/exec`` answered."""
    if status == HTTPStatus.UNAUTHORIZED:
        return Unauthorized()
    told = _told(body)
    document = None if isinstance(told, Unreadable) else told
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        reason = _get(document, "busyReason")
        return Busy(str(reason or "busy"), dialog=reason == "blocked_by_dialog")
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return Busy("too many jobs")
    if status == HTTPStatus.BAD_REQUEST:
        return _read_bad_request(document)
    never_run = _NEVER_RUN.get(status)
    if never_run is not None:
        return Refused("ERR_EDITOR_NOT_READY", never_run)
    if status != HTTPStatus.OK:
        return Garbled("status 200", f"status {status}")
    if isinstance(told, Unreadable) and told.hopeless:
        return Garbled("an object with success", told.problem, hopeless=True)
    if not isinstance(document, dict) or not isinstance(document.get("success"), bool):
        return Garbled("an object with success", _kind(document))
    result = decoded(document.get("result"))
    if not document["success"]:
        return _failed(document, result)
    inner = _get(result, "success")
    if inner is False:
        return _failed(result, result)
    return Result(result)


_NEVER_RUN: Mapping[int, str] = {
    HTTPStatus.FORBIDDEN: "Unity's Pipeline package refused the request as one from a browser",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "the request is too large for Unity's Pipeline package",
    HTTPStatus.NOT_FOUND: "what listens on the Editor's port has no /api/exec",
}


def _read_bad_request(document: Any) -> ExecReply:
    error = str(_get(document, "error") or "")
    details = _words(_get(document, "errorDetails"))
    message = f"{error}: {details}" if details else error
    if error == "Parameter Validation Failed":
        return Refused("ERR_INVALID_PARAMS", message)
    if error == "Command Not Found":
        return Refused("ERR_UNKNOWN_COMMAND", message)
    if error in ("Command Execution Failed", "Internal Server Error"):
        return CommandFailed(message, {"pipeline": document})
    return Garbled("one of the package's errors", error[:80] or _kind(document))


def _failed(document: Any, words: Any) -> CommandFailed:
    told = (
        _get(document, "error")
        or _get(document, "message")
        or _get(words, "error")
        or _get(words, "message")
        or _get(document, "errorDetails")
        or "it failed and did not say why"
    )
    kept = words if isinstance(words, Mapping) else document
    return CommandFailed(_words(told), {"pipeline": kept} if isinstance(kept, Mapping) else {})


def decoded(value: Any) -> Any:
    """``value``, or what it is the JSON of, if it is a string that holds an object or a list."""
    if not (isinstance(value, str) and value.lstrip()[:1] in ("{", "[")):
        return value
    told = read_told(value)
    return value if isinstance(told, Unreadable) else told


def field_of(document: Any, name: str) -> Any:
    """The field ``name``, in whatever case its letters are; ``None`` if there is none."""
    return _get(document, name)


def read_json(body: bytes) -> Any:
    """The JSON of a body; ``None`` if it is none."""
    told = _told(body)
    return None if isinstance(told, Unreadable) else told


def _get(document: Any, name: str) -> Any:
    if not isinstance(document, Mapping):
        return None
    if name in document:
        return document[name]
    lower = name.lower()
    return next((each for key, each in document.items() if str(key).lower() == lower), None)


def _told(body: bytes) -> Any | Unreadable:
    return read_told(body.decode("utf-8-sig", "replace"))


def _words(value: Any) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text[:MAX_DETAIL]


def _kind(document: Any) -> str:
    return "something else" if document is None else f"a JSON {type(document).__name__}"
