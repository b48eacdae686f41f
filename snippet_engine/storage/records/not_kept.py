"""That a write happened, and its record could not be put into the history.

Part of docs/design/engine.md §5: the record is the only copy of what was there before, so it stays
where it is until it can be kept.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from snippet_engine.storage.os_failure import reason_of, state_place
from snippet_engine.storage.state_folder import StateFolder


@dataclass(frozen=True, slots=True)
class NotKept:
    """``cause`` is what the system refused: the record still is where it was, and becomes history
    once that is mended. ``None``: somebody has removed it meanwhile."""

    cause: OSError | None

    @classmethod
    def after(cls, error: OSError, state: StateFolder, part: str, name: str) -> NotKept:
        """What an ``error`` came to by which the record ``name``, in ``part``, was not kept."""
        with suppress(OSError):
            if name not in state.names(part):
                return cls(None)
        return cls(error)

    @property
    def reason(self) -> str | None:
        """The cause in words, with the place of ours that it is about."""
        return None if self.cause is None else why_of(self.cause)


OnLost = Callable[[NotKept], None]
"""Is told of what was written whose record isn't kept, so that it can't be undone now."""


def why_of(error: OSError) -> str:
    """What the system refused, and in which folder of ours, if it is one of these."""
    place = state_place(error)
    return f"{place}: {reason_of(error)}" if place else reason_of(error)
