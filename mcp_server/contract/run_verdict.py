"""Whether the tests of a run passed: one answer, from everything that its result says.

Implements docs/design/server-and-bridge.md §6 "Jobs". A run tells its outcome twice, in numbers and
by the tests that failed, and either may be cut or wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def run_failure(result: Mapping[str, Any]) -> str | None:
    """Why the run's tests did not pass; ``None`` if they did.

    ``result`` is of a run that came to its end, and without a contradiction.
    """
    summary = result.get("summary")
    if not isinstance(summary, Mapping):
        return "which tests passed is not known"
    failed = max(summary["failed"], len(result.get("failed_tests") or ()))
    if failed:
        return f"{failed} test{'' if failed == 1 else 's'} failed"
    missing = summary["total"] - sum(_counts(summary).values())
    if missing:
        return f"of {missing} test{'' if missing == 1 else 's'} no verdict was told"
    if summary.get("inconclusive") and not summary["passed"]:
        return "no test passed, as they were inconclusive"
    return None


def run_contradiction(result: Mapping[str, Any]) -> tuple[str, str] | None:
    """How a run's (valid) result contradicts itself: (expected, actual); ``None`` if it doesn't."""
    counts, total = _counts(result["summary"]), result["summary"]["total"]
    told = sum(counts.values())
    if told > total or (total and not told):
        words = ", ".join(f"{count} {name}" for name, count in counts.items())
        return f"$.summary with the verdicts of {total} tests, its total", words
    return None


def _counts(summary: Mapping[str, Any]) -> dict[str, int]:
    return {name: summary.get(name, 0) for name in _VERDICTS}


_VERDICTS = ("passed", "failed", "skipped", "inconclusive")
"""What each test of a run comes to."""


def found_errors(tool: str, result: Mapping[str, Any]) -> bool:
    """Whether a result of the tool of that name says that a script has errors."""
    return tool == "validate_script" and result.get("valid") is False
