"""Edits judged by the statements around them: never "whole" where the file isn't."""

from __future__ import annotations

import pytest

from snippet_engine.csharp.document import Document
from snippet_engine.csharp.document_cache import DocumentCache
from snippet_engine.csharp.tree.edit_windows import EditWindow
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.source_text import SourceText, decode

TEXT = """using System;

namespace N
{
    // about A
    class A
    {
        int field = 1;

        void First()
        {
            if (field > 1) { Call(2); } else Other();
            switch (field)
            {
                case 1: Call(1); break;
                default: break;
            }
            Run(() => { inner(3); return 4; });
            var last = 5;
        }

        // between
        int Second => 6;
        void Third() { }
    }

    interface I { void M(); }
    enum E { a, b }
}
"""


def edited(*replacements: tuple[str, str], text: str = TEXT) -> tuple[Document, Document]:
    """The documents before and after, each replacement at the first place that it fits."""
    before = decode(text.encode())
    assert isinstance(before, SourceText)
    edits = []
    for old, new in replacements:
        start = text.index(old)
        edits.append(TextEdit(start, start + len(old), new))
    edit_set = EditSet.of(edits)
    assert isinstance(edit_set, EditSet)
    data = edit_set.apply_to_bytes(before)
    assert isinstance(data, bytes)
    after = decode(data)
    assert isinstance(after, SourceText)
    cache = DocumentCache()
    document = cache.get(before)
    return document, cache.edited(document, after, edit_set)


def windows(*replacements: tuple[str, str], text: str = TEXT) -> tuple[EditWindow, ...] | None:
    _, after = edited(*replacements, text=text)
    return after.under(after.symbol_sets[0]).edit_windows


def texts(*replacements: tuple[str, str]) -> list[str] | None:
    """The new text of each window."""
    _, after = edited(*replacements)
    found = after.under(after.symbol_sets[0]).edit_windows
    if found is None:
        return None
    return [after.source.utf8[slice(*window.after)].decode() for window in found]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("Call(2)", "Call(22)", "Call(22);"),
        ("inner(3)", "outer(3)", "outer(3);"),
        ("var last = 5;", "var last = 55;", "var last = 55;"),
        ("field = 1", "field = 2, other", "int field = 2, other;"),
        ("Second => 6", "Second => 7", "int Second => 7;"),
        ("a, b", "a, c", "enum E { a, c }"),
        ("using System", "using System.IO", "using System.IO;"),
        ("// between", "// amid", "// amid"),
        ("void Third() { }", "", ""),
    ],
)
def test_the_window_is_the_smallest_list_item(old: str, new: str, expected: str) -> None:
    assert texts((old, new)) == [expected]


def test_edits_have_windows_of_their_own_unless_one_lies_in_the_other() -> None:
    assert texts(("field = 1", "field = 2"), ("last = 5", "last = 6")) == [
        "int field = 2;",
        "var last = 6;",
    ]
    both = texts(("Run(", "Ran("), ("inner(3)", "outer(3)"))
    assert both == ["Ran(() => { outer(3); return 4; });"]


def test_a_window_tells_its_place_in_both_texts() -> None:
    before, after = edited(("field = 1", "field = 100"), ("last = 5", "last = 6"))
    found = after.under(after.symbol_sets[0]).edit_windows
    assert found is not None
    assert before.source.utf8[slice(*found[1].before)] == b"var last = 5;"
    assert after.source.utf8[slice(*found[1].after)] == b"var last = 6;"
    statement = found[1].tree.root_node.descendant_for_byte_range(found[1].lead, found[1].lead + 3)
    assert statement is not None
    assert statement.start_byte == found[1].lead


@pytest.mark.parametrize(
    "replacement",
    [
        ("Call(2)", "Call(2"),
        ("Call(2);", "Call(2)"),
        ("Call(2);", "} void Fourth() {"),
        ("Call(2)", "x(); //"),
        ("field > 1", "field >"),
        ("else Other();", "else else"),
        ("case 1:", "case :"),
        ("int field = 1;", "int = 1;"),
        ("enum E {", "enum {"),
        ("class A", "class"),
        ("using System;", "using ;"),
    ],
)
def test_what_is_broken_or_doubtful_is_left_to_the_tree(replacement: tuple[str, str]) -> None:
    assert windows(replacement) is None


def test_a_comment_must_not_swallow_what_follows() -> None:
    text = TEXT.replace("int field = 1;", "int field = 1; int other\n = 2;")
    assert windows(("field = 1;", "field = 1; // "), text=text) is None
    _, after = edited(("field = 1;", "field = 1; // "), text=text)
    assert after.tree().root_node.has_error


def test_a_file_that_was_broken_is_left_to_the_tree() -> None:
    assert windows(("last = 5", "last = 6"), text=TEXT.replace("a, b", "a b")) is None


def test_switching_a_branch_is_left_to_the_tree() -> None:
    text = TEXT.replace("int field = 1;", "#if false\nint field = \n#endif\nint field = 1;")
    assert windows(("last = 5", "last = 6"), text=text) is not None
    assert windows(("#if false", "#if true"), text=text) is None
    _, after = edited(("#if false", "#if true"), text=text)
    assert after.tree().root_node.has_error
