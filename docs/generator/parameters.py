"""Tables of the fields of a JSON Schema, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]

_BOUNDS = (
    ("minimum", "at least {}"),
    ("maximum", "at most {}"),
    ("maxLength", "at most {} characters"),
    ("maxItems", "at most {} items"),
    ("minItems", "at least {} items"),
)


def field_tables(schema: Schema, *, about: str) -> Iterator[str]:
    """Yield the lines of a table of the schema's fields, and of one for each named definition.

    The headings of the latter are ``about`` and the definition's name.
    """
    definitions: Schema = schema.get("$defs", {})
    yield from _table(schema, about)
    for name, definition in definitions.items():
        if definition.get("properties"):
            yield from ("", f"#### {about} {name}", "")
            yield from _table(definition, about)


def _table(schema: Schema, about: str) -> Iterator[str]:
    rows = list(_rows(schema, "", about))
    if not rows:
        yield "None."
        return
    yield from ("| field | type | required | description |", "|---|---|---|---|")
    yield from rows


def _rows(schema: Schema, prefix: str, about: str) -> Iterator[str]:
    required = schema.get("required", ())
    for name, field in schema.get("properties", {}).items():
        path = f"{prefix}{name}"
        yield " | ".join(
            (
                f"| `{path}`",
                _kind(field, about),
                "yes" if name in required else "",
                f"{_description(field)} |",
            )
        )
        inner = field
        while inner.get("type") == "array":
            inner, path = inner.get("items", {}), f"{path}[]"
        if inner.get("properties"):
            yield from _rows(inner, f"{path}.", about)


def _kind(field: Schema, about: str) -> str:
    """Return a field's type in some words: ``string``, ``"a"`` or ``"b"``, ``list of integer``."""
    if "$ref" in field:
        name = str(field["$ref"]).rpartition("/")[2]
        return f"[{name}](#{f'{about} {name}'.replace(' ', '-').lower()})"
    if "const" in field:
        return _literal(field["const"])
    if "enum" in field:
        return ", ".join(map(_literal, field["enum"]))
    if "oneOf" in field or "anyOf" in field:
        return " or ".join(_kind(each, about) for each in field.get("oneOf") or field["anyOf"])
    kind = field.get("type", "any")
    if kind == "array":
        return f"list of {_kind(field.get('items', {}), about)}"
    return kind if isinstance(kind, str) else " or ".join(kind)


def _literal(value: object) -> str:
    return f"`{value}`" if isinstance(value, str) else f"`{str(value).lower()}`"


def _description(field: Schema) -> str:
    said = [str(field.get("description", ""))]
    if "default" in field:
        said.append(f"default {_literal(field['default'])}")
    said += [form.format(f"{field[key]:,}") for key, form in _BOUNDS if field.get(key, 0) > 1]
    return "; ".join(each for each in said if each).replace("|", "\\|").replace("<", "&lt;")
