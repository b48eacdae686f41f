"""The table of error codes, and the errors made from it.

Implements docs/design/server-and-bridge.md §7. ``contracts/errors.json`` is this table. An expected
failure is a :class:`ToolError` value; an exception is a bug.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from snippet_engine.errors import (
    MAX_MESSAGE_LENGTH,
    RETRYABLE_CODES,
    ErrorCode,
    SnippetError,
    shortened_message,
)

if TYPE_CHECKING:
    from mcp_server.contract.tool_spec import ToolSpec

MAX_TEXT_LENGTH = 2000
"""The longest text of an error, in code points. A message with a command may be as long."""

_TYPED = re.compile(r"`|\bunity-cli\b|\bpip install\b")
"""Matches a command to type in a message."""


class ToolErrorCode(StrEnum):
    """Every code that a tool call or the command line can answer with."""

    INVALID_REQUEST = "ERR_INVALID_REQUEST"
    INVALID_PARAMS = "ERR_INVALID_PARAMS"
    UNKNOWN_COMMAND = "ERR_UNKNOWN_COMMAND"
    EDITOR_NOT_READY = "ERR_EDITOR_NOT_READY"
    UNITY_DISCONNECTED = "ERR_UNITY_DISCONNECTED"
    COMPILE_TIMEOUT = "ERR_COMPILE_TIMEOUT"
    QUEUE_FULL = "ERR_QUEUE_FULL"
    RECONFIG_IN_PROGRESS = "ERR_RECONFIG_IN_PROGRESS"
    RECONNECT_TIMEOUT = "ERR_RECONNECT_TIMEOUT"
    REQUEST_TIMEOUT = "ERR_REQUEST_TIMEOUT"
    INVALID_RESPONSE = "ERR_INVALID_RESPONSE"
    UNITY_EXECUTION = "ERR_UNITY_EXECUTION"
    JOB_NOT_FOUND = "ERR_JOB_NOT_FOUND"
    CANCEL_NOT_SUPPORTED = "ERR_CANCEL_NOT_SUPPORTED"
    CANCEL_REJECTED = "ERR_CANCEL_REJECTED"
    DUPLICATE_REQUEST = "ERR_DUPLICATE_REQUEST"
    SNIPPET = "ERR_SNIPPET"
    CONFIG_VALIDATION = "ERR_CONFIG_VALIDATION"


class Retryable(StrEnum):
    """Whether sending the same request again can succeed. For some codes it depends on the tool."""

    NO = "no"
    YES = "yes"
    READ_ONLY_CALLS = "read_only_calls"
    BY_TOOL = "execution_error_retryable"
    BY_ENGINE_CODE = "engine_code"


class Guarantee(StrEnum):
    """The known effect of a failed call.

    ``COMPLETED`` means that the command was interrupted after its call had returned a result.
    """

    NOT_EXECUTED = "not_executed"
    COMPLETED = "completed"
    COMPLETED_ERROR = "completed_error"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ErrorRow:
    """One row of the table."""

    when: str
    retryable: Retryable | None
    """``None`` for start-up errors, which depend on no call."""
    guarantee: Guarantee | None
    """``None`` for start-up errors, which have no call that could have an effect."""


def _wrong(when: str) -> ErrorRow:
    return ErrorRow(when, Retryable.NO, Guarantee.NOT_EXECUTED)


def _not_started(when: str) -> ErrorRow:
    return ErrorRow(when, Retryable.YES, Guarantee.NOT_EXECUTED)


def _lost(when: str) -> ErrorRow:
    return ErrorRow(when, Retryable.READ_ONLY_CALLS, Guarantee.UNKNOWN)


ERROR_TABLE: Mapping[ToolErrorCode, ErrorRow] = {
    ToolErrorCode.INVALID_REQUEST: _wrong("the request or the command line is malformed"),
    ToolErrorCode.INVALID_PARAMS: _wrong("the arguments don't satisfy the tool's input schema"),
    ToolErrorCode.UNKNOWN_COMMAND: _wrong("there is no such tool"),
    ToolErrorCode.EDITOR_NOT_READY: _not_started("the Unity Editor wasn't ready in time"),
    ToolErrorCode.UNITY_DISCONNECTED: _not_started(
        "the Unity Editor disconnected before it got the request"
    ),
    ToolErrorCode.COMPILE_TIMEOUT: _not_started("the Unity Editor compiled for too long"),
    ToolErrorCode.QUEUE_FULL: _not_started("too many requests are waiting"),
    ToolErrorCode.RECONFIG_IN_PROGRESS: _not_started("the server is changing its configuration"),
    ToolErrorCode.RECONNECT_TIMEOUT: _lost(
        "the connection was lost, or the server stopped, before the answer came"
    ),
    ToolErrorCode.REQUEST_TIMEOUT: _lost(
        "no answer within the call's timeout; details has not_executed if the call never began, "
        "or wrote nothing"
    ),
    ToolErrorCode.INVALID_RESPONSE: _lost("the answer breaks the contract"),
    ToolErrorCode.UNITY_EXECUTION: ErrorRow(
        "the tool ran and failed; details has not_executed if Unity refused to start it",
        Retryable.BY_TOOL,
        Guarantee.COMPLETED_ERROR,
    ),
    ToolErrorCode.JOB_NOT_FOUND: _wrong("there is no job of that id"),
    ToolErrorCode.CANCEL_NOT_SUPPORTED: _wrong("jobs of that kind can't be cancelled"),
    ToolErrorCode.CANCEL_REJECTED: ErrorRow(
        "the job wasn't cancelled", Retryable.NO, Guarantee.UNKNOWN
    ),
    ToolErrorCode.DUPLICATE_REQUEST: _wrong(
        "client_request_id was used: for a call that still runs, or for another request"
    ),
    ToolErrorCode.SNIPPET: ErrorRow(
        "the snippet engine refused; details is its error object",
        Retryable.BY_ENGINE_CODE,
        Guarantee.NOT_EXECUTED,
    ),
    ToolErrorCode.CONFIG_VALIDATION: ErrorRow(
        "a start-up option is wrong or missing, or the server works in another project",
        None,
        None,
    ),
}


@dataclass(frozen=True, slots=True)
class ToolError:
    """The error of one failed call. Make it with :func:`tool_error`."""

    code: ToolErrorCode
    message: str
    retryable: bool
    details: Mapping[str, Any] = field(default_factory=dict)
    """The error's data, such as ``execution_guarantee``."""
    text: str = ""
    """The text for a model or a person: what is wrong on the first line, then what to send."""

    @property
    def what_is_wrong(self) -> str:
        """Return the first line of the text: the problem, without the request to send instead."""
        return self.text.partition("\n")[0]

    def to_json(self) -> dict[str, Any]:
        """Return ``{"error": {code, message, retryable, details}}``."""
        return {
            "error": {
                "code": self.code.value,
                "message": self.message,
                "retryable": self.retryable,
                "details": dict(self.details),
            }
        }


