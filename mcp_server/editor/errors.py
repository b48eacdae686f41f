"""How a request to the Editor that brought no result looks to the caller of the tool.

Implements docs/design/server-and-bridge.md §7: one place that turns endings and answers into
errors, so that none claims more than is known about what was executed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_server.contract.editor_schemas import COMPILE_ERRORS
from mcp_server.contract.errors import (
    ERROR_TABLE,
    MAX_TEXT_LENGTH,
    Guarantee,
    ToolError,
    ToolErrorCode,
    lost,
    tool_error,
)
from mcp_server.contract.tool_spec import ToolSpec
from mcp_server.editor.scheduler import QUEUE_MAX_SIZE
from mcp_server.editor.scheduler_events import Ending
from mcp_server.editor.unity_answers import breach, known_fields
from snippet_engine.errors import shortened, shortened_message
from unity_bridge.editor_state import EditorView
from unity_bridge.link import Failed, Malformed, NotSent, OutcomeUnknown, Rejected

RELOAD_LOCKED = "reload_locked"
"""The ``waiting_reason`` of an Editor that a lock on domain reloads holds up."""

LOCK_HELD = "EditorApplication.LockReloadAssemblies is held"

_LONGEST_SHOWN = 500
"""Code points that are shown of what an Editor answered wrongly."""

_LOCK_ENDS = "End what holds it (a tool, a drag) or restart the Editor"


_OPEN_IT = (
    "It needs the project open in Unity, out of Safe Mode. Without: check_project tells whether it "
    "compiles, and edits work."
)
_WITHOUT_ONE = {
    "compile": "check_project tells without one whether all compiles. Else somebody has to open "
    "the project in Unity; in Safe Mode none connects.",
}
"""What to do where there is no Editor; an agent can't open one."""


def ending_error(
    ending: Ending,
    spec: ToolSpec,
    arguments: Mapping[str, Any],
    view: EditorView | None = None,
) -> ToolError:
    """The error of a request that ended without an answer; ``view``: the Editor as it is then."""
    name = spec.name
    obstacle = None if view is None else view.obstacle
    if ending is Ending.QUEUE_FULL:
        return tool_error(
            ToolErrorCode.QUEUE_FULL,
            f"{QUEUE_MAX_SIZE} requests wait for the Unity Editor already; {name} did not "
            "run. Try again in 200 ms, then in twice that, up to 2 s.",
        )
    if ending is Ending.NOT_READY and obstacle is not None:
        return tool_error(
            ToolErrorCode.EDITOR_NOT_READY,
            f"{name} did not run: {obstacle.message}.",
            details={"waiting_reason": obstacle.reason, **obstacle.details},
        )
    if ending is Ending.NOT_READY:
        return tool_error(
            ToolErrorCode.EDITOR_NOT_READY,
            f"No Unity Editor is connected; {name} did not run. {_WITHOUT_ONE.get(name, _OPEN_IT)}",
        )
    if ending is Ending.COMPILING and view is not None and view.reload_locked:
        return tool_error(
            ToolErrorCode.COMPILE_TIMEOUT,
            f"{name} did not run: {LOCK_HELD}. {_LOCK_ENDS}, then call it again.",
            details={"waiting_reason": RELOAD_LOCKED},
        )
    if ending is Ending.COMPILING:
        return tool_error(
            ToolErrorCode.COMPILE_TIMEOUT,
            f"The Unity Editor is still compiling or reloading; {name} did not run. "
            "Wait for get_editor_state to say ready, then call it again.",
        )
    if ending is Ending.BUSY:
        return tool_error(
            ToolErrorCode.REQUEST_TIMEOUT,
            f"{name} stood in line behind other requests until its time was over; it did not "
            "run. Call it again, or give it more timeout_ms.",
            retryable=True,
            guarantee=Guarantee.NOT_EXECUTED,
        )
    if ending is Ending.CANCELLED:
        return tool_error(ToolErrorCode.EDITOR_NOT_READY, f"{name} was cancelled before it ran.")
    if ending is Ending.STOPPED:
        return tool_error(ToolErrorCode.EDITOR_NOT_READY, f"The server stops; {name} did not run.")
    if ending is Ending.NO_ANSWER:
        return lost(
            ToolErrorCode.REQUEST_TIMEOUT,
            f"The Unity Editor did not answer {name} in time; whether it ran is not known.",
            spec,
            arguments,
        )
    why = "The server stops" if ending is Ending.STOPPED_RUNNING else "The Unity Editor went away"
    return lost(
        ToolErrorCode.RECONNECT_TIMEOUT,
        f"{why} while {name} was running; whether it ran is not known.",
        spec,
        arguments,
    )


