"""Read the errors of jsonschema-rs: which ones to report, and for which path.

Part of docs/design/engine.md §1. Of several branches (``oneOf``, ``anyOf``, ``if``) only one is
reported: the branch that the sender selected with a discriminator, a key with a ``const`` or
``enum``. A schema's ``$comment`` becomes the reason in the message (docs/design/command-line.md
"Tools").
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from snippet_engine.errors import shortened

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError


JsonPath: TypeAlias = "tuple[str | int, ...]"
"""Keys and indexes from the root of the document."""
_Schema: TypeAlias = "Mapping[str, Any] | bool"


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem at ``path``, found under the schema keyword ``keyword``."""

    path: JsonPath
    message: str
    keyword: str
    depends_on: frozenset[JsonPath] = field(default_factory=frozenset)
    """The discriminators that selected the schema that the finding comes from."""
    breadth: int = 1
    """How many values ``enum`` or ``const`` allow."""


@dataclass(frozen=True, slots=True)
class _Choice:
    """Where a branch of the schema was entered, and the discriminators that selected it."""

    path: JsonPath
    discriminators: frozenset[JsonPath]

    @classmethod
    def below(cls, path: JsonPath, discriminators: Iterable[JsonPath]) -> _Choice:
        """Return a choice at ``path``; the discriminators are relative to ``path``."""
        return cls(path, frozenset((*path, *at) for at in discriminators))


_CHOICES = ("allOf", "anyOf", "oneOf")
_SUBSCHEMA = {"items": 1, "additionalProperties": 1, "then": 0, "else": 0, "if": 0, "not": 0}
"""Keywords that lead to one subschema, and how many steps of the instance path each takes."""


class ErrorReader:
    """Turns the validator's errors about one value into findings."""

    def __init__(self, schema: Mapping[str, Any], value: object) -> None:
        self._schema = schema
        self._value = value

    def findings(self, errors: Iterable[ValidationError]) -> Iterator[Finding]:
        """Yield findings in the order of ``errors``; an error may give several findings or none."""
        for error in errors:
            yield from self._read(error)

    def _read(self, error: ValidationError) -> Iterator[Finding]:
        path = tuple(error.instance_path)
        keyword = str(error.kind.name)
        owner, choices = self._trace(error.evaluation_path, path)
        kind: Any = error.kind
        depends_on = frozenset[JsonPath]().union(*(choice.discriminators for choice in choices))
        if keyword in ("oneOf", "anyOf") and kind.context and any(kind.context):
            assert isinstance(owner, Mapping)
            yield from self._read_branches(path, owner[keyword], kind.context, depends_on)
            return
        breadth = len(kind.options) if keyword == "enum" else 1
        for at, message in self._say(error, path, owner, choices):
            yield Finding(at, message, keyword, depends_on, breadth)

    def _say(
        self, error: ValidationError, path: JsonPath, owner: _Schema, choices: list[_Choice]
    ) -> Iterator[tuple[JsonPath, str]]:
        kind: Any = error.kind
        keyword = error.kind.name
        value = value_at(self._value, path)
        why = owner.get("$comment") if isinstance(owner, Mapping) else None
        because = f": {why}" if why else ""
        match keyword:
            case "required":
                message = "is required" + self._condition(choices, path) + because
                yield (*path, kind.property), message
            case "not" if kind.schema == {}:
                yield path, "is not allowed" + because
            case "additionalProperties":
                known = list(_properties(self._resolved(owner)))
                condition = self._condition(choices, path)
                for key in kind.unexpected:
                    yield (*path, key), unknown_key(key, known, condition, value)
            case "type":
                yield path, wrong_type(kind.types, value)
            case "enum":
                reason = f"; {why}" if why else ""
                yield path, f"must be one of {listed(kind.options)} (got {quoted(value)}){reason}"
            case "const":
                yield path, f"must be {quoted(kind.expected_value)} (got {quoted(value)})"
            case "pattern":
                form = f"be {why}" if why else f"match {kind.pattern}"
                yield path, f"must {form} (got {quoted(value)})"
            case "uniqueItems":
                yield path, "must not repeat an item"
            case "oneOf":
                yield path, "fits more than one of the allowed forms; send only one of them"
            case _:
                bound = out_of_bounds(keyword, getattr(kind, "limit", None), value)
                is_over = keyword == "maxItems"
                yield path, (bound or shortened(error.message, 120)) + because * is_over

    def _read_branches(
        self,
        path: JsonPath,
        branches: list[_Schema],
        context: list[list[ValidationError]],
        depends_on: frozenset[JsonPath],
    ) -> Iterator[Finding]:
        """Report one branch only: the one selected by the discriminator or by the value's type."""
        value = value_at(self._value, path)
        candidates = list(range(len(branches)))
        discriminator = self._common_discriminator(branches) if isinstance(value, dict) else None
        if discriminator is not None:
            name, allowed = discriminator
            every = listed(option for options in allowed for option in options)
            if name not in value:
                message = f"is required: one of {every}"
                yield Finding((*path, name), message, "required", depends_on)
                return
            candidates = [index for index in candidates if value[name] in allowed[index]]
            if not candidates:
                message = f"must be one of {every} (got {quoted(value[name])})"
                yield Finding((*path, name), message, "enum", depends_on)
                return

        def types_wanted(index: int) -> list[str]:
            """Return the types that the branch allows; empty if the value has one of them."""
            kinds: list[Any] = [e.kind for e in context[index] if tuple(e.instance_path) == path]
            return [name for kind in kinds if kind.name == "type" for name in kind.types]

        of_its_type = [index for index in candidates if not types_wanted(index)]
        if of_its_type:
            best = min(of_its_type, key=lambda index: len(context[index]))
            yield from self.findings(context[best])
        else:
            types = dict.fromkeys(name for index in candidates for name in types_wanted(index))
            yield Finding(path, wrong_type(types, value), "type", depends_on)

    def _common_discriminator(self, branches: list[_Schema]) -> tuple[str, list[list[str]]] | None:
        fixed = [
            {
                name: _fixed_values(self._resolved(sub))
                for name, sub in _properties(self._resolved(branch)).items()
            }
            for branch in branches
        ]
        for name in fixed[0]:
            allowed = [values.get(name, []) for values in fixed]
            flat = [option for options in allowed for option in options]
            if all(allowed) and len(set(flat)) == len(flat):
                return name, allowed
        return None

    def _trace(
        self, evaluation_path: list[str | int], path: JsonPath
    ) -> tuple[_Schema, list[_Choice]]:
        """Return the schema that owns the failed keyword, and the choices on the way to it."""
        node: Any = self._schema
        taken = 0
        choices: list[_Choice] = []
        fixed: list[JsonPath]
        tokens = list(evaluation_path)
        while tokens and isinstance(node, Mapping):
            token = str(tokens[0])
            if token == "$ref":
                node, used = self._resolved(node), 1
            elif len(tokens) > 1 and token == "properties":
                taken += 1
                node, used = node[token][tokens[1]], 2
            elif len(tokens) > 1 and token in _CHOICES:
                if token != "allOf":
                    discriminator = self._common_discriminator(node[token])
                    fixed = [(discriminator[0],)] if discriminator else []
                    choices.append(_Choice.below(path[:taken], fixed))
                node, used = node[token][tokens[1]], 2
            elif len(tokens) > 1 and token in _SUBSCHEMA:
                taken += _SUBSCHEMA[token]
                if token in ("then", "else"):
                    fixed = list(self._discriminators(node["if"]))
                    choices.append(_Choice.below(path[:taken], fixed))
                node, used = node[token], 1
            else:
                break
            del tokens[:used]
        return node, choices

    def _discriminators(self, condition: _Schema) -> Iterator[JsonPath]:
        for name, sub in _properties(self._resolved(condition)).items():
            schema = self._resolved(sub)
            if _fixed_values(schema):
                yield (name,)
            for rest in self._discriminators(schema):
                yield (name, *rest)

    def _condition(self, choices: list[_Choice], path: JsonPath) -> str:
        """Return `` for operation "replace"``: the discriminators of the schema at ``path``."""
        said: dict[str, None] = {}
        for choice in choices:
            if choice.path == path:
                for at in sorted(choice.discriminators, key=str):
                    value = value_at(self._value, at)
                    if value is not None:
                        name = ".".join(str(step) for step in at[len(path) :])
                        said[f"{name} {quoted(value)}"] = None
        return " for " + " and ".join(said) if said else ""

    def _resolved(self, schema: _Schema) -> _Schema:
        while isinstance(schema, Mapping) and "$ref" in schema:
            node: Any = self._schema
            for step in schema["$ref"].removeprefix("#").split("/")[1:]:
                node = node[step.replace("~1", "/").replace("~0", "~")]
            schema = node
        return schema