def tool_error(
    code: ToolErrorCode,
    message: str,
    *,
    retryable: bool = False,
    details: Mapping[str, Any] | None = None,
    text: str | None = None,
    guarantee: Guarantee | None = None,
) -> ToolError:
    """Return an error with the guarantees that the table gives for ``code``.

    ``retryable`` counts only where the table leaves it open; ``guarantee`` replaces the table's.
    ``message`` is cut to 200 code points, ``text`` (default: code and message, one line) to 2,000.
    A message with a command to type may be as long as a text, since paths can be long.
    """
    row = ERROR_TABLE[code]
    guarantee = guarantee or row.guarantee or Guarantee.NOT_EXECUTED
    if row.retryable in (Retryable.NO, Retryable.YES, None):
        retryable = row.retryable is Retryable.YES
    lines = text.split("\n") if text is not None else [f"{code.value}: {message}"]
    longest = MAX_TEXT_LENGTH if _TYPED.search(message) else MAX_MESSAGE_LENGTH
    read = "\n".join(" ".join(line.splitlines()) for line in lines)
    return ToolError(
        code,
        shortened_message(message, longest),
        retryable,
        {**(details or {}), "execution_guarantee": guarantee.value},
        shortened_message(read, MAX_TEXT_LENGTH),
    )


