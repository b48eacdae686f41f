"""Refusals confirmed by the body around an edit: as the whole file would, without its tree."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snippet_engine.csharp.document import Document
from snippet_engine.csharp.document_cache import DocumentCache
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.source_text import SourceText, decode
from snippet_engine.validation.embedded.embedded_validator import EmbeddedValidator
from snippet_engine.validation.validator import Diagnostic

TEXT = """using System;

namespace N
{
    class A : Base
    {
        int field = 1;
        Func<int, int> twice = x => { return x * 2; };

        // what others may see
        int Plain { get; set; }
        /* and what they may not */

        int Full
        {
            get { return field; }
            set { field = value; Call(1); }
        }

        A(int a) : base(a) { field = a; }

        int Short => field + 1;

        void First()
        {
            if (field > 1) { Call(2); } else Other();
            int Local(int b) { return b + 4; }
            Run(() => { inner(3); return 4; });
            int[] list = { 1, 2 };
            Call(5);
            while (field > 2);
        }

        class Inner
        {
            void Deep() { Call(6); }
            int last = 7;
        }

#if UNITY_EDITOR
        void Editor() { Call(8); }
#else
        void Player() { Call(9); }
#endif
        void Third(string s) { }
    }

    struct S { int s; }
    enum E { a, b }
}
"""

BROKEN = [
    ("Call(2);", "Call(2)"),
    ("inner(3);", "inner(3;"),
    ("return b + 4;", "return b + ;"),
    ("return x * 2;", "return x * ;"),
    ("return field;", "return field"),
    ("Call(1);", "Call(1) Call(1);"),
    ("field = a;", "field = ;"),
    ("int Short => field + 1;", "int Short => field + ;"),
    ("int Plain {", "int {"),
    ("int field = 1;", "int = 1;"),
    ("Call(6);", "Call(6) 6;"),
    ("int last = 7;", "int last 7;"),
    ("Call(8);", "Call(8"),
    ("Call(9);", "Call(9);;)"),
    ("void Third(string s)", "void Third(string s"),
    ("void Third(string s)", "void Third string s"),
    ("int s;", "int s"),
    ("enum E", "enum E b"),
    ("struct S", "struct"),
    ("using System;", "using ;"),
]
IN_PAIRS = [pair for pair in BROKEN if pair[1].count("(") == pair[1].count(")")]


PLACES = [match.span() for match in re.finditer(r"\w+|[^\w\s]", TEXT)]
PIECES = [
    *("do ", "try ", "else ", "if (a) ", "} else {", "} void F() {", "};", "{ }", "{", "}", "a "),
    *("(", ")", ";", "=> ", "= ", "class X { } ", "} class X {", "enum E ", "[A] ", "x => ", ", "),
    *("new T ", "int ", "get; ", "case 1: ", "switch (a) ", "() => ", "} catch {", "<", ">", ""),
]


def judged(
    *replacements: tuple[str, str], text: str = TEXT
) -> tuple[Document, tuple[Diagnostic, ...]]:
    """The edited document, each replacement at the first place that it fits, and its new errors.

    They are the same when nothing is known of either text, so that nothing can be left out.
    """
    starts = [text.index(old) for old, _ in replacements]
    edits = EditSet.of(
        [
            TextEdit(start, start + len(old), new)
            for start, (old, new) in zip(starts, replacements, strict=True)
        ]
    )
    assert isinstance(edits, EditSet)
    return judged_edits(edits, text)


def judged_edits(edits: EditSet, text: str = TEXT) -> tuple[Document, tuple[Diagnostic, ...]]:
    before = source_of(text)
    edited = source_of(edits.apply(text))
    documents = DocumentCache()
    original = documents.get(before)
    after = documents.edited(original, edited, edits)
    found = EmbeddedValidator().validate("Assets/C.cs", original, after, edits).diagnostics
    anew = Document(before), Document(edited)
    assert found == EmbeddedValidator().validate("Assets/C.cs", *anew, edits).diagnostics
    return after, found


def source_of(text: str) -> SourceText:
    source = decode(text.encode())
    assert isinstance(source, SourceText)
    return source


def has_trees(document: Document) -> bool:
    return any(document.under(symbols).has_tree for symbols in document.symbol_sets)


@pytest.mark.parametrize("replacement", IN_PAIRS)
def test_a_refusal_needs_no_tree_of_the_file(replacement: tuple[str, str]) -> None:
    after, found = judged(replacement)
    assert found
    assert not has_trees(after)


@pytest.mark.parametrize("replacement", [pair for pair in BROKEN if pair not in IN_PAIRS])
def test_brackets_are_the_scanners_business(replacement: tuple[str, str]) -> None:
    after, found = judged(replacement)
    assert [each.id for each in found]
    assert not has_trees(after)


@pytest.mark.parametrize(
    "replacement",
    [
        # It takes more than its neighbour.
        ("            int[] list", "            do\n            int[] list"),
        # The braces become those of an initializer.
        ("inner(3); return 4;", "3"),
        ("            Call(5);\n", "            do\n            Call(5);\n"),
        # The block ends, and another one begins.
        ("            Call(5);\n", "        }\n        void Fourth()\n        {\n"),
        ("get { return field; }", "get { return field; } protected"),
        ("return field;", "return field; } internal set { field = 1;"),
        ("inner(3);", "} , () => {"),
        ("Call(6);", "} } class Next { void Deep() {"),
        # Another header in front of the same braces.
        ("A(int a) : base(a) {", "enum B {"),
        ("int Plain {", "class Plain {"),
        ("void Third(string s) {", "Action<string> third = s => {"),
        ("struct S {", "interface S {"),
        ("int Full\n", "int Full =>\n"),
        ("if (field > 1) {", "if (field > 1) new T {"),
        # What begins here may end beyond the next member.
        ("int Plain {", "Base plain = new Plain {"),
        ("int Full\n", "int Full = new\n"),
        ("class Inner\n", "Base inner = new Inner\n"),
        ("void Deep()", "Action deep = delegate"),
        ("int Short => field + 1;", "int Short => field +"),
        ("int Short => field + 1;", "[Obsolete]"),
        ("void Third(string s)", "Action<string> third = (string s) =>"),
    ],
)
def test_the_answer_is_that_of_the_whole_file(replacement: tuple[str, str]) -> None:
    judged(replacement)


def test_what_the_braces_become_is_not_told_by_what_they_were() -> None:
    after, found = judged(("{ return x * 2; }", "{ x }"))
    assert [each.id for each in found] == ["CS1525"]
    assert has_trees(after)


def test_what_lies_beyond_the_neighbours_counts() -> None:
    _, found = judged(("            Call(5);", "            do\n            Call(5);"))
    assert not found


def test_several_edits_are_judged_by_the_first_that_breaks_something() -> None:
    after, found = judged(
        ("int field = 1;", "long field = 1;"), ("Call(5);", "Call(5)"), ("Call(6);", "Call(6")
    )
    assert found
    after, found = judged(("int field = 1;", "int field = ;"), ("Call(5);", "Call(55);"))
    assert found
    assert not has_trees(after)
    # The one ends the type that the other is in.
    after, found = judged(("int field = 1;", "int field = 1; } class B {"), ("Call(5);", "Call(5)"))
    assert found
    assert has_trees(after)


def test_another_branch_is_judged_by_the_tree() -> None:
    _, found = judged(
        ("#if UNITY_EDITOR", "#if !UNITY_EDITOR"), ("Call(8);", "Call(8)"), ("Call(1);", "Call(;")
    )
    assert found


def test_a_file_that_was_broken_is_judged_by_the_tree() -> None:
    after, found = judged(("Call(5);", "Call(5)"), text=TEXT.replace("a, b", "a b"))
    assert found
    assert has_trees(after)


def test_statements_outside_of_types() -> None:
    text = "using System;\nCall(1);\nif (a) { Call(2); }\nclass C { void M() { Call(3); } }\n"
    for old, new in (("Call(1);", "Call(1)"), ("Call(2);", "Call(2)"), ("class C {", "class {")):
        after, found = judged((old, new), text=text)
        assert found
        assert not has_trees(after)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(PLACES), st.sampled_from(PIECES), st.booleans())))
def test_any_changes_have_one_answer(changes: list[tuple[tuple[int, int], str, bool]]) -> None:
    edits = EditSet.of(
        [
            TextEdit(start, end if replaces else start, new)
            for (start, end), new, replaces in changes[:3]
            if new or replaces
        ]
    )
    if isinstance(edits, EditSet):
        judged_edits(edits)
