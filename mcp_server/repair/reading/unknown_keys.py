"""Decide about an unknown key: read it as a known one, drop it, or refuse it.

Implements docs/design/server-and-bridge.md §2 "Repair". Only a key without a meaning is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mcp_server.repair.reading.values import boolean, is_empty, same
from mcp_server.repair.words.table import (
    FLAGS,
    NO_EFFECT,
    NO_MEANING,
    NO_MEANING_OUTSIDE_ANCHORS,
    TOOL_NAMES,
    Level,
    plain,
)
from mcp_server.repair.words.vocabulary import Vocabulary
from snippet_engine.schemas.schema_findings import quoted

_FLAGS = {plain(name): modes for name, modes in FLAGS.items()}
_NO_MEANING = frozenset(map(plain, NO_MEANING))
_NO_MEANING_OUTSIDE_ANCHORS = frozenset(map(plain, NO_MEANING_OUTSIDE_ANCHORS))
_NO_EFFECT = {plain(name): value for name, value in NO_EFFECT.items()}
_TOOL_NAMES = frozenset(map(plain, TOOL_NAMES))
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Understood:
    """How an unknown key is understood."""

    note: str
    """A note for the answer."""
    mode: str | None = None
    """The mode that the key asks for; ``None`` if it has no meaning."""


def understood(
    words: Vocabulary, tool: str, level: Level, key: str, value: Any
) -> Understood | None:
    """Return how to understand ``key`` at ``level``; ``None`` if it could have another meaning."""
    if is_empty(value):
        return Understood("left out: it is empty")
    if len(key) > _LONGEST_NAME:
        return None
    name = plain(key)
    said = boolean(value)
    if name in _FLAGS and "mode" in words.required and said is not None:
        mode = _FLAGS[name][0 if said else 1]
        return Understood(f'{str(said).lower()} → mode "{mode}"', mode)
    if _is_remark(level, name, value):
        return Understood("left out: it has no meaning here")
    if words.takes_instructions and name in _NO_EFFECT and _says(value, _NO_EFFECT[name]):
        return Understood(f"{quoted(value)} left out: it is the default")
    if level is Level.REQUEST and name in _TOOL_NAMES and value == tool:
        return Understood("left out: it names the tool")
    return None


def _is_remark(level: Level, name: str, value: Any) -> bool:
    if not isinstance(value, str) or boolean(value) is not None:
        return False
    return name in _NO_MEANING or (
        level is not Level.ANCHOR and name in _NO_MEANING_OUTSIDE_ANCHORS
    )


def _says(value: Any, wanted: Any) -> bool:
    said = boolean(value) if isinstance(wanted, bool) else value
    return same(said, wanted) or same(said, str(wanted))
