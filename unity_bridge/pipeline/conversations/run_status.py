"""``run_tests`` over the Pipeline: start a run, and read its status file.

Implements docs/design/pipeline.md §9. A domain reload ends the package's jobs, but not the run or
its status file. The file holds the previous run until the new one starts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from unity_bridge.bounded_json import Unreadable
from unity_bridge.link import Answer, Rejected
from unity_bridge.pipeline.conversations.compile_errors import known_compile_errors, one_line
from unity_bridge.pipeline.conversations.conversation import Editor, blocked
from unity_bridge.pipeline.replies import Result, field_of, list_field, text_field
from unity_bridge.pipeline.vocabulary import Operation
from unity_bridge.states import JobState

STATUS_FILE = PurePosixPath("Temp/pipeline_test_status.json")
"""The status file's path in the project."""

MAX_STATUS_BYTES = 32 * 1024 * 1024

MAX_FAILED_TESTS = 200
"""Maximum number of failed tests that a result lists."""

MAX_TRACE = 2_000
"""Maximum length of a failed test's message or stack trace, in code points."""

_FAILED = ("fail", "error")
"""How a failed test's status begins."""

_MODES = {"all": "all", "edit": "editor", "play": "playmode"}


@dataclass(frozen=True, slots=True)
class RunStatus:
    """The status of a run."""

    state: JobState
    progress: Mapping[str, Any] | None = None
    result: Mapping[str, Any] | None = None
    """Set once the run has ended."""


async def start_tests(editor: Editor, params: Mapping[str, Any], timeout_ms: int) -> Answer | None:
    """Start a run; return ``None`` once it is accepted."""
    seen = await editor.look()
    dialog = None if seen is None else blocked(seen)
    if dialog is not None:
        return dialog
    errors = await known_compile_errors(editor)
    if errors:
        return Rejected(
            "ERR_COMPILE_ERRORS",
            f"The scripts don't compile, so the run would use old code: {one_line(errors[0])}",
            {"errors": errors},
        )
    parameters: dict[str, Any] = {
        "mode": _MODES[params.get("mode", "all")],
        "async_tests": True,
        "timeout": max(1, round(timeout_ms / 1000)),
    }
    if "filter" in params:
        parameters |= {"filter": params["filter"], "filter_type": "testName"}
    reply = await editor.exec(Operation.RUN_TESTS, **parameters)
    return None if isinstance(reply, Result) else reply


def read_run(document: Any, tests_filter: str | None, elapsed_ms: float) -> RunStatus | None:
    """Read the status file; ``None`` if it is incomplete or no status."""
    if isinstance(document, Unreadable):
        problem = document.problem
        return _no_results("a readable status", problem) if document.hopeless else None
    word = field_of(document, "status")
    if word == "running":
        return RunStatus(JobState.RUNNING, _progress(document))
    if word == "cancelled":
        return RunStatus(JobState.CANCELLED)
    if word == "error":
        message = field_of(document, "message")
        return RunStatus(JobState.FAILED, result=failure(str(message or "the test run failed")))
    if word != "completed":
        return None
    tests = [each for each in list_field(document, "results") if isinstance(each, Mapping)]
    if not tests and not isinstance(field_of(document, "summary"), Mapping):
        return _no_results("a summary of the run, or results", "neither")
    summary = _summary(document, tests, elapsed_ms)
    if summary["total"] == 0 and tests_filter is not None:
        message = f"0 tests matched the filter '{tests_filter}'."
        return RunStatus(JobState.FAILED, result={**failure(message), "filter": tests_filter})
    failed = [_failed_test(each) for each in tests if _status(each).startswith(_FAILED)]
    result: dict[str, Any] = {"summary": summary, "failed_tests": failed[:MAX_FAILED_TESTS]}
    if len(failed) > MAX_FAILED_TESTS or len(failed) < summary["failed"]:
        result["truncated"] = True
    return RunStatus(JobState.SUCCEEDED, result=result)


def _no_results(expected: str, actual: str) -> RunStatus:
    details = {"expected": expected, "actual": actual}
    error = failure("The run ended without test results.", "ERR_INVALID_RESPONSE")
    return RunStatus(JobState.FAILED, result=error | details)


def failure(message: str, code: str = "ERR_UNITY_EXECUTION") -> dict[str, Any]:
    """Return the result of a job that failed."""
    return {"code": code, "message": message}


def _summary(document: Any, tests: list[Any], elapsed_ms: float) -> dict[str, Any]:
    reported = field_of(document, "summary")

    def count(name: str, *words: str) -> int:
        value = field_of(reported, name)
        if isinstance(value, int) and value >= 0:
            return value
        return sum(_status(each).startswith(words) for each in tests)

    durations = [field_of(each, "duration") for each in tests]
    seconds = sum(each for each in durations if isinstance(each, int | float) and each >= 0)
    total = field_of(reported, "total")
    inconclusive = count("inconclusive", "inconclusive")
    counts = {
        "passed": count("passed", "pass"),
        "failed": count("failed", *_FAILED),
        "skipped": count("skipped", "skip", "ignore"),
        **({"inconclusive": inconclusive} if inconclusive else {}),
    }
    least = max(len(tests), sum(counts.values()))
    return {
        "total": total if isinstance(total, int) and total >= 0 else least,
        **counts,
        "duration_ms": round(seconds * 1000, 3) if tests else max(0.0, round(elapsed_ms, 3)),
    }


def _failed_test(test: Any) -> dict[str, str]:
    return {
        "name": text_field(test, "fullName") or text_field(test, "name"),
        "message": text_field(test, "message")[:MAX_TRACE],
        "stack_trace": text_field(test, "stackTrace")[:MAX_TRACE],
    }


def _progress(document: Any) -> dict[str, Any] | None:
    total, results = field_of(field_of(document, "summary"), "total"), field_of(document, "results")
    if not isinstance(total, int) or not isinstance(results, list):
        return None
    return {"completed": len(results), "total": total} if len(results) <= total else None


def _status(test: Any) -> str:
    return text_field(test, "status").lower()