def _properties(schema: _Schema) -> Mapping[str, Any]:
    return schema.get("properties", {}) if isinstance(schema, Mapping) else {}


def _fixed_values(schema: _Schema) -> list[str]:
    if not isinstance(schema, Mapping):
        return []
    values = [schema["const"]] if "const" in schema else schema.get("enum", [])
    return [value for value in values if isinstance(value, str)]


def value_at(value: Any, path: JsonPath) -> Any:
    """Return the value at ``path``, or ``None``."""
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


QUOTED_LENGTH = 60
"""Longest string that a message repeats, in code points."""

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
    """Return what is wrong with a length, count or size; ``None`` for other keywords."""
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
    """Return the message: the most similar known key that wasn't ``sent``, then all known keys."""
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
"""Names that agents use for keys, but that aren't spelled like these."""


def _plain(word: str) -> str:
    return word.replace("_", "").replace("-", "").lower()


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """Return the known names most similar to ``name``, best first: at most three, or none."""
    from difflib import get_close_matches  # noqa: PLC0415 - only when something is wrong

    if len(name) > QUOTED_LENGTH:
        return []
    by_plain_name = {_plain(word): word for word in known}
    return [by_plain_name[word] for word in get_close_matches(_plain(name), by_plain_name)]


def listed(options: Iterable[object]) -> str:
    """Return the allowed values, in their order."""
    return ", ".join(quoted(option) for option in options)


def quoted(value: object) -> str:
    """Return ``value`` as shortened JSON; for arrays and objects, only the kind of value."""
    if isinstance(value, str):
        return json.dumps(shortened(value, QUOTED_LENGTH), ensure_ascii=False)
    if isinstance(value, list | dict):
        return _TYPE_NAMES["array" if isinstance(value, list) else "object"]
    if isinstance(value, int) and value.bit_length() > 128:
        return "a number of more than 38 digits"  # Python refuses to print the longest ones
    return json.dumps(value)
