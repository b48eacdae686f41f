"""Say in one line what a call did, for the timeline.

Implements docs/design/review.md "Events". Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mcp_server.review.record.events import FileTexts
from snippet_engine.errors import counted, shortened
from snippet_engine.storage.records.write_record import first_changed_line

MAX_LINE = 160


def line_of(
    tool: str, arguments: Mapping[str, Any], result: Mapping[str, Any], files: Sequence[FileTexts]
) -> str:
    """Return what a call that succeeded did."""
    match tool:
        case "rename_symbol":
            what = f"{result.get('symbol')} → {result.get('newName')}"
            return _short(f"{what}, {counted(result.get('places', 0), 'place')}")
        case "put_texts" if result.get("applied"):
            return _short(str(arguments.get("about") or changes(files)))
        case "check_project" | "compile":
            return found(result)
        case "run_tests":
            return _short(f"started {arguments.get('mode', 'the')} tests")
        case "control_play_mode":
            return _short(f"play mode: {arguments.get('action', '')}")
        case "cancel_job":
            return _short(f"cancelled job {arguments.get('job_id', '')}")
        case _:
            return _short(changes(files))


def changes(files: Sequence[FileTexts]) -> str:
    """Describe what changed: for one file its first changed line, for several their number."""
    changed = [
        each for each in files if each.before != each.after or each.moved_to or each.is_unknown
    ]
    if not changed:
        return "changed nothing"
    only = changed[0]
    if len(changed) > 1:
        return f"{len(changed)} files, first {only.path}"
    if only.moved_to is not None:
        return f"moved to {only.moved_to}"
    if only.is_unknown:
        return "changed; its text was not seen"
    if only.before is None:
        return "created"
    if only.after is None:
        return "deleted"
    first, _, second = first_changed_line(only.before, only.after).partition("\n")
    return " → ".join(each[1:].strip() for each in (first, second) if each[1:].strip()) or (
        "blank lines, line endings or the encoding"
    )


def found(result: Mapping[str, Any]) -> str:
    """Return how a compile or a check ended; an unchecked part is never called clean."""
    errors, warnings = counts(result)
    said = f"{counted(errors, 'error')}, {counted(warnings, 'warning')}"
    not_checked = result.get("notChecked")
    reasons = [each["reason"] for each in not_checked or () if isinstance(each, Mapping)]
    match result.get("status"):
        case "unknown":
            known = (
                "Not known whether it compiles" if not errors else f"{said}, and more is not known"
            )
            return _short(": ".join([known, *reasons[:1]]))
        case "up_to_date":
            return "Nothing to compile since the last time"
        case status:
            return _short(f"{said} ({status})")


def counts(result: Mapping[str, Any]) -> tuple[int, int]:
    """Return how many errors and warnings a result has."""
    counted_ones = result.get("counts")
    if isinstance(counted_ones, Mapping):
        return int(counted_ones.get("errors", 0)), int(counted_ones.get("warnings", 0))
    validation = result.get("validation")
    errors = validation.get("diagnostics") if isinstance(validation, Mapping) else None
    found_ones = errors if errors is not None else result.get("errors", ())
    return _length(found_ones), _length(result.get("warnings", ()))


def _length(value: Any) -> int:
    return len(value) if isinstance(value, list | tuple) else 0


def short_message(message: str) -> str:
    """Return an error's message in one line."""
    return _short(" ".join(message.split()))


def _short(text: str) -> str:
    return shortened(text, MAX_LINE)
