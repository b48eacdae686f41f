from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippet_engine.edits import EditSet, TextEdit, joined_insertions
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.source_text import SourceText, decode

TEXT = st.text(alphabet="ab\n😀{};", max_size=30)


def edit_set(*edits: TextEdit) -> EditSet:
    made = EditSet.of(edits)
    assert isinstance(made, EditSet)
    return made


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("speed > 10", "speed > 20", 1),
        ("a" * 200 + "b", "a" * 200 + "cc", 2),
        ("same", "same", 0),
        ("", "😀" * 80, 80),
        ("aa", "aaa", 1),
        ("abc", "", 3),
    ],
)
def test_the_change_is_counted_after_trimming(old: str, new: str, changed: int) -> None:
    assert TextEdit(1, 1 + len(old), new).changed_code_points("x" + old + "y") == changed


@given(TEXT, TEXT, TEXT, TEXT)
def test_a_trimmed_edit_has_the_same_effect(head: str, old: str, new: str, tail: str) -> None:
    view = head + old + tail
    edit = TextEdit(len(head), len(head) + len(old), new)
    trimmed = edit.trimmed(view)
    assert edit_set(trimmed).apply(view) == head + new + tail
    assert trimmed.start >= edit.start
    assert trimmed.end <= edit.end


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (TextEdit(2, 5, "x"), TextEdit(4, 6, "y")),
        (TextEdit(2, 5, "x"), TextEdit(2, 5, "y")),
        (TextEdit(3, 3, "x"), TextEdit(3, 3, "y")),
        (TextEdit(2, 5, ""), TextEdit(3, 3, "y")),
    ],
)
def test_overlapping_edits_are_not_a_set(left: TextEdit, right: TextEdit) -> None:
    assert EditSet.of([right, left]) == tuple(sorted((left, right)))


def test_edits_that_only_meet_are_a_set() -> None:
    edits = edit_set(TextEdit(3, 6, "B"), TextEdit(0, 3, "A"), TextEdit(3, 3, "-"))
    assert edits.apply("aaabbb") == "A-B"
    assert edits.after_ranges() == [(0, 1), (1, 2), (2, 3)]


@given(TEXT, st.data())
def test_offsets_outside_the_edits_are_followed(view: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(view)))
    end = data.draw(st.integers(start, len(view)))
    edits = edit_set(TextEdit(start, end, data.draw(TEXT)))
    after = edits.apply(view)
    for offset in range(len(view)):
        mapped = edits.map_offset(offset)
        if mapped is None:
            assert start < offset < end
        elif not start <= offset < end:
            assert after[mapped] == view[offset]


def test_bytes_outside_the_change_stay_even_inside_the_replaced_range() -> None:
    source = decode(b"\xef\xbb\xbfa\r\nb\nc\rd")
    assert isinstance(source, SourceText)
    edits = edit_set(TextEdit(0, 7, "a\nb\nX\nd"))
    assert edits.apply_to_bytes(source) == b"\xef\xbb\xbfa\r\nb\nX\rd"


def test_text_that_cannot_be_encoded_is_an_error() -> None:
    source = decode(b"a")
    assert isinstance(source, SourceText)
    refused = edit_set(TextEdit(1, 1, "bc\ud800d")).apply_to_bytes(source)
    assert isinstance(refused, SnippetError)
    assert refused.code is ErrorCode.INVALID_REQUEST
    assert refused.message == (
        "newText has '\\ud800', which utf-8 can't encode. Send the whole character."
    )


@given(
    st.text(alphabet="ab\r\n", max_size=12).map(str.encode),
    st.lists(
        st.tuples(st.integers(0, 12), st.integers(0, 3), st.text(alphabet="x\n", max_size=3)),
        max_size=3,
    ),
)
def test_no_two_line_breaks_become_one(data: bytes, drawn: list[tuple[int, int, str]]) -> None:
    source = decode(data)
    assert isinstance(source, SourceText)
    end = len(source.view)
    made = EditSet.of(TextEdit(min(a, end), min(a + n, end), text) for a, n, text in drawn)
    if not isinstance(made, EditSet):
        return
    after = made.apply_to_bytes(source)
    assert isinstance(after, bytes)
    read_again = decode(after)
    assert isinstance(read_again, SourceText)
    assert read_again.view == made.apply(source.view)


def test_a_long_text_is_trimmed_exactly() -> None:
    view = "ab" * 5000 + "c" + "ba" * 5000
    edit = TextEdit(0, len(view), "ab" * 5000 + "d" + "ba" * 5000)
    assert edit.trimmed(view) == TextEdit(10_000, 10_001, "d")


def test_touching_is_no_overlap_from_either_side() -> None:
    left, right = TextEdit(0, 3, "A"), TextEdit(3, 6, "B")
    assert not left.overlaps(right)
    assert not right.overlaps(left)


@pytest.mark.parametrize(
    ("data", "edits", "after"),
    [
        (b"a\r\nb\nc", [(1, 1, "\n1"), (3, 3, "\n2"), (5, 5, "\n3")], b"a\r\n1\r\nb\n2\nc\n3"),
        # A CR and an LF that would meet stay two line breaks.
        (b"a\rX\nb", [(2, 3, "")], b"a\r\r\nb"),
        (b"a\rX\nb", [(2, 2, "\n")], b"a\r\r\nX\nb"),
        # The first line ends in CR, the second in LF; each new break takes the ending of its line.
        (b"aX\rYb\n", [(1, 4, "Z\n"), (4, 4, "\nW")], b"aZ\r\r\nWb\n"),
        # What stood before a deletion is the neighbour of what follows it.
        (b"a\rXY\n", [(2, 3, ""), (3, 3, "\n")], b"a\r\r\nY\n"),
        # A line feed that is replaced too needs no carriage return before it.
        (b"a\rX\nb", [(0, 1, "A"), (2, 3, ""), (3, 4, "Z")], b"A\rZb"),
        # A carriage return that is far away changes nothing; a new one is a break of its own.
        (b"aX\rYb\nc", [(1, 4, "Z\n"), (5, 5, "\n")], b"aZ\rb\n\nc"),
        (b"aX\rY\nb", [(1, 4, "Z\n")], b"aZ\r\r\nb"),
    ],
)
def test_new_lines_take_the_ending_of_their_line(
    data: bytes, edits: list[tuple[int, int, str]], after: bytes
) -> None:
    source = decode(data)
    assert isinstance(source, SourceText)
    assert edit_set(*(TextEdit(*each) for each in edits)).apply_to_bytes(source) == after


def test_offsets_behind_several_edits_move_by_all_of_them() -> None:
    edits = edit_set(TextEdit(0, 1, "xyz"), TextEdit(2, 4, ""), TextEdit(5, 5, "--"))
    moved = [edits.map_offset(offset) for offset in range(7)]
    assert moved == [0, 3, 4, None, 4, 7, 8]


def test_insertions_at_one_place_become_one_in_the_order_given() -> None:
    joined = joined_insertions(
        [
            TextEdit(5, 5, "a"),
            TextEdit(2, 4, "whole"),
            TextEdit(9, 9, "z"),
            TextEdit(5, 5, "b"),
            TextEdit(6, 7, ""),
            TextEdit(5, 5, "c"),
        ]
    )
    assert joined == [
        TextEdit(2, 4, "whole"),
        TextEdit(6, 7, ""),
        TextEdit(5, 5, "abc"),
        TextEdit(9, 9, "z"),
    ]
