"""What a call had done when its command was interrupted, in words.

Implements docs/design/command-line.md "Output": an interrupt takes back nothing that one call has
done, and says what that is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

from mcp_server.calls.dry_run import Suppressed
from mcp_server.calls.interrupted_call import (
    InterruptedCallError,
    ToldInterruptError,
    what_was_stopped,
)
from mcp_server.cli.tool_calls.undo_advice import command_of
from mcp_server.contract.errors import Guarantee, ToolError, ToolErrorCode, lost, tool_error
from mcp_server.contract.tool_spec import Executor
from snippet_engine.answer.call_notes import notes_of

if TYPE_CHECKING:
    from mcp_server.contract.outcome import Outcome, ToolResult
    from mcp_server.contract.tool_spec import ToolSpec
    from snippet_engine.schemas.checked_params import CheckedParams

Note: TypeAlias = "Callable[[Outcome | Suppressed], None]"
"""Is told what the call came to."""


@contextmanager
def telling_what_was_done(spec: ToolSpec, params: CheckedParams) -> Iterator[Note]:
    """Let an interrupt of the call, or while its outcome is printed, say what it has done."""
    known: list[Outcome | Suppressed] = []
    try:
        yield known.append
    except KeyboardInterrupt as error:
        told = str(error)
        if not told and spec.changes_things(params):
            told = _told(spec, known[0]) if known else _told_of(spec, error)
        # What was ended of others' changes is none of the request's.
        nothing_done = told == _DRY or (bool(told) and not known and _is_stopped(error))
        raise ToldInterruptError(
            told, nothing_done=nothing_done, outcome=_known_outcome(known, error)
        ) from None


def outcome_of(error: KeyboardInterrupt, spec: ToolSpec, params: CheckedParams) -> Outcome:
    """What the call came to that was interrupted, as far as is known."""
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


_DRY = "It was a dry run: nothing was changed."


def _known_outcome(
    known: Sequence[Outcome | Suppressed], error: KeyboardInterrupt
) -> Outcome | None:
    came_to = known[0] if known else getattr(error, "outcome", None)
    return None if isinstance(came_to, Suppressed) else came_to


def _is_stopped(error: KeyboardInterrupt) -> bool:
    if not isinstance(error, InterruptedCallError):
        return False
    return error.outcome is None and error.is_stopped


def _told_of(spec: ToolSpec, error: KeyboardInterrupt) -> str:
    if isinstance(error, InterruptedCallError):
        if error.outcome is not None:
            return _told(spec, error.outcome)
        if error.is_stopped:
            return f"It {what_was_stopped(error.notes)}"
    if spec.executor is Executor.LOCAL:
        return "It may have taken effect: unity-cli history lists what was done."
    return "It may have taken effect: look at the state before you call it again."


def _told(spec: ToolSpec, outcome: Outcome | Suppressed) -> str:
    """What a call came to, in a sentence or two, with what it has ended of others' changes."""
    if isinstance(outcome, Suppressed):
        return _DRY
    if isinstance(outcome, ToolError):
        told = f"{spec.name} had failed by then: {outcome.message}"
        notes = notes_of(outcome.details.get("details", {}))
    else:
        told, notes = _told_result(spec, outcome), notes_of(outcome.structured)
    return " ".join((told, *(each for each in notes if each not in told)))


def _told_result(spec: ToolSpec, outcome: ToolResult) -> str:
    result = outcome.structured
    change = result.get("changeId")
    what = f"Change {change}" if change is not None else f"The edit of {result.get('path')}"
    status = result.get("status")
    if status == "undone":
        return f"{what} was undone by then."
    if status == "applied":
        undo = {"path": result["path"]} if change is None else {"changeId": change}
        return f"{what} was applied by then. To take it back: {command_of(undo)}"
    first, _, _ = outcome.text.partition("\n")
    return f"{spec.name} was done by then: {first}"
