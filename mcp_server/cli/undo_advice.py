"""Advise what to type after an interrupted call, or after an undo that is impossible.

Implements docs/design/command-line.md "Output" and "history and undo". An interrupt undoes nothing;
its message lists the changes of the call. The tools' errors offer requests to send; this module
offers commands.
"""

from __future__ import annotations

import shlex
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from mcp_server.calls.dry_run import Suppressed
from mcp_server.calls.interrupted_call import (
    DescribedInterruptError,
    InterruptedCallError,
    what_was_stopped,
)
from mcp_server.cli.printing import print_line
from mcp_server.contract.errors import Guarantee, ToolError, ToolErrorCode, lost, tool_error
from mcp_server.contract.tool_spec import Executor, ToolSpec
from mcp_server.interrupt_signals import endings_noted
from snippet_engine.answer.call_notes import notes_of

if TYPE_CHECKING:
    from mcp_server.calls.tool_caller import ToolCaller
    from mcp_server.contract.outcome import Outcome, ToolResult
    from snippet_engine.schemas.checked_params import CheckedParams

Entry = Mapping[str, Any]
"""A change, as ``get_history`` returns it."""

_MOST_NAMED = 3
_WRONG_HASH, _CHANGED_SINCE = "doesn't have that hash", "was changed after its last recorded change"


def chosen(in_place: Sequence[Entry], path: str | None) -> Entry:
    """Return the change to undo from ``in_place``, which is sorted newest first.

    With a ``path`` it is the newest change that can be undone now. Without one it is the newest of
    all, because an older one may be of another script.
    """
    fitting = (each for each in in_place if path is not None and each["undoable"])
    return next(fitting, in_place[0])


def command_of(undo: Mapping[str, str]) -> str:
    """Return the command that does the same as ``undo_snippet`` with the arguments ``undo``."""
    return f"unity-cli undo {undo.get('changeId') or shlex.quote(undo['path'])}"


def places(entry: Entry) -> str:
    """Return the paths of a change's files: the first by name, and how many more."""
    return _listed([file.get("movedTo", file["path"]) for file in entry["files"]])


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _replaced(error: ToolError, old: str, new: str) -> ToolError:
    return replace(
        error, message=error.message.replace(old, new), text=error.text.replace(old, new)
    )


def for_command_line(error: ToolError) -> ToolError:
    """Return a tool's error for a terminal: without offers, with commands instead of tools."""
    error = _replaced(error, "get_history", "unity-cli history")
    return replace(error, text=error.what_is_wrong) if error.details.get("offers") else error


def with_commands(
    error: ToolError, entry: Entry | None = None, in_place: Sequence[Entry] = ()
) -> ToolError:
    """Return the refusal of an undo, with commands instead of requests.

    ``entry`` is the change that was chosen, if one was, among those ``in_place``.
    """
    error = for_command_line(error)
    if entry is not None:  # the user gave no hash
        error = _replaced(error, _WRONG_HASH, _CHANGED_SINCE)
    details = error.details.get("details", {})
    commands = list(_commands(details, entry))
    is_gone = entry is not None and error.details.get("code") == "file_not_found"
    lines = [error.text]
    if entry is not None and is_gone:
        message = f"{places(entry)} was deleted or moved since its last change. Nothing was undone."
        error, lines = replace(error, message=message), [f"file_not_found: {message}"]
    elif commands:
        lines = [f"{error.details['code']}: {error.message}"]
        lines += [f"  {each}" for each in commands]
    if is_gone or ("changed" in details and not commands):
        lines.append(_restore_first(details, entry))
    if entry is not None and not commands:
        lines.append(older(entry, in_place))
    text = "\n".join(line for line in lines if line)
    notes = [each for each in notes_of(details) if each not in text]
    return replace(error, text="\n".join((text, *notes)))


def undone_meanwhile(entry: Entry) -> ToolError:
    """Return the error for an ``entry`` that another undo took back in the meantime."""
    change_id = entry["undo"].get("changeId")
    what = "The last change" if change_id is None else f"Change {change_id}"
    message = (
        f"Another undo took {what[:1].lower()}{what[1:]} ({places(entry)}) back in the meantime. "
        "This one has undone nothing. To take back the change before it, repeat the command."
    )
    return tool_error(ToolErrorCode.INVALID_REQUEST, message)


def older(entry: Entry, in_place: Sequence[Entry]) -> str:
    """Return how to undo the newest change that can be undone, if ``entry`` can't be."""
    found = next((each for each in in_place if each["undoable"]), None)
    if found is None or entry["undoable"]:
        return ""
    return f"To undo an older change, of {places(found)}: {command_of(found['undo'])}"


def another(entries: Sequence[Entry], but: Entry | None = None) -> str:
    """Return how to undo the newest of ``entries`` that can be undone; empty without one.

    ``but`` is a damaged change. An undo by the path of one of its files would choose it again, so
    those undos are skipped.
    """
    paths = set() if but is None else {file["path"] for file in but["files"]}
    for each in entries:
        if each["undoable"] and each["undo"].get("path") not in paths:
            return f"To undo another change, of {places(each)}: {command_of(each['undo'])}"
    return ""


