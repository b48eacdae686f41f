"""Check Unity's answers against the contract, and format them as text.

Implements docs/design/wire-protocol.md §1 and docs/design/server-and-bridge.md §2 and §7. Unknown
fields are dropped; the rest must satisfy the contract, or the call ends with
``ERR_INVALID_RESPONSE``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jsonschema_rs

from mcp_server.contract.editor_schemas import COMPILE_ERRORS
from mcp_server.contract.outcome import play_mode_reached, run_contradiction, run_failure
from snippet_engine.schemas.checked_params import find_problems
from unity_bridge.plugin.wire_schemas import PROGRESS

_compiled: dict[int, tuple[Mapping[str, Any], jsonschema_rs.Draft202012Validator]] = {}
"""Compiled validators, by their schemas' ``id()``. Keeping a schema keeps its id unique."""


def known_fields(schema: Mapping[str, Any], value: Any) -> Any:
    """Return ``value`` without the fields that ``schema`` doesn't define."""
    if isinstance(value, dict) and "properties" in schema:
        known = schema["properties"]
        return {key: known_fields(known[key], each) for key, each in value.items() if key in known}
    if isinstance(value, list) and "items" in schema:
        return [known_fields(schema["items"], each) for each in value]
    return value


def breach(schema: Mapping[str, Any], value: Any) -> tuple[str, str] | None:
    """Return how ``value`` violates ``schema``: (expected, actual); ``None`` if it doesn't."""
    problems = [] if _is_valid(schema, value) else find_problems(schema, value)
    if not problems:
        return None
    expected, _, got = problems[0].message.partition(" (got ")
    actual = got.removesuffix(")") if got else "something else"
    return f"{problems[0].path} {expected}", actual


def contradiction(
    result: Mapping[str, Any], arguments: Mapping[str, Any]
) -> tuple[str, str] | None:
    """Return how a valid result contradicts itself or its call: (expected, actual), or ``None``."""
    if "action" in arguments and result["action"] != arguments["action"]:
        return f"$.action {arguments['action']!r}", repr(result["action"])
    if "state" in result and "is_playing" in result:
        playing = "paused" if result["is_paused"] else "playing"
        expected = playing if result["is_playing"] else "stopped"
        if result["state"] != expected:
            flags = f"is_playing {result['is_playing']} and is_paused {result['is_paused']}"
            return f"$.state {expected!r} with {flags.lower()}", repr(result["state"])
    if "entries" in result and result["count"] != len(result["entries"]):
        return f"$.count {len(result['entries'])}, as many as entries", str(result["count"])
    return None


def job_contradiction(tool: str, result: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return how a job's valid result contradicts itself: (expected, actual), or ``None``."""
    return {"run_tests": run_contradiction, "compile": _compile_contradiction}[tool](result)


_PROGRESS = ("completed", "total", "current")


def known_progress(reported: Any) -> dict[str, Any] | None:
    """Return a plugin's progress; ``None`` if it is invalid."""
    if not isinstance(reported, dict):
        return None
    progress = {name: reported[name] for name in _PROGRESS if name in reported}
    if breach(PROGRESS, progress) is not None or progress["completed"] > progress["total"]:
        return None
    return progress


def _compile_contradiction(result: Mapping[str, Any]) -> tuple[str, str] | None:
    status, errors = result["status"], result["errors"]
    if status != "failed" and errors:
        return (
            "$.errors empty, as nothing failed",
            f"{len(errors)}, the first {errors[0]['message']}",
        )
    if status == "failed" and not errors and "note" not in result and result["reloaded"]:
        return "an error, or $.reloaded not true, as the compile failed", "no error, and true"
    return None


def matching(result: Mapping[str, Any], params: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result of ``read_console`` with only the entries that were asked for.

    A plugin of the first protocol ignores ``types`` and ``contains``. Upper and lower case count
    as equal.
    """
    entries = [entry for entry in result["entries"] if is_wanted(entry, params)]
    return {**result, "entries": entries, "count": len(entries)}


def is_wanted(entry: Mapping[str, Any], params: Mapping[str, Any]) -> bool:
    """Return whether a console entry matches the parameters of ``read_console``."""
    types, contains = params.get("types"), params.get("contains")
    if types is not None and entry["type"] not in types:
        return False
    return contains is None or _contains(entry["message"], contains)


def _contains(message: str, part: str) -> bool:
    return any(form(part) in form(message) for form in (str.lower, str.upper, str.casefold))


def _is_valid(schema: Mapping[str, Any], value: Any) -> bool:
    if id(schema) not in _compiled:
        _compiled[id(schema)] = schema, jsonschema_rs.Draft202012Validator(dict(schema))
    return _compiled[id(schema)][1].is_valid(value)


MAX_TEXT_LENGTH = 8_000
"""The longest text of an answer, in code points. The structured result has everything."""


def editor_text(tool: str, result: Mapping[str, Any]) -> str:
    """Return the text of a call that succeeded."""
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
    """Return the text for the result of a finished job, or of any other tool."""
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
    """Return the compile errors in a failure's details, one line each."""
    errors = details.get("errors") if isinstance(details, Mapping) else None
    if not errors or breach(COMPILE_ERRORS, errors) is not None:
        return []
    return [compiler_line("error", each) for each in errors]


def compiler_line(kind: str, issue: Mapping[str, Any]) -> str:
    """Return an error or warning as a compiler prints it, so that editors can open its place."""
    place = f"{issue['path']}:{issue['line']}:{issue['column']}: " if issue["path"] else ""
    code = f" {issue['code']}" if issue["code"] else ""
    return f"{place}{kind}{code}: {issue['message']}"


def _run_tests(result: Mapping[str, Any]) -> str:
    return f"tests queued as job {result['job_id']}; ask get_job_status with wait_ms"


def _state_of(result: Mapping[str, Any]) -> str:
    """Return the state of a job in one word. A run with failed tests doesn't read as a success."""
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
    "It did not finish within its timeout. Unity was asked to cancel it if possible; it may still "
    "be running, and what it did is unknown. get_editor_state shows the Editor's state; a larger "
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
