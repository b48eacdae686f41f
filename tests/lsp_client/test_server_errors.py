"""A server's errors in the engine's terms: where they are, and which of them are new."""

from __future__ import annotations

import pytest
from verdicts import source

from lsp_client.diagnostics.report import ServerDiagnostic, diagnostics, new_errors
from snippet_engine.edits import EditSet, TextEdit

TEXT = "// 𝕊 ä\r\nclass A\r\n{\r\n    int x = y;\r\n}\r\n"


@pytest.mark.parametrize(
    ("line", "character", "at"),
    [
        (0, 0, "//"),
        (0, 3, "𝕊"),
        (0, 5, " ä"),
        (3, 12, "y;"),
        (3, 99, "\n}"),
        (99, 0, ""),
    ],
)
def test_positions_count_utf16_code_units(line: int, character: int, at: str) -> None:
    text = source(TEXT)
    (found,) = diagnostics(text, [ServerDiagnostic(line, character, "CS1", "m")])
    assert text.view[found.offset :].startswith(at)
    if line < 3:
        assert (found.position.line, found.position.character) == (line, character)


def edited(old: str, new: str) -> tuple[EditSet, str]:
    start = TEXT.replace("\r", "").index(old)
    edits = EditSet((TextEdit(start, start + len(old), new),))
    return edits, edits.apply(source(TEXT).view)


def test_an_error_that_an_edit_moved_is_not_new() -> None:
    edits, after = edited("class A", "class A : B\n\n")
    old = ServerDiagnostic(3, 12, "CS0103", "y")
    moved = ServerDiagnostic(5, 12, "CS0103", "y")
    fresh = ServerDiagnostic(1, 10, "CS0246", "B")
    found = new_errors(source(TEXT), [old], source(after), [moved, fresh], edits)
    assert [each.id for each in found] == ["CS0246"]


def test_an_error_in_replaced_text_is_new_only_if_it_is_another() -> None:
    edits, after = edited("y", "zz")
    old = ServerDiagnostic(3, 12, "CS0103", "y")
    same = ServerDiagnostic(3, 12, "CS0103", "zz")
    assert new_errors(source(TEXT), [old], source(after), [same], edits) == []
    other = ServerDiagnostic(3, 12, "CS0246", "zz")
    assert len(new_errors(source(TEXT), [old], source(after), [other], edits)) == 1


def test_two_of_a_kind_where_one_was_is_one_too_many() -> None:
    edits, after = edited("int x = y;", "int x = y + y;")
    old = ServerDiagnostic(3, 12, "CS0103", "y")
    both = [ServerDiagnostic(3, 12, "CS0103", "y"), ServerDiagnostic(3, 16, "CS0103", "y")]
    assert len(new_errors(source(TEXT), [old], source(after), both, edits)) == 1


def test_errors_are_told_in_the_order_of_the_text() -> None:
    errors = [ServerDiagnostic(3, 0, "b", "m"), ServerDiagnostic(1, 0, "a", "m")]
    assert [each.id for each in diagnostics(source(TEXT), errors)] == ["a", "b"]
