"""Which errors are new: moved ones are not, nor those that an edit leaves as they were."""

from __future__ import annotations

import pytest

from snippet_engine.csharp.analysis import BrokenNode
from snippet_engine.csharp.document import ScanError
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.source_text import SourceText, decode
from snippet_engine.validation.embedded.new_errors import new_scan_errors, tree_diagnostics


def edits(*each: tuple[int, int, str]) -> EditSet:
    found = EditSet.of(TextEdit(*one) for one in each)
    assert isinstance(found, EditSet)
    return found


def error(offset: int, id_: str = "CS1010", opener: int | None = None) -> ScanError:
    return ScanError(offset, id_, "", opener)


INSERTION = edits((10, 10, "12345"))
REPLACEMENT = edits((10, 20, "123"))


@pytest.mark.parametrize(
    ("before", "after", "change", "new"),
    [
        ([], [], INSERTION, []),
        ([], [error(3)], INSERTION, [error(3)]),
        ([error(3)], [error(3)], INSERTION, []),
        ([error(30)], [error(35)], INSERTION, []),
        ([error(30)], [error(30)], INSERTION, [error(30)]),
        ([error(10)], [error(15)], INSERTION, []),
        ([error(3)], [], INSERTION, []),
        ([error(3)], [error(3, "CS1012")], INSERTION, [error(3, "CS1012")]),
        ([error(3)], [error(3), error(3)], INSERTION, [error(3)]),
        ([error(3), error(3)], [error(3)], INSERTION, []),
        ([error(15)], [error(11)], REPLACEMENT, []),
        ([error(15)], [error(11), error(12)], REPLACEMENT, [error(12)]),
        ([error(15)], [error(14)], REPLACEMENT, [error(14)]),
        ([error(40, opener=5)], [error(60, opener=5)], INSERTION, []),
        ([error(40, opener=12)], [error(60, opener=17)], INSERTION, []),
        ([error(40, opener=5)], [error(60, opener=6)], INSERTION, [error(60, opener=6)]),
    ],
)
def test_new_scan_errors(
    before: list[ScanError], after: list[ScanError], change: EditSet, new: list[ScanError]
) -> None:
    assert new_scan_errors(before, after, change) == new


def node(start: int, end: int, kind: str = "ERROR") -> BrokenNode:
    return BrokenNode(start, end, kind, kind != "ERROR")


@pytest.mark.parametrize(
    ("kind", "id_", "message"),
    [
        (";", "CS1002", "; expected"),
        ("}", "CS1513", "} expected"),
        (")", "CS1026", ") expected"),
        ("identifier", "CS1001", "identifier expected"),
        ("=>", "MISSING", "syntax error near 'void F('"),
    ],
)
def test_missing_tokens_have_the_compilers_ids(kind: str, id_: str, message: str) -> None:
    source = decode(b"class A {\n  void F(\n}")
    assert isinstance(source, SourceText)
    (found,) = tree_diagnostics(source, [node(19, 19, kind)], INSERTION)
    assert (found.id, found.message) == (id_, message)
    assert found.position == (1, 9)


def test_what_the_parser_gave_up_on_is_told_at_the_edit_in_it() -> None:
    source = decode(b"class A {\n  int a b;\n  int c;\n}\n" + b"// far\n" * 9)
    assert isinstance(source, SourceText)
    change = edits((18, 18, "b"))
    (found,) = tree_diagnostics(source, [node(0, 33)], change)
    assert found.offset == 18
    assert found.message == "syntax error near 'b;'"


def test_quotations_are_short() -> None:
    source = decode(b"class " + b"A" * 500)
    assert isinstance(source, SourceText)
    (found,) = tree_diagnostics(source, [node(6, 506)], INSERTION)
    assert len(found.message) < 80
