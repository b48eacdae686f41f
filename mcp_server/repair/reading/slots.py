"""The values of a request, or of one instruction, by the key that each is for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mcp_server.repair.words.table import Value
from snippet_engine.schemas.schema_findings import JsonPath


@dataclass(frozen=True, slots=True)
class Slot:
    """A value, and where it stood in the request as it was sent."""

    value: Any
    sent_at: JsonPath
    in_anchor: bool = False
    """Whether that was in an anchor; told of keys that nothing is known of."""


@dataclass(slots=True)
class Slots:
    """What was found of a request, or of one instruction with its anchor."""

    sent_at: JsonPath = ()
    values: dict[str, Slot] = field(default_factory=dict)
    rivals: list[tuple[str, Slot]] = field(default_factory=list)
    """Values for keys that have another one already."""
    unread: list[tuple[str, Slot]] = field(default_factory=list)
    anchor_at: JsonPath | None = None
    """Where the anchor's object stood, if there was one."""
    old_text_at: JsonPath | None = None
    """Where the target stood, if its name said that it is to be replaced."""
    word: Value | None = None
    """The table's row for the operation's word, if it says the position as well."""
    bare_anchor: Slot | None = None
    """An anchor that is nothing but a text, which could be a symbol's path."""
