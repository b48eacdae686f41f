"""The keys of a tool's request with their other names, by level.

Made from the tool's input schema and the table, so a new property needs nothing here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from mcp_server.contract.catalog import CATALOG
from mcp_server.repair.words.table import ALIASES, ANCHOR_ALIASES, VALUES, Level, Value, plain

Schema = Mapping[str, Any]
Home = tuple[Level, str]
"""Where a key belongs: the object, and the contract's name."""

_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The keys of a tool's request. Make one with :func:`vocabulary`."""

    schemas: Mapping[Level, Mapping[str, Schema]]
    homes: Mapping[Level, Mapping[str, Home]]
    """For each level, where a key belongs, by the plain form of its name."""
    words: Mapping[str, Mapping[str, Value]]
    """For each key, other words for its values, by their plain form."""
    required: frozenset[str]

    @property
    def takes_instructions(self) -> bool:
        """Return whether the tool's request has instructions."""
        return Level.INSTRUCTION in self.schemas

    def home(self, level: Level, key: str) -> Home | None:
        """Return where ``key``, found at ``level``, belongs; ``None`` if no contract has it."""
        return self.homes[level].get(plain(key)) if len(key) <= _LONGEST_NAME else None


@cache
def vocabulary(tool: str) -> Vocabulary:
    """Return the vocabulary of a tool in the catalog."""
    schema = CATALOG[tool].input_schema
    schemas: dict[Level, Mapping[str, Schema]] = {Level.REQUEST: schema["properties"]}
    definitions = schema.get("$defs", {})
    if "instructions" in schema["properties"]:
        schemas[Level.INSTRUCTION] = definitions["instruction"]["properties"]
        anchors = [definitions["textAnchor"], definitions["symbolAnchor"]]
        schemas[Level.ANCHOR] = {
            **anchors[0]["properties"],
            **anchors[1]["properties"],
            "type": {"enum": [each["properties"]["type"]["const"] for each in anchors]},
        }
    homes = {level: _homes(tool, level, schemas) for level in schemas}
    words = {
        key: {plain(word): value for word, value in words.items()}
        for key, words in VALUES.get(tool, {}).items()
    }
    return Vocabulary(schemas, homes, words, frozenset(schema.get("required", ())))


def _homes(
    tool: str, level: Level, schemas: Mapping[Level, Mapping[str, Schema]]
) -> dict[str, Home]:
    # A level's own keys win over those of others, the contract's names over other ones. An anchor
    # takes no keys of the request: its "path" is more likely a symbol's.
    others = [each for each in schemas if each is not level]
    if level is Level.ANCHOR:
        others.remove(Level.REQUEST)
    found: dict[str, Home] = {}
    for each in (level, *others):
        for name in schemas[each]:
            found.setdefault(plain(name), (each, name))
    aliases = {**ALIASES[""], **ALIASES.get(tool, {})}
    if level is Level.ANCHOR:
        for name, others_names in ANCHOR_ALIASES.items():
            for other in others_names:
                found.setdefault(plain(other), (Level.ANCHOR, name))
    for each in (level, *others):
        for name in schemas[each]:
            for other in aliases.get(name, ()):
                found.setdefault(plain(other), (each, name))
    return found
