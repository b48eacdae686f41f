"""Whether the work that a successful result describes went well.

Implements docs/design/server-and-bridge.md §6 "Jobs". A test run reports its outcome twice, in
counts and as the list of failed tests; either may be cut off or wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from snippet_engine.errors import counted

_VERDICTS = ("passed", "failed", "skipped", "inconclusive")


def run_failure(result: Mapping[str, Any]) -> str | None:
    """Return why the tests of a finished run did not pass; ``None`` if they did.

    ``result`` is free of contradictions (:func:`run_contradiction`).
    """
    summary = result.get("summary")
    if not isinstance(summary, Mapping):
        return "which tests passed is not known"
    failed = max(summary["failed"], len(result.get("failed_tests") or ()))
    if failed:
        return f"{counted(failed, 'test')} failed"
    missing = summary["total"] - sum(_counts(summary).values())
    if missing:
        return f"{counted(missing, 'test')} reported no verdict"
    if summary.get("inconclusive") and not summary["passed"]:
        return "no test passed: all that ran were inconclusive"
    return None


def run_contradiction(result: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return how a run's (valid) result contradicts itself, as (expected, actual), if it does."""
    counts, total = _counts(result["summary"]), result["summary"]["total"]
    reported = sum(counts.values())
    if reported > total or (total and not reported):
        words = ", ".join(f"{count} {name}" for name, count in counts.items())
        return f"$.summary with the verdicts of {total} tests, its total", words
    return None


def _counts(summary: Mapping[str, Any]) -> dict[str, int]:
    return {name: summary.get(name, 0) for name in _VERDICTS}


def found_errors(tool: str, result: Mapping[str, Any]) -> bool:
    """Whether a result of ``tool`` says that a script has errors."""
    return tool == "validate_script" and result.get("valid") is False


def play_mode_reached(result: Mapping[str, Any]) -> bool:
    """Whether the Editor is in, or going to, the play mode that ``control_play_mode`` asked for."""
    action, playing = result["action"], result["is_playing"]
    will_play = result["is_playing_or_will_change_playmode"]
    if action == "start":
        return bool(playing or will_play)
    if action == "pause":
        return bool(result["is_paused"])
    return not (playing and will_play)
