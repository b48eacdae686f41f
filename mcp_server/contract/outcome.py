"""The outcome and the progress of a tool call.

The MCP endpoint, stdio, the command line, batches and the Editor's tools share these types.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from mcp_server.contract.errors import ToolError
from snippet_engine.errors import counted


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a call that succeeded: an object for the output schema, and a text."""

    structured: dict[str, Any]
    text: str
    encoded: bytes | None = field(default=None, compare=False, repr=False)
    """The object as JSON, if it is large and already encoded."""

    def to_json(self) -> dict[str, Any]:
        """Return the result object."""
        return self.structured


Outcome: TypeAlias = ToolResult | ToolError
"""The end of a call: a result or an error."""

OnProgress: TypeAlias = Callable[[float, float | None, str], Awaitable[None]]
"""Called with a call's progress: done, total if known, message."""

HELD_NOTICE = "waits for the user to approve it on "
"""How the progress message of a held call begins. The review page's address follows."""

OnAccepted: TypeAlias = Callable[[str], None]
"""Called with the id of the job that the Editor has accepted for a call."""

OnJobStatus: TypeAlias = Callable[[Mapping[str, Any]], None]
"""Called with the known state of a job or call, as ``get_job_status`` returns it."""


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
    """Return how a test run's valid result contradicts itself: (expected, actual) or ``None``."""
    counts, total = _counts(result["summary"]), result["summary"]["total"]
    reported = sum(counts.values())
    if reported > total or (total and not reported):
        words = ", ".join(f"{count} {name}" for name, count in counts.items())
        return f"$.summary with one verdict for each of its {total} tests", words
    return None


def _counts(summary: Mapping[str, Any]) -> dict[str, int]:
    return {name: summary.get(name, 0) for name in _VERDICTS}


def found_errors(tool: str, result: Mapping[str, Any]) -> bool:
    """Return whether a result of ``tool`` says that a script has errors."""
    return tool == "validate_script" and result.get("valid") is False


def play_mode_reached(result: Mapping[str, Any]) -> bool:
    """Return whether the Editor reached the play mode that ``control_play_mode`` asked for."""
    action, playing = result["action"], result["is_playing"]
    will_play = result["is_playing_or_will_change_playmode"]
    if action == "start":
        return bool(playing or will_play)
    if action == "pause":
        return bool(result["is_paused"])
    return not (playing and will_play)
