"""State machines as tables, in which an illegal transition can't be written.

Implements docs/design/server-and-bridge.md §6. Code never names the state it goes to: it names what
happened, and the table says where that leads. What the table has no row for changes nothing,
so a terminal state is set once, and whoever comes second learns that it came second.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Generic, TypeVar

S = TypeVar("S", bound=StrEnum)
E = TypeVar("E", bound=StrEnum)


class Transitions(Generic[S, E]):
    """Which state follows which on what event."""

    def __init__(self, table: Mapping[S, Mapping[E, S]]) -> None:
        """``table`` has a row for every state; a state with an empty row is terminal."""
        self._table = table

    def next(self, state: S, event: E) -> S | None:
        """The state after ``event``; ``None`` when it changes nothing any more."""
        return self._table[state].get(event)

    def is_terminal(self, state: S) -> bool:
        """Whether nothing can follow."""
        return not self._table[state]

    def rows(self) -> list[tuple[S, E, S]]:
        """Every transition: (from, event, to)."""
        return [
            (state, event, to) for state, row in self._table.items() for event, to in row.items()
        ]

    def as_text(self) -> str:
        """The table for people, a transition a line."""
        return "\n".join(f"{state:<20} {event:<18} {to}" for state, event, to in self.rows())
