"""Open documents follow LSP's changes, whatever the text's lines end with."""

import pytest
from lsprotocol import types

from roslyn_server.documents import OpenDocument


def _part(start: tuple[int, int], end: tuple[int, int], text: str) -> types.Any:
    span = types.Range(types.Position(*start), types.Position(*end))
    return types.TextDocumentContentChangePartial(range=span, text=text)


def _changed(text: str, *changes: types.Any) -> str:
    return OpenDocument("file:///A.cs", 1, text).changed(2, changes).text


@pytest.mark.parametrize(
    ("text", "change", "expected"),
    [
        ("ab\ncd\n", _part((1, 0), (1, 1), "X"), "ab\nXd\n"),
        ("ab\r\ncd\r\n", _part((0, 2), (1, 0), ""), "abcd\r\n"),
        ("ab\rcd", _part((1, 1), (1, 1), "X"), "ab\rcXd"),
        ("a\x0cb\u2028c\nd", _part((1, 0), (1, 1), "X"), "a\x0cb\u2028c\nX"),
        ("\U0001f600a\n", _part((0, 2), (0, 3), "X"), "\U0001f600X\n"),
        ("ab\n", _part((1, 0), (1, 0), "c"), "ab\nc"),
        ("ab\n", _part((9, 9), (9, 9), "c"), "ab\nc"),
        ("ab\ncd", _part((0, 99), (0, 99), "c"), "abc\ncd"),
        ("", _part((0, 0), (0, 0), "c"), "c"),
    ],
)
def test_a_change_lands_where_lsp_says(text: str, change: types.Any, expected: str) -> None:
    assert _changed(text, change) == expected


def test_changes_build_on_each_other_and_a_whole_text_replaces_all() -> None:
    first = _part((0, 0), (0, 0), "x\n")
    second = _part((1, 0), (1, 1), "Y")
    assert _changed("ab", first, second) == "x\nYb"
    whole = types.TextDocumentContentChangeWholeDocument("new")
    assert _changed("ab", first, whole) == "new"


def test_a_change_makes_another_version() -> None:
    whole = types.TextDocumentContentChangeWholeDocument("b")
    changed = OpenDocument("file:///A.cs", 1, "a").changed(2, [whole])
    assert changed == OpenDocument("file:///A.cs", 2, "b")
