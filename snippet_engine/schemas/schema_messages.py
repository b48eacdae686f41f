"""Word the problems that a JSON Schema finds (docs/design/command-line.md "Tools")."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable
from typing import Any

from snippet_engine.errors import shortened

QUOTED_LENGTH = 60
"""Most code points of a string that a message repeats."""

_TYPE_NAMES = {
    "array": "an array",
    "boolean": "a boolean",
    "integer": "an integer",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}
_LENGTHS = {
    "minLength": ("at least", "character"),
    "maxLength": ("at most", "character"),
    "minItems": ("at least", "item"),
    "maxItems": ("at most", "item"),
}
_BOUNDS = {"minimum": "at least", "maximum": "at most"}


def wrong_type(types: Iterable[str], value: object) -> str:
    """Return ``must be a boolean (got the string "true")``; ``types`` are JSON Schema's names."""
    types = list(types)
    wanted = " or ".join(_TYPE_NAMES[name] for name in types)
    got = quoted(value)
    if isinstance(value, str):
        got = f"the string {got}"
        if value.lstrip()[:1] in ("{", "[") and {"array", "object"} & set(types):
            got += "; send the JSON itself, not a string of it"
    elif got.lstrip("-")[:1].isdigit():
        got = f"the number {got}"
    return f"must be {wanted} (got {got})"


def out_of_bounds(keyword: str, limit: Any, value: Any) -> str | None:
    """Return the allowed length, count or size; ``None`` for other keywords."""
    if keyword in _LENGTHS:
        if keyword.startswith("min") and limit == 1:
            return "must not be empty"
        bound, unit = _LENGTHS[keyword]
        plural = "" if limit == 1 else "s"
        return f"must have {bound} {limit} {unit}{plural} (has {len(value)})"
    if keyword in _BOUNDS:
        return f"must be {_BOUNDS[keyword]} {quoted(limit)} (got {quoted(value)})"
    return None


def unknown_key(key: str, known: list[str], condition: str = "", sent: Container[str] = ()) -> str:
    """Name the nearest known key that wasn't ``sent``, then all known keys."""
    called_so = [each for each in known if _plain(key) in _OTHER_NAMES.get(each, ())]
    near = [each for each in called_so if each not in sent] or nearest(key, known)
    meant = f"; did you mean {quoted(near[0])}?" if near else "."
    return f"is an unknown key{condition}{meant} Known keys: {', '.join(known) or 'none'}"


_OTHER_NAMES = {
    "path": ("file", "filename", "filepath", "script", "scriptpath", "assetpath"),
    "target": ("old", "oldstring", "oldtext", "find", "search"),
    "newText": ("new", "newstring", "replacement", "text", "content"),
    "symbolPath": ("symbol", "symbolname"),
}
"""Common other names of keys that aren't spelled like them."""


def _plain(word: str) -> str:
    return word.replace("_", "").replace("-", "").lower()


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """Return the known names most similar to ``name``, best first: at most three, maybe none."""
    from difflib import get_close_matches  # noqa: PLC0415 - only when something is wrong

    if len(name) > QUOTED_LENGTH:
        return []
    by_plain_name = {_plain(word): word for word in known}
    return [by_plain_name[word] for word in get_close_matches(_plain(name), by_plain_name)]


def listed(options: Iterable[object]) -> str:
    """Return the allowed values, in their order."""
    return ", ".join(quoted(option) for option in options)


def quoted(value: object) -> str:
    """Return ``value`` as shortened JSON; for arrays and objects, only their kind."""
    if isinstance(value, str):
        return json.dumps(shortened(value, QUOTED_LENGTH), ensure_ascii=False)
    if isinstance(value, list | dict):
        return _TYPE_NAMES["array" if isinstance(value, list) else "object"]
    if isinstance(value, int) and value.bit_length() > 128:
        return "a number of more than 38 digits"  # Python refuses to print the longest ones
    return json.dumps(value)
