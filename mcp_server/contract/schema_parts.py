"""Helpers that build JSON Schemas (2020-12)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
TEXTS: Schema = {"type": "array", "items": TEXT}
FLAG: Schema = {"type": "boolean"}
COUNT: Schema = {"type": "integer", "minimum": 0}
DURATION: Schema = {"type": "number", "minimum": 0}
OBJECT: Schema = {"type": "object"}
SHA256: Schema = {"type": "string", "pattern": "^[0-9a-f]{64}$"}


def closed_object(properties: Mapping[str, Schema]) -> Schema:
    """Return the schema of an object with only these keys. A key ``name?`` is optional."""
    return {
        "type": "object",
        "properties": {name.removesuffix("?"): each for name, each in properties.items()},
        "required": [name for name in properties if not name.endswith("?")],
        "additionalProperties": False,
    }


def noted(schema: Mapping[str, Any], description: str) -> Schema:
    """Return ``schema`` with a description."""
    return {**schema, "description": description}


def words(*allowed: str) -> Schema:
    """Return the schema of a text that is one of these words."""
    return {"enum": list(allowed)}


def array(items: Mapping[str, Any], description: str | None = None) -> Schema:
    """Return the schema of an array of ``items``."""
    more = {} if description is None else {"description": description}
    return {"type": "array", "items": items, **more}


def whole(least: int, most: int | None = None) -> Schema:
    """Return the schema of an integer from ``least`` to ``most``."""
    return {"type": "integer", "minimum": least, **({} if most is None else {"maximum": most})}
