"""What an Editor tells is read within bounds, and what was read can be written again."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unity_bridge.bounded_json import MAX_DEPTH, Unreadable, read_json_text

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES)
def test_json_is_read_as_it_is(value: object) -> None:
    assert read_json_text(json.dumps(value)) == value


@given(st.text(alphabet='[]{}:,"\\\\ud81e0 '))
def test_nothing_breaks_the_reader(text: str) -> None:
    told = read_json_text(text)
    if not isinstance(told, Unreadable):
        json.dumps(told, ensure_ascii=False).encode()


@pytest.mark.parametrize(("begin", "end"), ["[]", ('{"a":', "}")], ids=["array", "object"])
def test_the_bound_on_nesting(begin: str, end: str) -> None:
    def nested(levels: int) -> str:
        return begin * levels + "1" + end * levels

    assert read_json_text(nested(MAX_DEPTH)) == json.loads(nested(MAX_DEPTH))
    for levels in (MAX_DEPTH + 1, 300, 990, 5_000, 100_000):
        told = read_json_text(nested(levels))
        assert isinstance(told, Unreadable), levels
        assert told.hopeless


def test_a_deep_corner_of_a_wide_answer_is_seen() -> None:
    wide = [[0] * 3] * 500
    assert isinstance(
        read_json_text(json.dumps([wide, {"a": json.loads("[" * 70 + "]" * 70)}])), Unreadable
    )


def test_numbers_without_an_end_and_half_characters() -> None:
    told = read_json_text("[" + "1" * 100_000 + "]")
    assert told == Unreadable("a number with too many digits", hopeless=True)
    assert read_json_text('{"a\\ud800": "\\ud83d"}') == {"a?": "?"}
    assert read_json_text('"\\ud83d\\ude00"') == "\U0001f600"
