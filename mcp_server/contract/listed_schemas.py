"""A tool's schemas as ``tools/list`` has them: short, and open to what clients would refuse.

Implements docs/design/server-and-bridge.md §2. What satisfies a schema satisfies its short form.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_ONLY_FOR_CHECKING = frozenset(
    {
        *("$comment", "if", "then", "else"),
        *("minLength", "maxLength", "minimum", "minItems", "uniqueItems", "pattern"),
    }
)


def brief_input_schema(schema: Any, said_before: Any = None) -> Any:
    """``schema`` without what a caller needs only when it went wrong: then the error says it.

    Tool lists are read into a model's context, so every byte counts, and a key's description stands
    once; and not every client understands conditional schemas. The result accepts whatever
    ``schema`` accepts.
    """
    said: set[str] = set()
    _brief(said_before, said)
    return _brief(schema, said)


def _brief(schema: Any, said: set[str]) -> Any:
    if isinstance(schema, list):
        return [_brief(item, said) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    brief: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword in ("properties", "$defs"):  # whose keys are names, not keywords
            brief[keyword] = {name: _brief(sub, said) for name, sub in value.items()}
        elif keyword == "description":
            if value not in said:
                brief[keyword] = value
                said.add(value)
        elif keyword not in _ONLY_FOR_CHECKING:
            brief[keyword] = _brief(value, said)
    if not any(brief.get("allOf", [True])):
        del brief["allOf"]
    return brief


def outline_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The top level of an output schema, open to an ``error`` instead of a result.

    Widely used clients hold ``structuredContent`` against the output schema even when
    ``isError`` is set, and would hide every error behind a protocol error; so nothing is
    required here. Whatever satisfies ``schema`` satisfies the outline. It names what there is; of
    which type each is, is for readers of contracts/.
    """
    return {"type": "object", "properties": {name: {} for name in schema["properties"]}}
