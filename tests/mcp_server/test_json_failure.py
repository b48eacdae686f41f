"""What is said of a text that is not JSON: a whole sentence, and what to write instead."""

from __future__ import annotations

import json

import pytest

from mcp_server.calls.json_input import NotJson, parsed
from mcp_server.json_text import why_not_json


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("{", (1, 2), "a key in double quotation marks is missing, and the text ends"),
        ("{a: 1}", (1, 2), "a key in double quotation marks is missing here"),
        ("{'a': 1}", (1, 2), "single quotation marks"),
        ("{\"a\": 'b'}", (1, 7), "single quotation marks"),
        ("{\u201ca\u201d: 1}", (1, 2), "curly quotation marks"),
        (r"{\"a\": 1}", (1, 2), "a backslash before a quotation mark"),
        ('{"a" 1}', (1, 6), "a colon"),
        ('{"a": 1 "b": 2}', (1, 9), "a comma or a closing bracket is missing here"),
        ("[1", (1, 3), "a comma or a closing bracket is missing, and the text ends"),
        ('{"a": None}', (1, 7), "a value"),
        ('{"a": "x\ny"}', (1, 9), "a line break inside of a text: write it as \\n"),
        ('{"a": "x\ty"}', (1, 9), "a tab inside of a text: write it as \\t"),
        ('{"a": "x\x01"}', (1, 9), "U+0001 inside of a text: write it as \\u0001"),
        ('{"a": "x', (1, 7), "no closing quotation mark"),
        ('{"a": "C:\\G"}', None, "a backslash that begins no escape: write it twice"),
        ('{"a": "\\u12"}', None, "four hexadecimal digits"),
        ("{} x", (1, 4), "the JSON value ends before here"),
        ("[\n1 2]", (2, 3), "a comma or a closing bracket is missing here"),
    ],
)
def test_each_failure_is_told_whole(text: str, place: tuple[int, int] | None, said: str) -> None:
    found = parsed(text)
    assert isinstance(found, NotJson)
    assert said in found.why
    if place is not None:
        assert found.why.startswith("line {}, column {}: ".format(*place))


@pytest.mark.parametrize("text", ['{"a": 1,}', "[1,]", '{"a": [1 ,\n]}'])
def test_a_trailing_comma_is_named(text: str) -> None:
    """Where it is told differs between versions of Python."""
    found = parsed(text)
    assert isinstance(found, NotJson)
    assert "comma with nothing after it" in found.why


def test_a_message_that_is_not_known_is_passed_on() -> None:
    assert why_not_json(json.JSONDecodeError("Something new", "x", 0)) == "Something new"
