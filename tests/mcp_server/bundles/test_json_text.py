"""Where the values of a JSON text stand."""

from __future__ import annotations

import json
from typing import Any

import pytest
from bundle_files import part
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.bundles.bundle import JsonProblem, JsonText, parse_json
from mcp_server.bundles.findings import FILE_START, Region
from snippet_engine.schemas.schema_findings import JsonPath

WHITESPACE = st.text(" \t\n\r", max_size=3)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"])),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4),
    ),
    max_leaves=12,
)


def parsed(text: str) -> JsonText:
    result = parse_json(text)
    assert isinstance(result, JsonText), result
    return result


def every_value(value: Any, steps: JsonPath = ()) -> list[tuple[JsonPath, Any]]:
    inner: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    below = [found for key, item in inner for found in every_value(item, (*steps, key))]
    return [(steps, value), *below]


@given(VALUES, WHITESPACE, WHITESPACE, st.booleans(), st.booleans())
def test_every_value_is_found_where_it_stands(
    value: Any, comma: str, colon: str, ascii_only: bool, indented: bool
) -> None:
    text = json.dumps(
        value,
        ensure_ascii=ascii_only,
        indent=2 if indented else None,
        separators=("," + comma, colon + ":" + comma),
    )
    document = parsed(comma + text + colon)
    assert list(document.repeated_keys()) == []
    for steps, item in every_value(value):
        assert json.loads(part(comma + text + colon, document.region(steps))) == item
        if steps and isinstance(steps[-1], str):
            key = part(comma + text + colon, document.region(steps, key=True))
            assert json.loads(key) == steps[-1]


def test_columns_count_utf_16_code_units() -> None:
    document = parsed('{"é": "x",\r\n "😀": ["😀", 1]}')
    assert document.region(("é",)) == Region(1, 7, 1, 10)
    assert document.region(("😀", 1)) == Region(2, 15, 2, 16)


def test_what_is_missing_is_shown_at_what_should_hold_it() -> None:
    document = parsed('{"a": [{"b": 1}]}')
    assert document.region(("a", 0, "c", "d")) == document.region(("a", 0))
    assert document.region(("a", 7)) == document.region(("a",))
    assert document.region(("a", 0, "c"), key=True) == document.region(("a", 0))


def test_repeated_keys_are_found_in_any_spelling_and_the_last_value_counts() -> None:
    text = '[{"mode": "preview",\n  "m\\u006fde": "apply"}]'
    document = parsed(text)
    assert document.value == [{"mode": "apply"}]
    (problem,) = document.repeated_keys()
    assert (problem.steps, problem.region) == ((0,), Region(2, 3, 2, 14))
    assert problem.message == 'gives "mode" more than once'
    assert part(text, document.region((0, "mode"))) == '"apply"'


@pytest.mark.parametrize(
    ("text", "said", "region"),
    [
        ('{"a": 1,\n "é": x}', "a value (", Region(2, 7, 2, 8)),
        ('{"a": 1', "a comma or a closing bracket is missing", Region(1, 8, 1, 8)),
        ('["a"]\n\nx', "more text follows", Region(3, 1, 3, 2)),
        ('["NaN",\n -Infinity]', "-Infinity is no JSON value", Region(2, 2, 2, 3)),
        ('{"a": "\\"NaN", "b": NaN}', "NaN is no JSON value", Region(1, 21, 1, 22)),
        ('["a\nb"]', "a line break inside of a text", Region(1, 4, 1, 4)),
        ("[" * 200_000, "nested too deeply", FILE_START),
        ("9" * 5000, "4300 digits", FILE_START),
    ],
)
def test_what_is_not_json(text: str, said: str, region: Region) -> None:
    problem = parse_json(text)
    assert isinstance(problem, JsonProblem)
    assert said in problem.message
    assert problem.region == region


def test_a_very_deep_document_is_walked_without_recursion() -> None:
    deep = '{"a":' * 500 + "1" + "}" * 500
    document = parsed(deep)
    steps = ("a",) * 500
    assert part(deep, document.region(steps)) == "1"
