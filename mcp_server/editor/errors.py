"""The errors of the Editor's requests, and the outcomes of its jobs.

Implements docs/design/server-and-bridge.md §6 and §7. No error claims more than is known about what
was executed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mcp_server.contract.catalog import CATALOG
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
from mcp_server.contract.tool_spec import ExecutionMode, ToolSpec
from mcp_server.editor.job_manager import Job
from mcp_server.editor.scheduler import QUEUE_MAX_SIZE, Ending
from mcp_server.editor.unity_answers import breach, known_fields
from snippet_engine.errors import shortened, shortened_message
from unity_bridge.editor_state import EditorView
from unity_bridge.link import Failed, Malformed, NotSent, OutcomeUnknown, Rejected
from unity_bridge.states import JobState

RELOAD_LOCKED = "reload_locked"
"""The ``waiting_reason`` while domain reloads of the Editor are locked."""

LOCK_HELD = "EditorApplication.LockReloadAssemblies is held"

_LONGEST_SHOWN = 500
"""Most code points of an invalid answer that a message shows."""

_LOCK_ENDS = "End the tool or drag that holds it, or restart the Editor"


_OPEN_IT = (
    "It needs the project open in Unity, not in Safe Mode. Without Unity, check_project and all "
    "edits work."
)
_WITHOUT_ONE = {
    "compile": "check_project compiles the project without an Editor. For anything else, the user "
    "has to open it in Unity, not in Safe Mode.",
}
"""What to do without a connected Editor. An agent can't open one."""


def ending_error(
    ending: Ending,
    spec: ToolSpec,
    arguments: Mapping[str, Any],
    view: EditorView | None = None,
) -> ToolError:
    """Return the error of a request that got no answer. ``view`` is the Editor's present state."""
    name = spec.name
    obstacle = None if view is None else view.obstacle
    if ending is Ending.QUEUE_FULL:
        return tool_error(
            ToolErrorCode.QUEUE_FULL,
            f"{QUEUE_MAX_SIZE} requests already wait for the Unity Editor; {name} did not "
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
            "Wait until get_editor_state reports ready, then call it again.",
        )
    if ending is Ending.BUSY:
        return tool_error(
            ToolErrorCode.REQUEST_TIMEOUT,
            f"{name} did not run: it waited for other requests until its timeout. "
            "Call it again, or give a larger timeout_ms.",
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
            f"The Unity Editor did not answer {name} in time; whether it ran is unknown.",
            spec,
            arguments,
        )
    why = "The server stops" if ending is Ending.STOPPED_RUNNING else "The Unity Editor went away"
    return lost(
        ToolErrorCode.RECONNECT_TIMEOUT,
        f"{why} while {name} was running; whether it ran is unknown.",
        spec,
        arguments,
    )


def answer_error(
    answer: Failed | Rejected | Malformed | NotSent | OutcomeUnknown,
    spec: ToolSpec,
    arguments: Mapping[str, Any],
) -> ToolError:
    """Return the error for a failure that the Editor or its link reported."""
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
    """Return the error for an answer that breaks the contract."""
    expected, actual = shortened(expected, _LONGEST_SHOWN), shortened(actual, _LONGEST_SHOWN)
    error = lost(
        ToolErrorCode.INVALID_RESPONSE,
        f"Unity's answer to {spec.name} breaks the contract: expected {expected}, got {actual}.",
        spec,
        arguments,
    )
    return replace(error, details={"expected": expected, "actual": actual, **error.details})


def _unknown_outcome(
    answer: OutcomeUnknown, spec: ToolSpec, arguments: Mapping[str, Any]
) -> ToolError:
    reason = answer.reason
    error = lost(
        ToolErrorCode.RECONNECT_TIMEOUT,
        f"{reason[0].upper()}{reason[1:]}; whether {spec.name} ran is unknown.",
        spec,
        arguments,
    )
    return replace(error, details={**answer.details, **error.details})


def _not_executed(code: str) -> ToolErrorCode | None:
    """Return ``code`` if it is ours and promises that nothing was executed; else ``None``."""
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
    # The caller gets no other details.
    return {**words, "errors": errors} if errors and not breach(COMPILE_ERRORS, errors) else words


_NOT_KNOWN = "Its outcome is unknown."


def job_outcome(job: Job, link: str, arguments: Mapping[str, Any]) -> dict[str, Any] | ToolError:
    """Return the outcome of a settled ``job`` that wasn't cancelled, for the caller of its tool.

    ``link`` is the link's name; ``arguments`` are the call's, if known.
    """
    spec = CATALOG[job.tool]
    result = dict(job.result or {})
    if job.state is JobState.SUCCEEDED:
        answers_with_job = spec.execution_mode is ExecutionMode.JOB
        return {"job_id": job.job_id, **result} if answers_with_job else {**result, "link": link}
    code, message = result.get("code"), result.get("message")
    if code == ToolErrorCode.INVALID_RESPONSE.value and "expected" in result:
        return invalid_response(result["expected"], result["actual"], spec, arguments)
    if job.state is not JobState.FAILED or code == ToolErrorCode.JOB_NOT_FOUND.value:
        return _without_an_end(job, spec, message or _NOT_KNOWN, arguments)
    if not isinstance(code, str) or not isinstance(message, str):
        return invalid_response("a code and a message", repr(job.result), spec, arguments)
    found = result.get("details")
    details = found if isinstance(found, dict) else {}
    if result.get("execution_guarantee") == Guarantee.NOT_EXECUTED.value:
        return answer_error(Rejected(code, message, details), spec, arguments)
    return answer_error(Failed(code, message, details), spec, arguments)


def forgotten_outcome(tool: str, job_id: str) -> ToolError:
    """Return the error of a job that neither the Editor nor the server knows any more."""
    why = f"The Editor no longer knows the job {job_id!r}; its outcome is unknown."
    return lost(ToolErrorCode.RECONNECT_TIMEOUT, why, CATALOG[tool], {})


def _without_an_end(
    job: Job, spec: ToolSpec, message: str, arguments: Mapping[str, Any]
) -> ToolError:
    if job.state is JobState.TIMEOUT and spec.supports_cancel:
        why = f"{spec.name} did not finish within its timeout; Unity was asked to cancel it."
        return lost(ToolErrorCode.REQUEST_TIMEOUT, why, spec, arguments)
    why = f"{message} Call {spec.name} again."
    return lost(ToolErrorCode.RECONNECT_TIMEOUT, why, spec, arguments)
