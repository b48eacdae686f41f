"""Scalars: every style is read and written as Unity does, and a change keeps a file's own way."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unity_assets.yaml.scalars import DOUBLE, PLAIN, SINGLE, Layout, changed, rendered, text_of

LAYOUT = Layout(column=34, continuation=10)

words = st.lists(
    st.text(string.ascii_letters + string.digits + "_.,<>+/`'", min_size=1, max_size=60),
    min_size=1,
    max_size=8,
).map(" ".join)
anything = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=300)
layouts = st.builds(
    Layout, st.integers(0, 120), st.integers(2, 30), st.sampled_from(["\n", "\r\n"])
)


@given(words, st.sampled_from([PLAIN, SINGLE, DOUBLE]), layouts, st.sampled_from([80, 81, None]))
def test_what_is_written_is_read_again(
    text: str, style: str, layout: Layout, fold: int | None
) -> None:
    assert text_of(rendered(text, style, layout, fold)) == text


@given(anything, layouts)
def test_any_text_is_written_double_quoted_and_read_again(text: str, layout: Layout) -> None:
    assert text_of(rendered(text, DOUBLE, layout)) == text


@given(words, words, layouts, st.sampled_from([80, 81, None]))
def test_there_and_back_is_the_same(
    text: str, other: str, layout: Layout, fold: int | None
) -> None:
    raw = rendered("A" + text, PLAIN, layout, fold)
    there = changed(raw, "B" + other, layout)
    assert text_of(there) == "B" + other
    if fold == 80:
        assert changed(there, "A" + text, layout) == raw


@pytest.mark.parametrize("length", range(70, 90))
def test_the_blank_at_or_after_column_80_is_the_break(length: int) -> None:
    first = "N" * (length - LAYOUT.column - 1)
    raw = rendered(f"{first}, Game", PLAIN, LAYOUT)
    # The comma is at column length - 1, so the blank is at column length.
    expected = f"{first},\n          Game" if length >= 80 else f"{first}, Game"
    assert raw == expected.encode()


def test_a_file_that_folds_one_column_later_keeps_doing_so() -> None:
    first = "N" * (80 - LAYOUT.column - 1)
    raw = f"{first}, Game Two".encode()
    assert changed(raw, f"M{first[1:]}, Game Two", LAYOUT) == b"M" + raw[1:]
    raw = f"{first}, Game\n          Two".encode()
    assert changed(raw, f"M{first[1:]}, Game Two", LAYOUT) == b"M" + raw[1:]


def test_breaks_by_no_rule_stay() -> None:
    raw = b"One,\n          Two, Three"
    assert changed(raw, "Four, Two, Three", LAYOUT) == b"Four,\n          Two, Three"


def test_a_file_with_crlf_is_folded_with_crlf() -> None:
    layout = Layout(34, 10, "\r\n")
    assert b"\r\n          " in rendered("N" * 60 + ", Game", PLAIN, layout)
    assert text_of(b"One,\r\n  Two") == "One, Two"


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"'it''s'", "it's"),
        (b'"\\u901F\\xE9\\"\\n"', '速é"\n'),
        (b'"one\\\n  \\ two"', "one two"),
        (b"'one\n\n  two'", "one\ntwo"),
        (b'"\\uD83D\\uDE00"', "😀"),
        (b"5", "5"),
    ],
)
def test_what_unity_writes_is_read(raw: bytes, text: str) -> None:
    assert text_of(raw) == text
