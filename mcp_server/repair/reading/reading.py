"""A request after reading: its values, and the questions that only the caller can answer.

Part of docs/design/server-and-bridge.md §2 "Repair". A ``JsonPath`` is a place in the
request as sent or in the request as read; each field says which.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from mcp_server.repair.words.table import Value
from snippet_engine.schemas.checked_params import render_path
from snippet_engine.schemas.schema_findings import JsonPath


class _Absent:
    """Marks a key that a request doesn't have."""


ABSENT: Final = _Absent()


@dataclass(frozen=True, slots=True)
class Alternative:
    """One possible reading of a request."""

    what: str
    """What this reading is, in words."""
    changes: tuple[tuple[JsonPath, Any], ...]
    """The places in the read request that it sets, with their values or :data:`ABSENT`."""
    keeps_mode: bool = False
    """Whether it is safe to send in the request's own mode."""
    basis: str = ""
    """Why it is offered first."""


@dataclass(frozen=True, slots=True)
class Question:
    """Several possible readings of a request, and why there are several."""

    sent_at: JsonPath
    problem: str | None
    """What the caller must decide; ``None`` if the schema's error explains it."""
    alternatives: tuple[Alternative, ...]


@dataclass(frozen=True, slots=True)
class Unread:
    """A key that ``tool`` doesn't know, or that asks for an effect outside the contract."""

    key: str
    value: Any
    at: JsonPath
    """The place of the key in the read request, where the schema refuses it."""
    index: int | None
    """The index of the key's instruction, if it is in one."""
    tool: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A request in the contract's words, as far as it could be read."""

    request: dict[str, Any]
    notes: tuple[str, ...]
    """Notes: which value was read as which."""
    questions: tuple[Question, ...]
    unread: tuple[Unread, ...]
    sent_at: Mapping[JsonPath, JsonPath]
    """For each place of ``request``, the place in what was sent."""

    def place_sent(self, at: JsonPath) -> JsonPath:
        """Return the place, in the client's request, of the value at ``at`` of ``request``."""
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
    """Whether it was in an anchor, under an unknown key."""


@dataclass(slots=True)
class Slots:
    """The values found for a request, or for one instruction with its anchor."""

    sent_at: JsonPath = ()
    values: dict[str, Slot] = field(default_factory=dict)
    rivals: list[tuple[str, Slot]] = field(default_factory=list)
    """Values for keys that already have another value."""
    unread: list[tuple[str, Slot]] = field(default_factory=list)
    anchor_at: JsonPath | None = None
    """Where the anchor's object was; ``None`` without one."""
    old_text_at: JsonPath | None = None
    """Where the target was, if its key's name means text to replace."""
    word: Value | None = None
    """The table's row for the operation's word, if that also gives the position."""
    bare_anchor: Slot | None = None
    """An anchor that is only a text, and could be a symbol's path."""


_SAFE = "it writes nothing"
"""Why a preview is offered first."""


def which_mode() -> Question:
    """Ask whether to preview or to apply, because the request doesn't say."""
    modes = [
        Alternative(f'mode "{mode}"', ((("mode",), mode),), keeps_mode=True, basis=basis)
        for mode, basis in (("preview", _SAFE), ("apply", ""))
    ]
    return Question(("mode",), None, tuple(modes))


def without_guard(name: str, where: JsonPath) -> Question:
    """Ask whether to go on without an expected hash, because an empty one was sent."""
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
