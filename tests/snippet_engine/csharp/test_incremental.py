"""The law of edited documents: they answer as if nothing were known of the text before."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snippet_engine.csharp.analysis import Analysis
from snippet_engine.csharp.document import Document
from snippet_engine.csharp.document_cache import DocumentCache
from snippet_engine.csharp.lexical import rescanner
from snippet_engine.csharp.lexical.lexical_state import State
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.source_text import SourceText, TextEncoding

FIXTURE = '''#define LOCAL
using System;

namespace Größe
{
    /* a comment with { and "
       over lines */
    public class Player // why (
    {
#if UNITY_EDITOR
        void Update() {
#elif OTHER && !LOCAL
        void Update(int a) {
            G(1);
#else
        void Update(string a)
        {
#endif
            var s = $"{a:0.0} {(b ? "x" : $"{c}")} {{}}";
            var t = @"C:\\{
#if not a directive
""quoted""";
            var u = $@"{a
                + b}""";
            var v = """
                raw { "
                """;
            char c = '\\'', d = '{';
#if !UNITY_EDITOR || DEBUG
            if (a > 1 && list[2] != 3) { F(x => { return 1; }); }
#endif
        }
#region more
        int Count => items.Length; // 日本語
#endregion
    }
}
'''

PIECES = [
    *("a", " ", "\n", "\n", ";", "{", "}", "(", ")", "[", "]", '"', "'", "/*", "*/", "//", "\\"),
    *('$"', '@"', '"""', '$$"""', "{{", "}}", ":", "é", "日", "\u2028", "\0", "`", "=", "#"),
    *("\n#if A\n", "\n#if UNITY_EDITOR\n", "\n#elif B\n", "\n#else\n", "\n#endif\n"),
    *("\n#region r\n", "\n#endregion\n", "\n#define C\n", "/* c */", '"s"', "'c'", '$"{a}"'),
    *("int b;", "F(1);", "x => x", "class K { }"),
]

SOUP = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@st.composite
def edit_sets(draw: st.DrawFn, text: str) -> EditSet:
    """Up to four disjoint edits: deletions, insertions and replacements of a few characters."""
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), min_size=1, max_size=4, unique=True)))
    edits: list[TextEdit] = []
    for start, limit in zip(cuts, [*cuts[1:], len(text)], strict=True):
        end = draw(st.integers(start, min(limit, start + 12)))
        new = draw(st.lists(st.sampled_from(PIECES), max_size=3).map("".join))
        edits.append(TextEdit(start, end, new))
    found = EditSet.of(edits)
    assert isinstance(found, EditSet)
    return found


def source_of(text: str) -> SourceText:
    # Not as a file is decoded, of which some encodings are refused.
    return SourceText(text.encode(), TextEncoding("utf-8", b""), text)


def described(state: State) -> object:
    """A state by value: states of two scans are never the same objects."""
    frames = [(frame.kind, frame.raw) for frame in state.frame.innermost_first()]
    branches = [
        (branch.kind, branch.conditions, branch.active, branch.taken)
        for branch in state.branch.outermost_first()
    ]
    return frames, branches, state.definitions, state.after_first_token


def assert_same(edited: Analysis, fresh: Analysis) -> None:
    one, two = edited.scan, fresh.scan
    assert [described(state) for state in one.states] == [described(s) for s in two.states]
    assert one.problems == two.problems
    assert one.directives == two.directives
    errors = list(one.errors())
    assert errors == list(two.errors())
    on_lines = [each for problems in one.problems.values() for each in problems]
    assert [each[:3] for _, each in errors][: len(on_lines)] == [each[:3] for each in on_lines]
    assert edited.active_utf8 == fresh.active_utf8
    assert len(edited.broken_nodes) == len(fresh.broken_nodes)
    assert edited.tree.root_node.has_error == fresh.tree.root_node.has_error


def check(text: str, steps: list[EditSet]) -> None:
    cache = DocumentCache()
    document = cache.get(source_of(text))
    for edits in steps:
        after = source_of(edits.apply(document.source.view))
        document = cache.edited(document, after, edits)
        fresh = Document(after)
        assert document.symbol_sets == fresh.symbol_sets
        for symbols in document.symbol_sets:
            alone = Analysis(after, symbols)
            assert_same(document.under(symbols), alone)
            assert_same(fresh.under(symbols), alone)
        for start in range(0, len(after.view), 7):
            end = min(start + 3, len(after.view))
            assert document.span_kind(start, end) is fresh.span_kind(start, end)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_edits_of_real_code(data: st.DataObject) -> None:
    first = data.draw(edit_sets(FIXTURE))
    second = data.draw(edit_sets(first.apply(FIXTURE)))
    check(FIXTURE, [first, second])


@pytest.mark.parametrize(
    ("text", "edit"),
    [
        ("/*", TextEdit(0, 1, "")),
        ("class A { }\n/* int", TextEdit(12, 14, "")),
        ("class A { }\n/* int }", TextEdit(0, 0, "*/")),
        ("class A { }\n}}", TextEdit(12, 12, "/*")),
        ("#if X\n/*\n#endif\nint }", TextEdit(4, 5, "UNITY_EDITOR")),
    ],
)
def test_a_comment_that_is_not_closed_hides_all_behind_it(text: str, edit: TextEdit) -> None:
    check(text, [EditSet((edit,))])


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_edits_of_anything(data: st.DataObject) -> None:
    text = data.draw(SOUP)
    check(text, [data.draw(edit_sets(text))])


@pytest.mark.parametrize("ending", ["\n", "\x85", "\u2028", "\u2029"])
def test_lines_are_read_until_all_is_as_it_was(
    ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    whole = rescanner._read_line

    def counting(text: str, *others: Any) -> State:
        read.append(text)
        return whole(text, *others)

    monkeypatch.setattr(rescanner, "_read_line", counting)
    line = f"int a;{ending}"
    text = "class C {\n" + line * 3_000 + "int last;\n}\n"
    at = text.index("int a", 8_000)
    check(text, [EditSet((TextEdit(at, at + 5, f"int b;{ending}int c"),))])
    assert 0 < len(read) < 20


def test_the_fixture_is_fine() -> None:
    document = Document(source_of(FIXTURE))
    for index in range(len(document.symbol_sets)):
        assert document.scan_errors_under(document.symbol_sets[index]) == ()
        assert document.under(document.symbol_sets[index]).broken_nodes == ()
    check(FIXTURE, [EditSet((TextEdit(FIXTURE.index("Count"), FIXTURE.index("Count"), "Ac"),))])
