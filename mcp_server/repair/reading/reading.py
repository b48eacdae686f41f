"""A read request: its values, and the questions that only the caller can answer.

Part of docs/design/server-and-bridge.md §2 "Repair". A ``JsonPath`` is a place either in the
request as sent or in the read one; each field says in which.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from mcp_server.repair.words.table import Value
from snippet_engine.schemas.checked_params import render_path
from snippet_engine.schemas.schema_findings import JsonPath


class _Absent:
    """The value of a key that a request doesn't have."""


ABSENT: Final = _Absent()


@dataclass(frozen=True, slots=True)
class Alternative:
    """One reading of a request."""

    what: str
    """A description."""
    changes: tuple[tuple[JsonPath, Any], ...]
    """Places in the read request with their values, or :data:`ABSENT`."""
    keeps_mode: bool = False
    """Whether it is safe to send in the request's own mode."""
    basis: str = ""
    """Why it comes first."""


@dataclass(frozen=True, slots=True)
class Question:
    """Several readings, and why."""

    sent_at: JsonPath
    problem: str | None
    """``None`` if the schema's error explains it."""
    alternatives: tuple[Alternative, ...]


@dataclass(frozen=True, slots=True)
class Unread:
    """A key that ``tool`` doesn't know, or that asks for something the contract doesn't have."""

    key: str
    value: Any
    at: JsonPath
    """Its place in the read request, where the schema refuses it."""
    index: int | None
    """Its instruction's, if it has one."""
    tool: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A request in the contract's words, as far as possible."""

    request: dict[str, Any]
    notes: tuple[str, ...]
    """What was read as what."""
    questions: tuple[Question, ...]
    unread: tuple[Unread, ...]
    sent_at: Mapping[JsonPath, JsonPath]
    """Places of ``request`` with their places as sent."""

    def place_sent(self, at: JsonPath) -> JsonPath:
        """Return where the value at ``at`` of ``request`` stood in what the client sent."""
        for length in range(len(at), 0, -1):
            known = self.sent_at.get(at[:length])
            if known is not None:
                return (*known, *at[length:])
        return at


@dataclass(frozen=True, slots=True)
class Slot:
    """A value, and its place in the request as it was sent."""

    value: Any
    sent_at: JsonPath
    in_anchor: bool = False
    """Whether an unknown key stood in an anchor."""


@dataclass(slots=True)
class Slots:
    """The values found for a request, or for one instruction with its anchor."""

    sent_at: JsonPath = ()
    values: dict[str, Slot] = field(default_factory=dict)
    rivals: list[tuple[str, Slot]] = field(default_factory=list)
    """Values for keys that have another one already."""
    unread: list[tuple[str, Slot]] = field(default_factory=list)
    anchor_at: JsonPath | None = None
    """Where the anchor's object stood, if there was one."""
    old_text_at: JsonPath | None = None
    """Where the target stood, if its name asks to replace it."""
    word: Value | None = None
    """The table's row for the operation's word, if it names the position as well."""
    bare_anchor: Slot | None = None
    """An anchor that is nothing but a text, which could be a symbol's path."""


_SAFE = "it writes nothing"
"""Why a preview is offered first."""


def which_mode() -> Question:
    """Ask whether to preview or to apply, because the request says neither."""
    modes = [
        Alternative(f'mode "{mode}"', ((("mode",), mode),), keeps_mode=True, basis=basis)
        for mode, basis in (("preview", _SAFE), ("apply", ""))
    ]
    return Question(("mode",), None, tuple(modes))


def without_guard(name: str, where: JsonPath) -> Question:
    """Ask whether to go on without an expected hash, if that was sent empty."""
    without = Alternative(f"without {name}", (((name,), ABSENT),))
    problem = "is empty; send the hash that get_symbols gives, or leave it out"
    return Question(where, problem, (without,))


def which_of_two(at: JsonPath, one: Slot, other: Slot) -> Question:
    """Ask which of two different values for the key at ``at`` is right."""
    places = render_path(one.sent_at), render_path(other.sent_at)
    # Of two modes the one that writes nothing comes first.
    mode = at == ("mode",)
    pairs = sorted(zip(places, (one, other), strict=True), key=lambda p: _writes(at, p[1]))
    return Question(
        other.sent_at,
        f"differs from {places[0]}; send one of them",
        tuple(
            Alternative(
                f"as {place} says",
                ((at, slot.value),),
                keeps_mode=mode,
                basis=_SAFE if mode and not _writes(at, slot) else "",
            )
            for place, slot in pairs
        ),
    )


def _writes(at: JsonPath, slot: Slot) -> bool:
    return at == ("mode",) and bool(slot.value != "preview")
