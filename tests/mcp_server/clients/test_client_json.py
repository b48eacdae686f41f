"""A member set in JSON that people wrote: everything else stays as it was."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_server.clients.json_document import (
    NotEditableError,
    parse_json,
    remove_from_json,
    set_in_json,
)

PATH = ("mcpServers", "unity")
VALUE = {"url": "http://127.0.0.1:48091/mcp"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '{\n  "mcpServers": {\n    "unity": 1\n  }\n}\n'),
        ("{}", '{\n  "mcpServers": {\n    "unity": 1\n  }\n}'),
        ('{"a": 1}', '{"a": 1,\n  "mcpServers": {\n    "unity": 1\n  }\n}'),
        (
            '{\n    "a": 1 // one\n    /* two, */\n}\n',
            '{\n    "a": 1, // one\n    /* two, */\n    "mcpServers": {\n        "unity": 1\n'
            "    }\n}\n",
        ),
        (
            '{\n\t"mcpServers": {\n\t\t"b": {"x": 1,}, // b\n\t},\n}\n',
            '{\n\t"mcpServers": {\n\t\t"b": {"x": 1,}, // b\n\t\t"unity": 1,\n\t},\n}\n',
        ),
        (
            '{\r\n  "mcpServers": {\r\n    "unity": [\r\n    ] // old\r\n  }\r\n}',
            '{\r\n  "mcpServers": {\r\n    "unity": 1 // old\r\n  }\r\n}',
        ),
        (
            '// settings\n{"mcpServers": {}, "url": "http://x/*y*/"}',
            '// settings\n{"mcpServers": {\n  "unity": 1\n}, "url": "http://x/*y*/"}',
        ),
        (
            '{"mcpServers": 1, "mcpServers": {"unity": 0}}',
            '{"mcpServers": 1, "mcpServers": {"unity": 1}}',
        ),
    ],
)
def test_only_the_place_changes(before: str, after: str) -> None:
    assert set_in_json(before, PATH, 1) == after


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "line 1, column 2"),
        ('{"a": 1 "b": 2}', "line 1, column 9"),
        ("[]", "the document is not an object"),
        ('{"mcpServers": []}', "mcpServers is not an object"),
        ('{"mcpServers": "x"}', "mcpServers is not an object"),
        ("{} {}", "more text follows"),
        ("{a: 1}", "line 1"),
        ("[" * 100_000, "not JSON"),
        ("/* never ends", "not JSON"),
    ],
)
def test_what_is_no_such_document_is_refused(text: str, why: str) -> None:
    with pytest.raises(NotEditableError, match=why):
        set_in_json(text, PATH, VALUE)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@settings(max_examples=40)
@given(
    st.dictionaries(st.text(), _JSON),
    st.none() | st.dictionaries(st.text() | st.just("unity"), _JSON),
    st.sampled_from([None, 0, 2, 4, "\t"]),
    st.booleans(),
)
def test_any_document(
    document: dict[str, Any],
    servers: dict[str, Any] | None,
    indent: int | str | None,
    ascii_only: bool,
) -> None:
    document.pop("mcpServers", None)
    present = document if servers is None else {"mcpServers": servers, **document}
    text = json.dumps(present, indent=indent, ensure_ascii=ascii_only)
    expected = {**document, "mcpServers": {**(servers or {}), "unity": VALUE}}
    assert parse_json(set_in_json(text, PATH, VALUE)) == expected


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"s": {"x": 1}}', '{"s": {}}'),
        ('{"s": {"x": 1, "y": 2}}', '{"s": {"y": 2}}'),
        ('{"s": {"y": 2, "x": 1}}', '{"s": {"y": 2}}'),
        ('{"s": {"y": 2, "x": 1,}}', '{"s": {"y": 2,}}'),
        ('{"s": {"x": {"x": 1}, "x": 3, "y": 2}}', '{"s": {"y": 2}}'),
        ('{\n  "s": {\n    "x": 1\n  }\n}\n', '{\n  "s": {}\n}\n'),
        ('{\n  "s": {\n    "x": 1,\n    "y": 2\n  }\n}\n', '{\n  "s": {\n    "y": 2\n  }\n}\n'),
        ('{\n  "s": {\n    "y": 2,\n    "x": 1\n  }\n}\n', '{\n  "s": {\n    "y": 2\n  }\n}\n'),
        (
            '{\r\n "s": {\r\n  "y": 2, // why, "x"\r\n  "x": [1,\r\n   2]\r\n }\r\n}',
            '{\r\n "s": {\r\n  "y": 2 // why, "x"\r\n }\r\n}',
        ),
        ('{"s": {/* all, */ "x": 1 /* of it, */}}', '{"s": {/* all, */ /* of it, */}}'),
    ],
)
def test_a_member_taken_out(before: str, after: str) -> None:
    assert remove_from_json(before, ("s", "x")) == after


@pytest.mark.parametrize(
    "text",
    [
        '{"mcpServers": {"x": {"command": "y"}}, "a": 1}',
        '{"mcpServers":{"x":{"command":"y"}}}\n',
        '{ "mcpServers": { "x": { "command": "y" } } }',
        '{ "mcpServers": { } }',
        '{"mcpServers":{}}',
        '  {"mcpServers": {"x": 1} /* all, */ }\r\n',
        '{\n  "a": 1,\n  "mcpServers": { "x": 1 }\n}\n',
        # With a comma at the end.
        '{\n  "mcpServers": {\n    "x": {"command": "y"},\n  },\n}\n',
        '{\n  "mcpServers": {\n    "x": 1, // one\n    // none\n  }\n}\n',
        '{\n  // settings\n  "mcpServers": {\n    "x": 1\n  },\n}\n',
        '{"mcpServers": {"x": 1,},}',
    ],
)
def test_what_was_there_is_so_again(text: str) -> None:
    assert remove_from_json(set_in_json(text, PATH, VALUE), PATH) == text


@settings(max_examples=40)
@given(
    st.dictionaries(st.text(), _JSON),
    st.dictionaries(st.text(), _JSON),
    st.sampled_from([(",", ":"), (", ", ": ")]),
)
def test_any_document_on_one_line(
    document: dict[str, Any], servers: dict[str, Any], separators: tuple[str, str]
) -> None:
    servers.pop("unity", None)
    text = json.dumps({**document, "mcpServers": servers}, separators=separators)
    assert remove_from_json(set_in_json(text, PATH, VALUE), PATH) == text
