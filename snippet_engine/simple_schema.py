"""Whether a value satisfies a JSON Schema, told without a library where both are simple.

A command checks one request and ends; to import jsonschema-rs takes a tenth of its time. So the
first request of a process is looked at here. What this module doesn't know, it says that it doesn't
know: then the library is asked, as it is for every word about what is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

_Schema = Mapping[str, Any]

_SAY_NOTHING = frozenset(("$comment", "$defs", "default", "description"))
_PARTS = frozenset(("then", "else"))
"""Keywords that another one reads."""
_MAX_DEPTH = 40
"""Of schemas in schemas; a value's depth is no more."""
_MAX_ITEMS = 1_000
"""Of one array; no request that fits has as many."""


def satisfies(schema: _Schema, value: object) -> bool | None:
    """Whether ``value``, as ``json.loads`` gives it, satisfies ``schema``; ``None``: unknown.

    ``schema`` is JSON Schema 2020-12; ``$ref`` is followed to ``#/$defs/…``.
    """
    return _Reader(schema.get("$defs", {})).holds(schema, value, _MAX_DEPTH)


class _Reader:
    def __init__(self, definitions: Mapping[str, _Schema]) -> None:
        self._definitions = definitions

    def holds(self, schema: object, value: object, depth: int) -> bool | None:
        """Whether ``value`` satisfies ``schema``, in which ``depth`` more are looked into."""
        if not isinstance(schema, Mapping) or not depth:
            return schema if isinstance(schema, bool) else None
        return _all(
            self._keyword(schema, keyword, wanted, value, depth - 1)
            for keyword, wanted in schema.items()
            if keyword not in _SAY_NOTHING
        )

    def _keyword(
        self, schema: _Schema, keyword: str, wanted: Any, value: object, depth: int
    ) -> bool | None:
        own = _OF_ONE_VALUE.get(keyword)
        if own is not None:
            return own(wanted, value)
        if keyword in _PARTS:
            return True if "if" in schema else None
        if keyword == "properties":
            return self._properties(wanted, value, depth)
        if keyword == "additionalProperties":
            return self._others(schema, wanted, value)
        if keyword == "items":
            items = value if isinstance(value, list) else []
            if len(items) > _MAX_ITEMS:
                return None
            return _all(self.holds(wanted, item, depth) for item in items)
        if keyword == "$ref":
            name = str(wanted).removeprefix("#/$defs/")
            return self.holds(self._definitions.get(name), value, depth)
        if keyword == "not":
            return _opposite(self.holds(wanted, value, depth))
        if keyword == "allOf":
            return _all(self.holds(each, value, depth) for each in wanted)
        if keyword in {"anyOf", "oneOf"}:
            found = [self.holds(each, value, depth) for each in wanted]
            if None in found:
                return None
            return sum(map(bool, found)) == 1 if keyword == "oneOf" else any(found)
        if keyword == "if":
            condition = self.holds(wanted, value, depth)
            if condition is None:
                return None
            return self.holds(schema.get("then" if condition else "else", True), value, depth)
        return None

    def _properties(self, wanted: Mapping[str, _Schema], value: object, depth: int) -> bool | None:
        if not isinstance(value, dict):
            return True
        return _all(
            self.holds(wanted[name], item, depth) for name, item in value.items() if name in wanted
        )

    def _others(self, schema: _Schema, wanted: object, value: object) -> bool | None:
        """Whether the properties that ``schema`` doesn't name may be there."""
        if not isinstance(value, dict) or value.keys() <= schema.get("properties", {}).keys():
            return True
        if "patternProperties" in schema:
            return None
        return wanted if isinstance(wanted, bool) else None


def _all(found: Iterable[bool | None]) -> bool | None:
    """``False`` as soon as one is, whatever is unknown; ``None`` if one is, and none is false."""
    outcome: bool | None = True
    for each in found:
        if each is False:
            return False
        if each is None:
            outcome = None
    return outcome


def _opposite(found: bool | None) -> bool | None:
    return None if found is None else not found


def _is_of_type(wanted: object, value: object) -> bool | None:
    kind = _TYPES.get(type(value))
    # A number with a fraction of zero is an integer as well, and an integer is a number.
    if kind is None or kind == "number" or wanted == "number" or not isinstance(wanted, str):
        return None
    return kind == wanted


_TYPES = {
    str: "string",
    dict: "object",
    list: "array",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
}


def _is_one_of(wanted: Iterable[object], value: object) -> bool | None:
    # Of other values, Python takes some for equal that JSON tells apart: 1 and true.
    if isinstance(value, bool):
        return any(each is value for each in wanted)
    return value in wanted if isinstance(value, str) else None


def _has_all(wanted: Iterable[str], value: object) -> bool:
    return not isinstance(value, dict) or all(name in value for name in wanted)


def _length(kind: type[str] | type[list[Any]], low: bool) -> Callable[[Any, object], bool | None]:
    def is_long_enough(wanted: Any, value: object) -> bool | None:
        if type(wanted) is not int:
            return None
        if not isinstance(value, kind):
            return True
        return len(value) >= wanted if low else len(value) <= wanted

    return is_long_enough


def _bound(low: bool) -> Callable[[Any, object], bool | None]:
    def is_inside(wanted: Any, value: object) -> bool | None:
        if type(wanted) is not int or isinstance(value, float):
            return None
        if type(value) is not int:
            return True
        return value >= wanted if low else value <= wanted

    return is_inside


def _matches(wanted: str, value: object) -> bool | None:
    if not isinstance(value, str):
        return True
    # What two dialects read alike: letters, sets and numbers of them, from the first to the last.
    simple = re.fullmatch(r"\^([\w:\-\[\]{}]+)\$", wanted, re.ASCII)
    return re.fullmatch(simple[1], value) is not None if simple else None


def _are_all_different(wanted: object, value: object) -> bool | None:
    if wanted is not True:
        return None
    if not isinstance(value, list):
        return True
    texts = [each for each in value if isinstance(each, str)]
    return len(set(texts)) == len(texts) if len(texts) == len(value) else None


_OF_ONE_VALUE: Mapping[str, Callable[[Any, object], bool | None]] = {
    "type": _is_of_type,
    "enum": _is_one_of,
    "const": lambda wanted, value: _is_one_of([wanted], value),
    "required": _has_all,
    "minLength": _length(str, low=True),
    "maxLength": _length(str, low=False),
    "minItems": _length(cast("type[list[Any]]", list), low=True),
    "maxItems": _length(cast("type[list[Any]]", list), low=False),
    "minimum": _bound(low=True),
    "maximum": _bound(low=False),
    "pattern": _matches,
    "uniqueItems": _are_all_different,
}
"""The keywords that look at nothing but the value itself."""