def _commands(details: Mapping[str, Any], entry: Entry | None) -> Iterator[str]:
    if "undoInOrder" in details:
        yield from (command_of(step) for step in details["undoInOrder"])
    elif details.get("undoable") and entry is not None and "path" in entry["undo"]:
        yield from (command_of(entry["undo"]) for _ in details["undoable"])
    elif "changeId" in details and "changed" not in details:
        yield command_of(details)


def _restore_first(details: Mapping[str, Any], entry: Entry | None) -> str:
    changed = details.get("inTheWay", details.get("changed", ()))
    if any(each["expectedHash"] == each["currentHash"] for each in changed):
        return ""  # changed, and changed back: the text is right already
    names = [each["path"] for each in changed if each["expectedHash"] is not None]
    if not changed and entry is not None:
        names = [entry["files"][0]["path"]]
    if not names:
        return ""
    what = _listed(names)
    if "inTheWay" in details:
        return (
            f"To undo both, first restore the text after the newer change, if you have it: {what}"
        )
    return f"To undo it, first restore the text after that change, if you have it: {what}"


Note: TypeAlias = "Callable[[Outcome | Suppressed], None]"
"""Called with the outcome of a call."""

_DRY_RUN = "It was a dry run: nothing was changed."


@contextmanager
def reporting_interrupts(spec: ToolSpec, params: CheckedParams) -> Iterator[Note]:
    """Turn an interrupt of the ``with`` block into a ``DescribedInterruptError``.

    The error describes the changes of the call.
    """
    known: list[Outcome | Suppressed] = []
    try:
        yield known.append
    except KeyboardInterrupt as error:
        report = str(error)
        if not report and spec.changes_things(params):
            report = _of_outcome(spec, known[0]) if known else _of_interrupt(spec, error)
        # Changes of other processes that the call completed don't count as its own.
        is_stopped = (
            isinstance(error, InterruptedCallError) and error.outcome is None and error.is_stopped
        )
        nothing_done = report == _DRY_RUN or (bool(report) and not known and is_stopped)
        outcome = known[0] if known else getattr(error, "outcome", None)
        raise DescribedInterruptError(
            report,
            nothing_done=nothing_done,
            outcome=None if isinstance(outcome, Suppressed) else outcome,
        ) from None


def outcome_of(error: KeyboardInterrupt, spec: ToolSpec, params: CheckedParams) -> Outcome:
    """Return the outcome of the interrupted call, as far as it is known."""
    if isinstance(error, InterruptedCallError) and error.outcome is not None:
        return error.outcome
    if isinstance(error, InterruptedCallError) and error.is_stopped:
        return tool_error(
            ToolErrorCode.REQUEST_TIMEOUT,
            f"Interrupted. It {what_was_stopped(error.notes)}",
            retryable=True,
            guarantee=Guarantee.NOT_EXECUTED,
        )
    message = f"Interrupted. {error}".rstrip()
    return lost(ToolErrorCode.REQUEST_TIMEOUT, message, spec, params)


def end_unfinished(caller: ToolCaller) -> list[str]:
    """Complete the changes that killed processes left unfinished. Return a sentence for each.

    Such a change may be the newest, so this runs before the change to undo is chosen. No signal
    stops it.
    """
    with endings_noted() as ended_by:
        notes = caller.end_unfinished()
        came = ended_by()
    with reporting_notes(notes):
        if came is not None:
            signal.raise_signal(came)
    return notes


@contextmanager
def reporting_notes(notes: Sequence[str]) -> Iterator[None]:
    """Report ``notes`` if an error or interrupt ends the ``with`` block."""
    try:
        yield
    except KeyboardInterrupt:
        raise DescribedInterruptError(f"It {what_was_stopped(notes)}", nothing_done=True) from None
    except click.exceptions.Exit:
        for each in notes:
            print_line(each, err=True)
        raise


def _of_interrupt(spec: ToolSpec, error: KeyboardInterrupt) -> str:
    if isinstance(error, InterruptedCallError):
        if error.outcome is not None:
            return _of_outcome(spec, error.outcome)
        if error.is_stopped:
            return f"It {what_was_stopped(error.notes)}"
    if spec.executor is Executor.LOCAL:
        return "It may have taken effect: unity-cli history lists what was done."
    return "It may have taken effect: look at the state before you call it again."


def _of_outcome(spec: ToolSpec, outcome: Outcome | Suppressed) -> str:
    if isinstance(outcome, Suppressed):
        return _DRY_RUN
    if isinstance(outcome, ToolError):
        report = f"{spec.name} had already failed: {outcome.message}"
        notes = notes_of(outcome.details.get("details", {}))
    else:
        report, notes = _of_result(spec, outcome), notes_of(outcome.structured)
    return " ".join((report, *(each for each in notes if each not in report)))


def _of_result(spec: ToolSpec, outcome: ToolResult) -> str:
    result = outcome.structured
    change = result.get("changeId")
    what = f"Change {change}" if change is not None else f"The edit of {result.get('path')}"
    status = result.get("status")
    if status == "undone":
        return f"{what} was already undone."
    if status == "applied":
        undo = {"path": result["path"]} if change is None else {"changeId": change}
        return f"{what} was already applied. To take it back: {command_of(undo)}"
    first, _, _ = outcome.text.partition("\n")
    return f"{spec.name} was already done: {first}"