def lost(
    code: ToolErrorCode,
    message: str,
    spec: ToolSpec,
    params: object,
    *,
    guarantee: Guarantee | None = None,
) -> ToolError:
    """Return the error of a call with an unknown effect. It is retryable only for reading tools."""
    changes = spec.changes_things(params)
    details = {"recovery_action": "inspect_state_then_retry"} if changes else {}
    look = "check get_history" if spec.executor == "local" else "check the Editor's state"
    todo = f"It may have taken effect: {look} before you repeat it."
    if not changes:
        longer = code is ToolErrorCode.REQUEST_TIMEOUT and _may_take_longer(spec, params)
        todo = f"It changes nothing: call it again{', with a larger timeout_ms' if longer else ''}."
    text = f"{code.value}: {message} {todo}"
    return tool_error(
        code, message, retryable=not changes, details=details, text=text, guarantee=guarantee
    )


def _may_take_longer(spec: ToolSpec, params: object) -> bool:
    given = params.get("timeout_ms") if isinstance(params, Mapping) else None
    limit = given if isinstance(given, int) else spec.default_timeout_ms
    return limit < spec.max_timeout_ms


def unexpected(error: Exception, *, retryable: bool = False) -> ToolError:
    """Return the error for a bug. The traceback goes to the log."""
    return tool_error(
        ToolErrorCode.UNITY_EXECUTION,
        f"Failed unexpectedly ({type(error).__name__}). This is a bug; the log has the traceback.",
        retryable=retryable,
    )


def from_engine(tool: str, error: SnippetError) -> ToolError:
    """Return the engine's refusal for the caller of ``tool``; ``details`` is its error object."""
    from snippet_engine.answer.text_form import text_form  # noqa: PLC0415 - only when needed

    if error.code is ErrorCode.INVALID_REQUEST:
        return invalid_params(tool, error)
    code = (
        ToolErrorCode.DUPLICATE_REQUEST
        if error.code is ErrorCode.DUPLICATE_REQUEST
        else ToolErrorCode.SNIPPET
    )
    return tool_error(
        code,
        error.message,
        retryable=error.retryable,
        details=error.to_json(),
        text=text_form(tool, error),
        guarantee=Guarantee.UNKNOWN if error.is_unfinished else None,
    )


def invalid_params(tool: str, error: SnippetError) -> ToolError:
    """Return ``ERR_INVALID_PARAMS`` with every problem and every offer of ``error`` in its text."""
    from snippet_engine.answer.call_notes import notes_of  # noqa: PLC0415
    from snippet_engine.answer.error_text import MAX_ERROR_LENGTH, offer_lines  # noqa: PLC0415

    prefix = f"Invalid parameters for tool `{tool}`: "
    problems = [f"{p['path']} {p['message']}" for p in error.details.get("problems", ())]
    text = prefix + ("; ".join(problems) or error.message)
    text = " ".join((text, *(each for each in notes_of(error.details) if each not in text)))
    return tool_error(
        ToolErrorCode.INVALID_PARAMS,
        prefix + error.message,
        details=error.to_json(),
        text="\n".join((text, *offer_lines(error.offers, MAX_ERROR_LENGTH - len(text)))),
    )


def errors_document() -> dict[str, Any]:
    """Return the content of ``contracts/errors.json``."""
    plain = {Retryable.NO: False, Retryable.YES: True, None: None}
    return {
        "title": "Error codes of unity-cli and its MCP server",
        "errors": [
            {
                "code": code.value,
                "when": row.when,
                "retryable": plain.get(row.retryable, row.retryable),
                "execution_guarantee": row.guarantee,
            }
            for code, row in ERROR_TABLE.items()
        ],
        "engine_errors": [
            {"code": code.value, "retryable": code in RETRYABLE_CODES} for code in ErrorCode
        ],
        "retry_advice": {
            ToolErrorCode.QUEUE_FULL.value: {
                "backoff": "exponential",
                "initial_ms": 200,
                "max_ms": 2000,
            }
        },
    }
