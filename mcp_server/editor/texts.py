"""The short texts next to the structured results of the Editor's tools.

Implements docs/design/server-and-bridge.md §2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_server.contract.editor_schemas import COMPILE_ERRORS
from mcp_server.contract.outcome import play_mode_reached, run_failure
from mcp_server.editor.unity_answers import breach

MAX_TEXT_LENGTH = 8_000
"""Longest text, in code points; the structured result has everything."""


def editor_text(tool: str, result: Mapping[str, Any]) -> str:
    """Return the text of a successful call."""
    writers = {
        "get_editor_state": _editor_state,
        "read_console": _console,
        "compile": _compile,
        "run_tests": _run_tests,
        "get_job_status": _job,
        "cancel_job": lambda result: f"{result['job_id']}: {result['status']}",
        "get_play_mode_state": lambda result: f"play mode: {result['state']}",
        "control_play_mode": _play_mode,
    }
    text = writers[tool](result)
    if len(text) <= MAX_TEXT_LENGTH:
        return text
    return text[: MAX_TEXT_LENGTH - 40].rstrip() + "\n… the structured result has the rest"


def finished_text(tool: str, result: Mapping[str, Any]) -> str:
    """Return the text of a finished job's result, or of any other tool's result."""
    if tool != "run_tests":
        return editor_text(tool, result)
    status = {"job_id": result["job_id"], "state": "succeeded", "progress": None, "result": result}
    return editor_text("get_job_status", status)


def _editor_state(result: Mapping[str, Any]) -> str:
    if not result["connected"]:
        return f"no Unity Editor is connected ({result.get('waiting_reason', 'no_editor')})"
    project = f", project {result['project']}" if "project" in result else ""
    is_locked = result.get("waiting_reason") == "reload_locked"
    held = " (a lock on domain reloads is held)" if is_locked else ""
    return f"Unity Editor: {result['editor_state']}{held}{_blocked(result)}{project}"


def _blocked(result: Mapping[str, Any]) -> str:
    if "blocked" not in result:
        return ""
    blocked = result["blocked"]
    by = f" by the dialog {blocked['dialog']!r}" if "dialog" in blocked else ""
    return f", its main thread blocked for {blocked['for_ms'] / 1000:.0f} s{by}"


def _console(result: Mapping[str, Any]) -> str:
    lines = [f"{result['count']} entries{' (older ones left out)' if result['truncated'] else ''}"]
    for entry in result["entries"]:
        lines.append(f"{entry['type']}: {entry['message']}")
        where = entry["stack_trace"].strip().partition("\n")[0]
        if where and entry["type"] != "log":
            lines.append(f"    {where}")
    return "\n".join(lines)


def _compile(result: Mapping[str, Any]) -> str:
    errors, warnings = result["errors"], result["warnings"]
    more = " or more" if result.get("truncated") else ""
    if result["status"] == "failed":
        many = "" if len(errors) == 1 else "s"
        line = f"compilation failed: {len(errors)}{more} error{many}"
    elif result["status"] == "up_to_date":
        since = result.get("last_compiled", "unknown")
        line = f"nothing to compile; last compiled: {since}"
    else:
        line = f"compiled {', '.join(result.get('assemblies', ())) or 'unnamed assemblies'}"
        line += {True: ", loaded", False: ", not reloaded", None: ""}[result["reloaded"]]
        line += f" ({result['duration_ms']:.0f} ms)"
    lines = [line, *([result["note"]] if "note" in result else [])]
    lines += [compiler_line("error", each) for each in errors]
    lines += [compiler_line("warning", each) for each in warnings]
    return "\n".join(lines)


def compiler_lines(details: object) -> list[str]:
    """Return the compile errors in a failure's details, a line each."""
    errors = details.get("errors") if isinstance(details, Mapping) else None
    if not errors or breach(COMPILE_ERRORS, errors) is not None:
        return []
    return [compiler_line("error", each) for each in errors]


def compiler_line(kind: str, issue: Mapping[str, Any]) -> str:
    """Return an error or warning as compilers print it, with a place that editors can open."""
    place = f"{issue['path']}:{issue['line']}:{issue['column']}: " if issue["path"] else ""
    code = f" {issue['code']}" if issue["code"] else ""
    return f"{place}{kind}{code}: {issue['message']}"


def _run_tests(result: Mapping[str, Any]) -> str:
    return f"tests queued as job {result['job_id']}; ask get_job_status with wait_ms"


def _state_of(result: Mapping[str, Any]) -> str:
    """Return the job's state in a word: a run whose tests failed doesn't read like a success."""
    outcome = result["result"] or {}
    is_run = isinstance(outcome.get("summary"), Mapping)
    if result["state"] == "succeeded" and is_run and run_failure(outcome) is not None:
        return "finished"
    return str(result["state"])


def _job(result: Mapping[str, Any]) -> str:
    line = f"{result['job_id']}: {_state_of(result)}"
    if result.get("stale"):
        line += " (the Editor could not be asked just now)"
    progress = result["progress"]
    if progress is not None and result["state"] == "running":
        line += f", {progress['completed']} of {progress['total']}"
        line += f", {progress['current']}" if "current" in progress else ""
    outcome = result["result"] or {}
    summary = outcome.get("summary")
    if isinstance(summary, Mapping):
        line += f", {summary['passed']} passed, {summary['failed']} failed"
        inconclusive = summary.get("inconclusive")
        line += f", {summary['skipped']} skipped"
        line += f", {inconclusive} inconclusive" if inconclusive else ""
        line += f" of {summary['total']}"
    lines = [line]
    for failed in outcome.get("failed_tests") or ():
        message = failed["message"].strip().partition("\n")[0]
        lines.append(f"failed: {failed['name']}: {message}")
    if isinstance(outcome.get("message"), str):
        lines.append(outcome["message"])
    lines += compiler_lines(outcome.get("details"))
    if result["state"] == "timeout":
        lines.append(_OUT_OF_TIME)
    return "\n".join(lines)


_OUT_OF_TIME = (
    "It did not finish in its time. Unity was asked to cancel it if possible; it may still be "
    "running, and what it did is unknown. get_editor_state shows the Editor's state; a larger "
    "timeout_ms (unity-cli: --timeout) gives a new call more time."
)


def _play_mode(result: Mapping[str, Any]) -> str:
    action, playing = result["action"], "playing" if result["is_playing"] else "not playing"
    seen = f"{playing}, paused" if result["is_paused"] else playing
    if not play_mode_reached(result):
        return (
            f"Unity accepted {action}, but did not reach it: afterwards it was {seen}. "
            "read_console may say why; get_editor_state shows the present state"
        )
    if action == "start" and not result["is_playing"]:
        seen = "entering play mode; get_editor_state shows when it is there"
    elif action == "stop" and result["is_playing"]:
        seen = "leaving play mode; get_editor_state shows when it has left"
    else:
        seen = f"afterwards it was {seen}"
    return f"Unity accepted {action}; {seen}"
