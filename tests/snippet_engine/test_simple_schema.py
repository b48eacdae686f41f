"""What is told without the library is what the library tells."""

from __future__ import annotations

import copy
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippet_engine.simple_schema import satisfies
from snippet_engine.tool_schemas import INPUT_SCHEMAS

TEXT = {"type": "text", "target": "speed", "before": "a", "in": "comment"}
SYMBOL = {"type": "symbol", "symbolPath": "A.B"}
BODY = {**SYMBOL, "part": "body", "target": "x"}
HASH = "sha256:" + "0" * 64
DELETE = {"operation": "delete", "anchor": BODY, "metadata": {"a": [1, None]}}
EDIT = {
    "path": "Assets/A.cs",
    "mode": "preview",
    "instructions": [
        {"operation": "replace", "anchor": TEXT, "newText": "é", "indent": "asGiven"},
        {"operation": "insert", "anchor": {**SYMBOL, "position": "body_end"}, "newText": "x"},
        DELETE,
    ],
    "validation": "auto",
    "include": ["workspaceEdit"],
    "timeout_ms": 5,
    "client_request_id": "r",
}
CHANGES = {
    "mode": "apply",
    "changes": [
        {"path": "Assets/A.cs", "expectedHash": HASH, "instructions": [DELETE]},
        {"path": "Assets/B.cs", "create": "class B { }"},
        {"path": "Assets/C.cs", "delete": True, "expectedHash": HASH},
        {"path": "Assets/D.cs", "moveTo": "Assets/E.cs"},
    ],
}
REQUESTS: list[tuple[str, dict[str, Any]]] = [
    ("edit_snippet", EDIT),
    ("edit_scripts", CHANGES),
    ("undo_snippet", {"path": "Assets/A.cs", "hashAfter": HASH}),
    ("undo_snippet", {"changeId": "0123456789abcdef"}),
    ("get_history", {"limit": 3, "path": "Assets/A.cs"}),
    ("get_symbols", {"path": "Assets/A.cs", "filter": "x"}),
    ("validate_script", {"path": "Assets/A.cs"}),
]
VALIDATORS = {
    name: jsonschema_rs.Draft202012Validator(schema) for name, schema in INPUT_SCHEMAS.items()
}
VALUES = st.one_of(
    st.sampled_from(["", "text", "symbol", "delete", "insert", "body", "before", "body_end", HASH]),
    st.sampled_from([None, True, False, 0, 1, -1, 1.0, 1.5, 10**12]),
    st.sampled_from([[], {}, TEXT, SYMBOL, [TEXT], ["workspaceEdit", "workspaceEdit"]]),
    st.sampled_from([[DELETE] * 11, "x" * 300]),
)
KEYS = st.sampled_from(
    ["target", "newText", "position", "in", "part", "indent", "anchor", "expectedHash", "other"]
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every container of the value with every key that it has."""
    found: list[tuple[Any, Any]] = []
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            found += [(value, key), *places(value[key])]
    return found


@given(st.data())
def test_what_is_told_is_what_the_library_tells(data: st.DataObject) -> None:
    name, request = data.draw(st.sampled_from(REQUESTS))
    value = copy.deepcopy(request)
    for _ in range(data.draw(st.integers(0, 3))):
        container, key = data.draw(st.sampled_from(places(value)))
        what = data.draw(st.sampled_from(["replace", "remove", "add"]))
        if what == "replace":
            container[key] = copy.deepcopy(data.draw(VALUES))
        elif what == "add" and isinstance(container, dict):
            container[data.draw(KEYS)] = copy.deepcopy(data.draw(VALUES))
        elif len(value) > 1:
            del container[key]
    told = satisfies(INPUT_SCHEMAS[name], value)
    assert told is None or told == VALIDATORS[name].is_valid(value)


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        ({"type": "object"}, {}, True),
        ({"type": "integer"}, True, False),
        ({"type": "integer"}, 1.0, None),
        ({"type": ["integer", "null"]}, None, None),
        ({"enum": [1]}, True, False),
        ({"enum": [1]}, 1, None),
        ({"minimum": 1}, 0, False),
        ({"minimum": 0.5}, 1, None),
        ({"pattern": "a"}, "a", None),
        ({"pattern": "^a.$"}, "ab", None),
        ({"pattern": "^[0-9]{2}$"}, "12", True),
        ({"pattern": "^[0-9]{2}$"}, "12\n", False),
        ({"const": True}, True, True),
        ({"const": True}, False, False),
        ({"type": "string", "pattern": ".a"}, 1, False),
        ({"unevaluatedProperties": False}, {}, None),
        ({"additionalProperties": {"type": "string"}}, {"a": 1}, None),
        ({"properties": {"a": {}}, "additionalProperties": {"type": "string"}}, {"a": 1}, True),
        ({"oneOf": [{"type": "string"}, {"minLength": 1}]}, "a", False),
        ({"anyOf": [{"type": "string"}, {"pattern": "x"}]}, "a", None),
        ({"not": {"pattern": "x"}}, "a", None),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"const": "x"}}}, "y", False),
        ({"$ref": "other.json"}, "y", None),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}, "y", None),
        ({"uniqueItems": True}, [1, 1], None),
        ({"if": {"required": ["a"]}, "then": {"required": ["b"]}}, {"a": 1}, False),
        ({"then": False}, 1, None),
        ({"items": {"type": "string"}}, ["a"] * 1_001, None),
    ],
)
def test_what_isnt_known_is_said_to_be_unknown(
    schema: dict[str, Any], value: object, expected: bool | None
) -> None:
    assert satisfies(schema, value) is expected


@pytest.mark.parametrize(("name", "request_"), REQUESTS)
def test_requests_that_fit_are_known_to(name: str, request_: dict[str, Any]) -> None:
    assert VALIDATORS[name].is_valid(request_)
    assert satisfies(INPUT_SCHEMAS[name], request_) is True
