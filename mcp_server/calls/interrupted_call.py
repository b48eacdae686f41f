"""An interrupt in the middle of a call, with what is known of the call all the same.

Part of docs/design/command-line.md "Output": who presses Ctrl-C is told what was done by then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from mcp_server.contract.errors import Guarantee, ToolError
from mcp_server.contract.outcome import Outcome


class InterruptedCallError(KeyboardInterrupt):
    """The call ended with ``outcome``; ``None`` if that isn't known.

    It ``is_stopped`` if it surely changes nothing any more. ``notes`` say what it has ended of
    others' work by then.
    """

    def __init__(
        self, outcome: Outcome | None, is_stopped: bool, notes: Sequence[str] = ()
    ) -> None:
        super().__init__()
        self.outcome = outcome
        self.is_stopped = is_stopped
        self.notes = tuple(notes)


@contextmanager
def before_it_is_sent() -> Iterator[None]:
    """Inside, nothing of the call has gone out: an interrupt stops it before it has an effect."""
    try:
        yield
    except KeyboardInterrupt:
        raise InterruptedCallError(None, is_stopped=True) from None


def what_was_stopped(notes: Sequence[str]) -> str:
    """What a call has done that was stopped before it wrote: nothing, but for its ``notes``."""
    if not notes:
        return "was stopped, and changed nothing."
    more = f" {len(notes) - 1} more were ended." if len(notes) > 1 else ""
    return f"was stopped before its own change. {notes[0]}{more}"


class ToldInterruptError(KeyboardInterrupt):
    """An interrupt, with what is known of the work in words; ``nothing_done``: nothing changed.

    ``outcome`` is what the call came to that was interrupted, if that is known.
    """

    def __init__(self, told: str, *, nothing_done: bool, outcome: Outcome | None = None) -> None:
        super().__init__(told)
        self.nothing_done = nothing_done
        self.outcome = outcome

    @property
    def guarantee(self) -> Guarantee | None:
        """What is known of the call's effect; ``None``: no more than of any that was lost."""
        if self.nothing_done:
            return Guarantee.NOT_EXECUTED
        if isinstance(self.outcome, ToolError):
            return Guarantee(self.outcome.details["execution_guarantee"])
        return None if self.outcome is None else Guarantee.COMPLETED

    @property
    def retryable(self) -> bool:
        """Whether the same may be sent again."""
        refused = isinstance(self.outcome, ToolError) and self.outcome.retryable
        return self.nothing_done or refused
