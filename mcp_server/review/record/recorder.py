"""Make an event of each tool call that a person wants to see.

Implements docs/design/review.md "Events". Calls of reading tools are left out: they change nothing
and are frequent.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from mcp_server.contract.errors import Guarantee, ToolError, ToolErrorCode
from mcp_server.contract.outcome import Outcome as CallOutcome
from mcp_server.contract.outcome import ToolResult
from mcp_server.review.record.event_store import EventStore
from mcp_server.review.record.events import Event, FileTexts, NewEvent, Outcome
from snippet_engine.errors import counted, shortened
from snippet_engine.storage.change_sets.change_plan import FileChange
from snippet_engine.storage.records.write_record import first_changed_line

MAX_LINE = 160


def line_of(
    tool: str, arguments: Mapping[str, Any], result: Mapping[str, Any], files: Sequence[FileTexts]
) -> str:
    """Describe in one line what a successful call did."""
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
    """Describe what changed: one file by its first changed line, several by their number."""
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
    """Describe how a compile or check ended. Never says "clean" if a part was not checked."""
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
    """Return the numbers of errors and of warnings in a result."""
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
    """Return an error's message as one line."""
    return _short(" ".join(message.split()))


def _short(text: str) -> str:
    return shortened(text, MAX_LINE)


EDITS = frozenset({"edit_snippet", "edit_scripts", "rename_symbol", "put_texts"})
WRITES = EDITS | {"undo_snippet"}
RECORDED = WRITES | {
    "check_project", "compile", "run_tests", "control_play_mode", "cancel_job"
}  # fmt: skip

UNDONE_BY_COMPILE = "undone_by_compile"
"""The status of an edit that was written, then undone because Unity could not compile it."""

WITHDRAWN = "The agent cancelled it, or went away, while it waited for you. Nothing was written."

_REFUSALS = frozenset({ToolErrorCode.SNIPPET, ToolErrorCode.INVALID_PARAMS})

MAX_FILES = 500


class Caller(NamedTuple):
    """The client's name and the session of a call."""

    client: str | None
    session: str | None


class Recorder:
    """Adds the events of tool calls to a store. Any thread may use it.

    Recording a call takes microseconds.
    """

    def __init__(self, store: EventStore) -> None:
        self._store = store

    def call(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        outcome: CallOutcome | None,
        changes: Sequence[FileChange],
        by: Caller,
        duration_ms: float | None,
        *,
        is_withdrawn: bool = False,
    ) -> None:
        """Record a call that has ended; ``outcome`` is ``None`` if the caller left before.

        ``changes`` is what the call wrote or would have written. ``is_withdrawn`` says that the
        caller left while the call was held.
        """
        if tool not in RECORDED:
            return
        files = texts_of(changes)
        result = outcome.structured if isinstance(outcome, ToolResult) else {}
        became, line, code = _outcome_and_line(tool, arguments, outcome, files)
        if is_withdrawn:
            became, line, code = Outcome.FAILED, WITHDRAWN, None
        if not files:
            files = tuple(
                FileTexts(each, is_unknown=True) for each in _paths(arguments, result)[:MAX_FILES]
            )
        asked = dict(arguments)
        if tool == "put_texts":
            del asked["files"]  # whole texts; the event's files have them
        detail: dict[str, Any] = {"arguments": asked, "result": result}
        if isinstance(outcome, ToolError):
            detail |= {**outcome.to_json(), "text": outcome.text}
        errors, warnings = _counted(outcome)
        event = Event(
            0,
            time.time(),
            by.client,
            by.session,
            tool,
            became,
            line=line,
            duration_ms=duration_ms,
            errors=errors,
            warnings=warnings,
            undo=_undo_arguments(tool, result) if became is Outcome.APPLIED else None,
            code=code,
            job=_job(result, arguments),
        )
        self._store.add(NewEvent(event, files, detail))


def texts_of(changes: Sequence[FileChange]) -> tuple[FileTexts, ...]:
    """Return the files that a call changes, with their texts."""
    return tuple(
        FileTexts(
            each.script.relative,
            each.before,
            each.after,
            None if each.target is None else each.target.relative,
        )
        for each in changes
        if each.before != each.after or each.target is not None
    )


def _outcome_and_line(
    tool: str,
    arguments: Mapping[str, Any],
    outcome: CallOutcome | None,
    files: Sequence[FileTexts],
) -> tuple[Outcome, str, str | None]:
    """Return a call's outcome, its line of text, and the code of its error."""
    if outcome is None:
        return Outcome.FAILED, "The caller left before the call ended.", None
    if isinstance(outcome, ToolError):
        code = str(outcome.details.get("code") or outcome.code.value)
        is_refused = (
            outcome.code in _REFUSALS
            and outcome.details.get("execution_guarantee") == Guarantee.NOT_EXECUTED.value
        )
        became = Outcome.REFUSED if is_refused else Outcome.FAILED
        return became, short_message(outcome.message), code
    result = outcome.structured
    line = line_of(tool, arguments, result, files)
    if result.get("status") == UNDONE_BY_COMPILE:
        line = short_message(f"Unity could not compile it, so it was undone: {line}")
        return Outcome.REFUSED, line, UNDONE_BY_COMPILE
    if tool in EDITS:
        is_applied = result.get("applied") is True and result.get("replayed") is not True
        return (Outcome.APPLIED if is_applied else Outcome.PREVIEWED), line, None
    return (Outcome.UNDONE if tool == "undo_snippet" else Outcome.DONE), line, None


def _counted(outcome: CallOutcome | None) -> tuple[int, int]:
    if outcome is None:
        return 0, 0
    if isinstance(outcome, ToolError):
        about = outcome.details.get("details")
        return counts(
            {"errors": about.get("diagnostics", ())} if isinstance(about, Mapping) else {}
        )
    return counts(outcome.structured)


def _undo_arguments(tool: str, result: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the ``undo_snippet`` arguments that undo an applied edit."""
    if "changeId" in result:
        return {"changeId": result["changeId"]}
    if tool == "edit_snippet" and result.get("hashBefore") != result.get("hashAfter"):
        return {"path": result["path"], "hashAfter": result["hashAfter"]}
    return None


def _job(result: Mapping[str, Any], arguments: Mapping[str, Any]) -> str | None:
    found = result.get("job_id", arguments.get("job_id"))
    return found[:64] if isinstance(found, str) else None


def _paths(arguments: Mapping[str, Any], result: Mapping[str, Any]) -> list[str]:
    """Return the scripts that a call names, or that its result lists."""
    named = [arguments, result]
    for each in (arguments.get("changes"), arguments.get("files"), result.get("files")):
        if isinstance(each, list | tuple):
            named += [one for one in each if isinstance(one, dict)]
    paths = (each.get("path") for each in named)
    return list(dict.fromkeys(path[:400] for path in paths if isinstance(path, str)))
