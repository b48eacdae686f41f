"""What a job that is over comes to, for who asked for the tool and not for the job.

Implements docs/design/server-and-bridge.md §6 "Compile" and "Tasks".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import Guarantee, ToolError, ToolErrorCode, lost
from mcp_server.contract.tool_spec import ExecutionMode, ToolSpec
from mcp_server.editor.errors import answer_error, invalid_response
from mcp_server.editor.job_manager import Job
from unity_bridge.job_state import JobState
from unity_bridge.link import Failed, Rejected

_NOT_KNOWN = "What became of it is not known."


def job_outcome(job: Job, link: str, arguments: Mapping[str, Any]) -> dict[str, Any] | ToolError:
    """The result of the tool that ``job``, which is settled and wasn't cancelled, was run for.

    ``link`` names the road to the Editor; ``arguments`` are the call's, where they are known.
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
    told = result.get("details")
    details = told if isinstance(told, dict) else {}
    if result.get("execution_guarantee") == Guarantee.NOT_EXECUTED.value:
        return answer_error(Rejected(code, message, details), spec, arguments)
    return answer_error(Failed(code, message, details), spec, arguments)


def forgotten_outcome(tool: str, job_id: str) -> ToolError:
    """The error of a job that the Editor doesn't know, and of which nothing is known here."""
    why = f"The Editor doesn't know the job {job_id!r} any more; its end is not known."
    return lost(ToolErrorCode.RECONNECT_TIMEOUT, why, CATALOG[tool], {})


def _without_an_end(
    job: Job, spec: ToolSpec, message: str, arguments: Mapping[str, Any]
) -> ToolError:
    if job.state is JobState.TIMEOUT and spec.supports_cancel:
        why = f"{spec.name} did not finish in its time; Unity was told to cancel it."
        return lost(ToolErrorCode.REQUEST_TIMEOUT, why, spec, arguments)
    why = f"{message} Call {spec.name} again."
    return lost(ToolErrorCode.RECONNECT_TIMEOUT, why, spec, arguments)
