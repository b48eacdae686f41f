"""Convert one value to the form that its schema needs, if nothing is lost.

Implements docs/design/server-and-bridge.md §2 "Repair".
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mcp_server.repair.words.table import Value, plain
from snippet_engine.schemas.schema_findings import quoted

Schema = Mapping[str, Any]

MAX_JSON_TEXT = 1_000_000
"""The longest text that is parsed as JSON, in code points."""

NULL = "null"
"""The text that means JSON's null."""
_INTEGER = re.compile(r"-?(0|[1-9]\d{0,14})", re.ASCII)
_HEX_DIGEST = re.compile(r"(?:sha256:)?([0-9a-f]{64})", re.ASCII | re.IGNORECASE)
_LARGEST_AS_TEXT = 10**15
"""Whole numbers up to this are always written with the same digits."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """A converted value."""

    value: Any
    note: str | None = None
    """A note on the conversion; ``None`` if the value was not converted."""
    absent: bool = False
    """Whether to treat the key as missing."""
    word: Value | None = None
    """The row of the table that was used."""


def is_empty(value: Any) -> bool:
    """Return whether ``value`` is null, or an empty text, array or object."""
    return value is None or (isinstance(value, str | list | dict) and not value)


def same(one: Any, other: Any) -> bool:
    """Return whether two JSON values are the same. ``1``, ``1.0`` and ``true`` are not."""
    if isinstance(one, str) or isinstance(other, str):
        return type(one) is type(other) and bool(one == other)
    try:
        return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    except (ValueError, RecursionError):
        return False


def fitted(schema: Schema, value: Any, words: Mapping[str, Value], *, text_only: bool) -> Fitted:
    """Return ``value`` as ``schema`` needs it, or unchanged if there isn't exactly one way.

    ``schema`` is the property's, with its ``$ref`` resolved. ``words`` are other words for its
    values, in plain form. With ``text_only``, a number or a boolean isn't converted to text.
    """
    if value is None:
        return Fitted(None, "null", absent=True)
    if isinstance(value, str) and value in ("", NULL) and not _takes_any_text(schema):
        return Fitted(None, "null" if value else "empty", absent=True)
    kind = schema.get("type")
    if kind in ("object", "array") and isinstance(value, str):
        inner = parsed(value)
        if isinstance(inner, dict | list) and not (kind == "object" and isinstance(inner, list)):
            read = fitted(schema, inner, words, text_only=text_only)
            return Fitted(read.value, "JSON text", read.absent)
    if kind == "array":
        return _array(schema, value, words)
    if kind == "integer" and isinstance(value, str) and _INTEGER.fullmatch(value):
        return Fitted(int(value), f"{quoted(value)} → {int(value)}")
    if kind == "boolean" and isinstance(value, str) and boolean(value) is not None:
        return Fitted(boolean(value), f"{quoted(value)} → {json.dumps(boolean(value))}")
    options = _options(schema)
    if options:
        return _word(options, value, words)
    if kind == "string":
        return _text(schema, value, text_only=text_only)
    return Fitted(value)


def boolean(value: Any) -> bool | None:
    """Return the boolean that a flag's value means; ``None`` if it means neither."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.lower())
    return None


def parsed(text: str) -> Any:
    """Return the JSON array or object in ``text``; ``None`` if it has neither, or is ambiguous."""
    if text.lstrip()[:1] not in ("{", "[") or len(text) > MAX_JSON_TEXT:
        return None

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            raise ValueError("a key is given twice")
        return made

    def refused(constant: str) -> Any:
        raise ValueError(constant)

    try:
        return json.loads(text, object_pairs_hook=once, parse_constant=refused)
    except (ValueError, RecursionError):
        return None


def _takes_any_text(schema: Schema) -> bool:
    return schema.get("type") == "string" and not (
        "pattern" in schema or "enum" in schema or "const" in schema or schema.get("minLength")
    )


def _array(schema: Schema, value: Any, words: Mapping[str, Value]) -> Fitted:
    items = schema.get("items", {})
    if isinstance(value, list):
        if not value and schema.get("minItems"):
            return Fitted(None, "empty", absent=True)
        each = [fitted(items, item, words, text_only=True) for item in value]
        if any(item.note and not item.absent for item in each):
            read = [item.value for item in each]
            return Fitted(read, f"{_shown(value)} → {_shown(read)}")
        return Fitted(value)
    wanted = items.get("type", "object" if "$ref" in items else "string")
    if isinstance(value, dict if wanted == "object" else str):
        one = fitted(items, value, words, text_only=True)
        return Fitted([one.value], "one item → an array of it")
    return Fitted(value)


def _word(options: list[str], value: Any, words: Mapping[str, Value]) -> Fitted:
    if not isinstance(value, str) or value in options or len(value) > 60:
        return Fitted(value)
    by_plain = {plain(option): option for option in options}
    meant = by_plain.get(plain(value))
    if meant is not None:
        return Fitted(meant, f"{quoted(value)} → {quoted(meant)}")
    word = words.get(plain(value))
    if word is None:
        return Fitted(value)
    return Fitted(word.means, f"{quoted(value)} → {quoted(word.means)}", word=word)


def _text(schema: Schema, value: Any, *, text_only: bool) -> Fitted:
    if isinstance(value, str):
        digest = _HEX_DIGEST.fullmatch(value) if "pattern" in schema else None
        whole = f"sha256:{digest[1].lower()}" if digest else value
        return Fitted(value) if whole == value else Fitted(whole, "its sha256: written out")
    if text_only:
        return Fitted(value)
    if isinstance(value, bool):
        return Fitted(json.dumps(value), f"{json.dumps(value)} → text")
    if isinstance(value, int) and abs(value) <= _LARGEST_AS_TEXT:
        return Fitted(str(value), f"{value} → text")
    return Fitted(value)


def _options(schema: Schema) -> list[str]:
    options = schema.get("enum") or ([schema["const"]] if "const" in schema else [])
    return [option for option in options if isinstance(option, str)]


def _shown(values: list[Any]) -> str:
    return "[" + ", ".join(quoted(value) for value in values[:5]) + "]"
