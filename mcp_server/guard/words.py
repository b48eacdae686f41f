"""What the guard tells an agent, as facts in few lines. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence

from mcp_server.guard.line_format import format_change
from mcp_server.guard.watched import OutsideChange
from mcp_server.news.findings import Finding, NewError
from snippet_engine.errors import shortened

MAX_ERRORS = 5
"""Most errors in one text."""

_MAX_MESSAGE = 200


def after(changes: Sequence[OutsideChange], findings: Sequence[Finding], caller: str) -> str | None:
    """Return what to tell a ``caller`` after a tool has run; ``None`` if all is well."""
    errors = [each for each in findings if not each.is_unknown]
    own = [each for each in errors if each.origin.caller == caller]
    others = [each for each in errors if each.origin.caller != caller]
    lines: list[str] = []
    if own:
        lines += _listed(own, "since this change", MAX_ERRORS, changes)
    if others and len(own) < MAX_ERRORS:
        lines += _listed(others, f"since {others[0].origin.what}", MAX_ERRORS - len(own), ())
    lines += filter(None, map(format_change, changes))
    return "\n".join(lines) if lines else None


def _listed(
    findings: Sequence[Finding], since: str, most: int, changes: Sequence[OutsideChange]
) -> list[str]:
    """Return errors, how many more there are, and what takes the change back."""
    count = sum(1 + each.and_more for each in findings)
    shown = findings[:most]
    lines = [f"{_errors(count)} {since}:", *(_line(each.error) for each in shown)]
    if count > len(shown):
        lines.append(f"{count - len(shown)} more; check_project lists all.")
    undone = [each.undo for each in changes if each.undo]
    undone += [each.origin.undo for each in shown if each.origin.undo]
    if changes and not undone:
        lines.append("It can't be taken back with undo_snippet: its earlier text isn't known.")
    requests = dict.fromkeys(map(_json, undone))
    return lines + [f"To take it back: undo_snippet {each}" for each in list(requests)[:most]]


def stop(errors: Sequence[NewError]) -> str:
    """Return why the agent should go on."""
    more = len(errors) - MAX_ERRORS
    lines = [f"The project has {_errors(len(errors))} that it did not have before this session:"]
    lines += [_line(each) for each in errors[:MAX_ERRORS]]
    if more > 0:
        lines.append(f"{more} more; check_project lists all.")
    lines.append("This is said once; the next end of the turn is not held up.")
    return "\n".join(lines)


def start(project: str, standing: str) -> str:
    """Return a session's first context: two lines."""
    return (
        f"Unity project {project}: {standing}.\n"
        "Changes of its C# scripts by any tool are checked and recorded by unity-snippet: "
        "new errors are reported after the change, and undo_snippet takes it back."
    )


def _errors(count: int) -> str:
    return "1 new error" if count == 1 else f"{count} new errors"


def _line(error: NewError) -> str:
    place = f"{error.file}:{error.line}" if error.line else error.file
    code = f" {error.code}" if error.code else ""
    return f"{place}{code}: {shortened(error.message, _MAX_MESSAGE)}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
