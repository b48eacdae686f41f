"""Limit a tool's call: its time, and the steps of a scan (docs/design/engine.md §11)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from snippet_engine import budget
from snippet_engine.answer.call_notes import with_notes
from snippet_engine.csharp.lexical.report import MAX_STEPS, TooManyStepsError
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.storage.os_failure import UnusableStateError

Owner = TypeVar("Owner")
P = ParamSpec("P")
T = TypeVar("T")

_TOO_MANY_STEPS = SnippetError(
    ErrorCode.FILE_TOO_LARGE,
    "The file, or its edited text, has too many brackets, strings, comments and directives: "
    f"scanning it takes more than {MAX_STEPS:,} steps. Edit it with another tool, or split it.",
    details={"limit": MAX_STEPS},
)

Tool = Callable[Concatenate[Owner, Mapping[str, Any], P], T | SnippetError]


def in_time(tool: Tool[Owner, P, T]) -> Tool[Owner, P, T]:
    """Make the tool return an error if time is over, or if the file takes too many steps to scan.

    Its answer also reports the interrupted writes that it finished.
    """

    @wraps(tool)
    def bounded(
        self: Owner, params: Mapping[str, Any], *args: P.args, **kwargs: P.kwargs
    ) -> T | SnippetError:
        # The parameters aren't checked yet, so the value may have any type.
        timeout_ms = params.get("timeout_ms") if isinstance(params, Mapping) else None
        is_valid = isinstance(timeout_ms, int) and timeout_ms > 0
        with budget.noting() as notes:
            try:
                with budget.within(timeout_ms if is_valid else None):
                    outcome = tool(self, params, *args, **kwargs)
            except budget.StoppedError:
                outcome = _out_of_time(notes)
            except TooManyStepsError:
                outcome = _TOO_MANY_STEPS
            except UnusableStateError as error:
                outcome = error.refusal()
            return with_notes(outcome, notes)

    return cast("Tool[Owner, P, T]", bounded)


def bounded(work: Callable[[], T], within_ms: int) -> T | SnippetError:
    """Return the result of ``work``, or an error as soon as its time is over."""
    try:
        with budget.within(within_ms):
            return work()
    except budget.StoppedError:
        return _out_of_time(())
    except TooManyStepsError:
        return _TOO_MANY_STEPS


def _out_of_time(notes: Sequence[str]) -> SnippetError:
    written = "its own change was not written" if notes else "nothing was written"
    return SnippetError(
        ErrorCode.VALIDATOR_UNAVAILABLE,
        f"There was no verdict in time, and {written}. Send a longer timeout_ms, "
        "or fewer instructions.",
        details={"reason": "timeout_ms is over"},
    )
