"""``run_tests`` over the Pipeline: what the status file says of a run.

Implements docs/design/pipeline.md §9. The package's own jobs die in a domain reload; the run goes
on, and its status file with it. The file holds the previous run until the new one starts.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from unity_bridge.job_state import JobState
from unity_bridge.link import Answer, Rejected
from unity_bridge.pipeline.conversations.compile_errors import in_words, known_compile_errors
from unity_bridge.pipeline.conversations.conversation import Ask, blocked, execute, look, no_result
from unity_bridge.pipeline.envelopes import Result, field_of
from unity_bridge.pipeline.vocabulary import Operation
from unity_bridge.told_json import Unreadable

STATUS_FILE = PurePosixPath("Temp/pipeline_test_status.json")
"""Below the project."""

MAX_STATUS_BYTES = 32 * 1024 * 1024

MAX_FAILED_TESTS = 200
"""Most failed tests that a result tells of."""

MAX_TRACE = 2_000
"""Longest message or stack trace of one of them, in code points."""

_FAILED = ("fail", "error")
"""How the words begin that a failed test's status is told by."""

_MODES = {"all": "all", "edit": "editor", "play": "playmode"}


@dataclass(frozen=True, slots=True)
class RunStatus:
    """What the status file says of a run. ``result`` once it has ended."""

    state: JobState
    progress: Mapping[str, Any] | None = None
    result: Mapping[str, Any] | None = None


def start_tests(params: Mapping[str, Any], timeout_ms: int) -> Generator[Ask, Any, Answer | None]:
    """Start a run; ``None`` once it is accepted."""
    seen = yield from look()
    if seen is not None:
        in_the_way = blocked(seen)
        if in_the_way is not None:
            return in_the_way
    errors = yield from known_compile_errors()
    if errors:
        return Rejected(
            "ERR_COMPILE_ERRORS",
            f"The scripts don't compile, so the tests would be old ones: {in_words(errors[0])}",
            {"errors": errors},
        )
    parameters: dict[str, Any] = {
        "mode": _MODES[params.get("mode", "all")],
        "async_tests": True,
        "timeout": max(1, round(timeout_ms / 1000)),
    }
    if "filter" in params:
        parameters |= {"filter": params["filter"], "filter_type": "testName"}
    reply = yield from execute(Operation.RUN_TESTS, **parameters)
    return None if isinstance(reply, Result) else no_result(reply)


def read_run(document: Any, tests_filter: str | None, elapsed_ms: float) -> RunStatus | None:
    """What the file says; ``None`` if it isn't a status, or not yet a whole one."""
    if isinstance(document, Unreadable):
        return _unreadable(document) if document.hopeless else None
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
    results = field_of(document, "results")
    tests = [each for each in results if isinstance(each, Mapping)] if _is_list(results) else []
    if not tests and not isinstance(field_of(document, "summary"), Mapping):
        told = {"expected": "a summary of the run, or results", "actual": "neither"}
        message = "The run has ended, and nothing is told of its tests."
        return RunStatus(JobState.FAILED, result=failure(message, "ERR_INVALID_RESPONSE") | told)
    summary = _summary(document, tests, elapsed_ms)
    if summary["total"] == 0 and tests_filter is not None:
        message = f"0 tests matched the filter '{tests_filter}'."
        result = failure(message, "ERR_UNITY_EXECUTION")
        return RunStatus(JobState.FAILED, result={**result, "filter": tests_filter})
    failed = [_failed_test(each) for each in tests if _word(each, "status").startswith(_FAILED)]
    result = {"summary": summary, "failed_tests": failed[:MAX_FAILED_TESTS]}
    if len(failed) > MAX_FAILED_TESTS or len(failed) < summary["failed"]:
        result["truncated"] = True
    return RunStatus(JobState.SUCCEEDED, result=result)


def _unreadable(document: Unreadable) -> RunStatus:
    told = {"expected": "a status of the run", "actual": document.problem}
    message = "What is told of the run can't be read."
    return RunStatus(JobState.FAILED, result=failure(message, "ERR_INVALID_RESPONSE") | told)


def failure(message: str, code: str = "ERR_UNITY_EXECUTION") -> dict[str, Any]:
    """The result of a job that failed."""
    return {"code": code, "message": message}


def _summary(document: Any, tests: list[Any], elapsed_ms: float) -> dict[str, Any]:
    told = field_of(document, "summary")

    def count(name: str, *words: str) -> int:
        value = field_of(told, name)
        if isinstance(value, int) and value >= 0:
            return value
        return sum(_word(each, "status").startswith(words) for each in tests)

    durations = [field_of(each, "duration") for each in tests]
    seconds = sum(each for each in durations if isinstance(each, int | float) and each >= 0)
    total = field_of(told, "total")
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
        "name": _text(test, "fullName") or _text(test, "name"),
        "message": _text(test, "message")[:MAX_TRACE],
        "stack_trace": _text(test, "stackTrace")[:MAX_TRACE],
    }


def _progress(document: Any) -> dict[str, Any] | None:
    total, results = field_of(field_of(document, "summary"), "total"), field_of(document, "results")
    if not isinstance(total, int) or not _is_list(results) or not 0 <= len(results) <= total:
        return None
    return {"completed": len(results), "total": total}


def _text(document: Any, name: str) -> str:
    value = field_of(document, name)
    return value if isinstance(value, str) else ""


def _word(document: Any, name: str) -> str:
    return _text(document, name).lower()


def _is_list(value: Any) -> bool:
    return isinstance(value, list)
