"""Report what an interrupted call has done.

Implements docs/design/command-line.md "Output": an interrupt takes back nothing that a call has
done, and says what that is.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

import click

from mcp_server.calls.dry_run import Suppressed
from mcp_server.calls.interrupted_call import (
    InterruptedCallError,
    ToldInterruptError,
    what_was_stopped,
)
from mcp_server.cli.printing.output import print_line
from mcp_server.cli.tool_calls.undo_advice import command_of
from mcp_server.contract.errors import Guarantee, ToolError, ToolErrorCode, lost, tool_error
from mcp_server.contract.tool_spec import Executor
from mcp_server.interrupt_signals import endings_noted
from snippet_engine.answer.call_notes import notes_of

if TYPE_CHECKING:
    from mcp_server.calls.tool_caller import ToolCaller
    from mcp_server.contract.outcome import Outcome, ToolResult
    from mcp_server.contract.tool_spec import ToolSpec
    from snippet_engine.schemas.checked_params import CheckedParams

Note: TypeAlias = "Callable[[Outcome | Suppressed], None]"
"""Takes the outcome of a call, once it is known."""

_DRY_RUN = "It was a dry run: nothing was changed."


@contextmanager
def reporting_interrupts(spec: ToolSpec, params: CheckedParams) -> Iterator[Note]:
    """Report what the call has done if it, or printing its outcome, is interrupted in this
    block."""
    known: list[Outcome | Suppressed] = []
    try:
        yield known.append
    except KeyboardInterrupt as error:
        report = str(error)
        if not report and spec.changes_things(params):
            report = _of_outcome(spec, known[0]) if known else _of_interrupt(spec, error)
        # Changes of others that the call has ended don't count as done by it.
        is_stopped = (
            isinstance(error, InterruptedCallError) and error.outcome is None and error.is_stopped
        )
        nothing_done = report == _DRY_RUN or (bool(report) and not known and is_stopped)
        outcome = known[0] if known else getattr(error, "outcome", None)
        raise ToldInterruptError(
            report,
            nothing_done=nothing_done,
            outcome=None if isinstance(outcome, Suppressed) else outcome,
        ) from None


def outcome_of(error: KeyboardInterrupt, spec: ToolSpec, params: CheckedParams) -> Outcome:
    """Return the outcome of the call that was interrupted, as far as it is known."""
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
    """Complete the changes that killed processes left unfinished; return a sentence about each.

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
    """Report ``notes`` if the command ends, or is interrupted, in this block."""
    try:
        yield
    except KeyboardInterrupt:
        raise ToldInterruptError(f"It {what_was_stopped(notes)}", nothing_done=True) from None
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
