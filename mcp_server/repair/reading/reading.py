"""What a reading of a request comes to: the values that the other modules pass on.

``JsonPath`` here is a place either in the request as it was sent, or in the one that was read from
it; each field says in which.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from snippet_engine.schemas.schema_findings import JsonPath


class _Absent:
    """Stands for a key that a request doesn't have."""


ABSENT: Final = _Absent()


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way to read a request: ``what`` it is, and the ``changes`` that make it that.

    A change is a place in the read request and its value, or :data:`ABSENT`. ``keeps_mode``: sent
    in the mode that was asked for, it can only do what was meant. ``basis``: why it comes first.
    """

    what: str
    changes: tuple[tuple[JsonPath, Any], ...]
    keeps_mode: bool = False
    basis: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """Why a request can't be read in one way. ``problem`` is ``None`` where the schema says it."""

    sent_at: JsonPath
    problem: str | None
    alternatives: tuple[Alternative, ...]


@dataclass(frozen=True, slots=True)
class Unread:
    """A key of ``tool`` that nothing is known of, or that means what its contract has no word for.

    It stands at ``at`` in the read request, so that the schema refuses it there. ``index`` is its
    instruction's, if it has one.
    """

    key: str
    value: Any
    at: JsonPath
    index: int | None
    tool: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A request in the contract's words, as far as it could be put into them.

    ``notes`` say what was read as what. ``sent_at`` maps places of ``request`` to where that stood.
    """

    request: dict[str, Any]
    notes: tuple[str, ...]
    questions: tuple[Question, ...]
    unread: tuple[Unread, ...]
    sent_at: Mapping[JsonPath, JsonPath]

    def place_sent(self, at: JsonPath) -> JsonPath:
        """Where what stands at ``at`` in the read request stood in the one that was sent."""
        for length in range(len(at), 0, -1):
            known = self.sent_at.get(at[:length])
            if known is not None:
                return (*known, *at[length:])
        return at
