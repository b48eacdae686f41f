"""A mechanical client: it reads what a model is shown, and sends the first offer in it, once.

Common clients show a model one half of a result: of a success the structure, of an error the text.
An offer stands on a line of its own in that text: ``offer 1 (what): {the whole request}``, or
``offer 1 (what): {"instructions": {"2": {the instruction}}}`` where the whole doesn't fit. One for
another tool begins ``offer 1 (send to edit_scripts: ``.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

TOOL = "edit_snippet"
"""What the client calls at first."""

_OFFER = re.compile(r"^offer (\d+) \(", re.MULTILINE)
_TO_TOOL = re.compile(r"send to (\w+): ")


@dataclass(frozen=True, slots=True)
class Seen:
    """A result of MCP, as it came."""

    is_error: bool
    text: str
    structured: Mapping[str, Any] | None

    @property
    def shown(self) -> str:
        """Return the half of it that a model is shown."""
        if self.is_error or self.structured is None:
            return self.text
        return json.dumps(self.structured, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Offer:
    """One offer as the text has it: what it is, and the request, or what it changes in it."""

    what: str
    body: Mapping[str, Any]

    @property
    def changed(self) -> Mapping[str, Any] | None:
        """Return instructions by index in the refused request; ``None`` for a whole request."""
        instructions = self.body.get("instructions")
        is_part = self.body.keys() == {"instructions"} and isinstance(instructions, Mapping)
        return instructions if is_part else None


def offers(text: str) -> Iterator[Offer]:
    """Yield the offers in an error's text, in its order."""
    for line in text.split("\n"):
        if _OFFER.match(line):
            offer = _offer(line)
            if offer is not None:
                yield offer


def second_tool(text: str) -> str:
    """Return the tool of the first offer in an error's text."""
    offer = next(offers(text), None)
    other = offer and _TO_TOOL.match(offer.what)
    return other[1] if other else TOOL


def second_request(arguments: Mapping[str, Any], text: str) -> dict[str, Any] | None:
    """Return the client's next request after that error; ``None`` if it offers nothing."""
    offer = next(offers(text), None)
    if offer is None:
        return None
    if offer.changed is None:
        return dict(offer.body)
    corrected = copy.deepcopy(dict(arguments))
    instructions = corrected.get("instructions")
    if not isinstance(instructions, list) or not instructions:
        return None
    for key, becomes in sorted(offer.changed.items(), key=lambda each: -int(each[0])):
        index = 0 if len(instructions) == 1 else int(key)
        if index >= len(instructions):
            return None
        instructions[index : index + 1] = becomes if isinstance(becomes, list) else [becomes]
    return corrected


def _offer(line: str) -> Offer | None:
    at = line.find("{")
    while at >= 0:
        before = line[:at]
        try:
            body = json.loads(line[at:])
        except ValueError:
            at = line.find("{", at + 1)
            continue
        if not before.endswith("): "):
            return None
        return Offer(before[before.index("(") + 1 :].removesuffix("): "), body)
    return None
