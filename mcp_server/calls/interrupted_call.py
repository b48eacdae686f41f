"""An interrupted call, and its known effect.

Part of docs/design/command-line.md "Output": after Ctrl-C the message lists the finished changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from mcp_server.contract.errors import Guarantee, ToolError
from mcp_server.contract.outcome import Outcome


class InterruptedCallError(KeyboardInterrupt):
    """The call ended with ``outcome``; ``None`` if that is unknown.

    With ``is_stopped``, the call changes nothing from now on. ``notes`` report the changes of other
    processes that the call completed.
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
    """Turn an interrupt of the ``with`` block into that of a call that was never sent."""
    try:
        yield
    except KeyboardInterrupt:
        raise InterruptedCallError(None, is_stopped=True) from None


def what_was_stopped(notes: Sequence[str]) -> str:
    """Describe a call that was stopped before its write: it made only the changes in ``notes``."""
    if not notes:
        return "was stopped, and changed nothing."
    more = f" {len(notes) - 1} more such changes were finished." if len(notes) > 1 else ""
    return f"was stopped before its own change. {notes[0]}{more}"


class DescribedInterruptError(KeyboardInterrupt):
    """An interrupt with a description of the work, and with the ``outcome`` of the call."""

    def __init__(
        self, description: str, *, nothing_done: bool, outcome: Outcome | None = None
    ) -> None:
        super().__init__(description)
        self.nothing_done = nothing_done
        self.outcome = outcome

    @property
    def guarantee(self) -> Guarantee | None:
        """Return the known effect of the call; ``None`` if nothing is known."""
        if self.nothing_done:
            return Guarantee.NOT_EXECUTED
        if isinstance(self.outcome, ToolError):
            return Guarantee(self.outcome.details["execution_guarantee"])
        return None if self.outcome is None else Guarantee.COMPLETED

    @property
    def retryable(self) -> bool:
        """Return whether the same call may be sent again."""
        refused = isinstance(self.outcome, ToolError) and self.outcome.retryable
        return self.nothing_done or refused