def answer_error(
    answer: Failed | Rejected | Malformed | NotSent | OutcomeUnknown,
    spec: ToolSpec,
    arguments: Mapping[str, Any],
) -> ToolError:
    """The error that the Editor, or the link to it, answered with."""
    if isinstance(answer, Malformed):
        return invalid_response(answer.expected, answer.actual, spec, arguments)
    if isinstance(answer, NotSent):
        message = f"{spec.name} was not sent: {answer.reason}."
        return tool_error(ToolErrorCode(answer.code), message, details=answer.details)
    if isinstance(answer, OutcomeUnknown):
        return _unknown_outcome(answer, spec, arguments)
    if isinstance(answer, Rejected):
        code = _not_executed(answer.code)
        if code is not None:
            return tool_error(code, answer.message, details=_plugin_words(answer))
        return tool_error(
            ToolErrorCode.UNITY_EXECUTION,
            f"Unity refused to start {spec.name} ({answer.code}): {answer.message}",
            retryable=spec.execution_error_retryable,
            details=_plugin_words(answer),
            guarantee=Guarantee.NOT_EXECUTED,
        )
    return tool_error(
        ToolErrorCode.UNITY_EXECUTION,
        f"{spec.name} failed in Unity ({answer.code}): {answer.message}",
        retryable=spec.execution_error_retryable,
        details=_plugin_words(answer),
    )


def invalid_response(
    expected: str, actual: str, spec: ToolSpec, arguments: Mapping[str, Any]
) -> ToolError:
    """Unity answered something that the contract doesn't know."""
    expected, actual = shortened(expected, _LONGEST_SHOWN), shortened(actual, _LONGEST_SHOWN)
    error = lost(
        ToolErrorCode.INVALID_RESPONSE,
        f"Unity's answer to {spec.name} breaks the contract: expected {expected}, got {actual}.",
        spec,
        arguments,
    )
    details = {"expected": expected, "actual": actual, **error.details}
    return ToolError(error.code, error.message, error.retryable, details, error.text)


def _unknown_outcome(
    answer: OutcomeUnknown, spec: ToolSpec, arguments: Mapping[str, Any]
) -> ToolError:
    reason = answer.reason
    error = lost(
        ToolErrorCode.RECONNECT_TIMEOUT,
        f"{reason[0].upper()}{reason[1:]}; whether {spec.name} ran is not known.",
        spec,
        arguments,
    )
    details = {**answer.details, **error.details}
    return ToolError(error.code, error.message, error.retryable, details, error.text)


def _not_executed(code: str) -> ToolErrorCode | None:
    """The code itself, where it is one of ours that promises that nothing was executed."""
    try:
        known = ToolErrorCode(code)
    except ValueError:
        return None
    promises = ERROR_TABLE[known].guarantee is Guarantee.NOT_EXECUTED
    rejected = known is ToolErrorCode.CANCEL_REJECTED
    return known if (promises and known is not ToolErrorCode.SNIPPET) or rejected else None


def _plugin_words(answer: Failed | Rejected) -> dict[str, Any]:
    words: dict[str, Any] = {
        "plugin_error_code": shortened_message(answer.code, MAX_TEXT_LENGTH),
        "plugin_message": shortened_message(answer.message, MAX_TEXT_LENGTH),
    }
    if "pipeline" in answer.details:
        words["pipeline"] = answer.details["pipeline"]
    errors = known_fields(COMPILE_ERRORS, answer.details.get("errors", []))
    # What it says besides is its own; these are the caller's to mend.
    return {**words, "errors": errors} if errors and not breach(COMPILE_ERRORS, errors) else words
