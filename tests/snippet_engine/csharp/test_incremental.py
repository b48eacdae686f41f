"""The law of edited documents: they answer as if nothing were known of the text before."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snippet_engine.csharp.analysis import Analysis, Origin
from snippet_engine.csharp.document import Document
from snippet_engine.csharp.document_cache import DocumentCache
from snippet_engine.csharp.lexical import line_scanner, rescanner, scanner
from snippet_engine.csharp.lexical.lexical_state import State
from snippet_engine.csharp.lexical.symbol_sets import UNITY_EDITOR_SYMBOLS
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


@settings(max_examples=60, deadline=None)
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


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_edits_of_anything(data: st.DataObject) -> None:
    text = data.draw(SOUP)
    check(text, [data.draw(edit_sets(text))])


PLAIN = ("", "a;", "// b", "F(1);", "F(\"s\", 'c');", "/", "int x; // {", "[A] { get; }", "@a")


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_lines_that_change_nothing_are_passed_at_once(data: st.DataObject) -> None:
    """They say what they say line by line, whatever is open around them and behind them."""
    plain = st.lists(st.sampled_from(PLAIN), max_size=8).map("\n".join)
    if_a = st.sampled_from(("#if A", "#if !A", "#else", "#endif", "{", "}"))
    pieces = st.one_of(plain, if_a, st.sampled_from(PIECES), SOUP)
    stretches = data.draw(st.lists(pieces, max_size=8))
    text = "class C {\n" + "\n".join(stretches)
    edits = data.draw(edit_sets(text))
    after = source_of(edits.apply(text))
    found: list[tuple[Analysis, ...]] = []
    for many in (1, len(text) + 1_000):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(scanner, "MANY_PLAIN", many)
            patch.setattr(rescanner, "MANY_PLAIN", many)
            fresh = Analysis(after, UNITY_EDITOR_SYMBOLS)
            before = Analysis(source_of(text), UNITY_EDITOR_SYMBOLS)
            edited = Analysis(after, UNITY_EDITOR_SYMBOLS, Origin(before, edits))
            assert_same(edited, fresh)
            defined = UNITY_EDITOR_SYMBOLS | {"A"}
            flipped = Analysis(after, defined, None, fresh)
            assert_same(flipped, Analysis(after, defined))
            found.append((edited, fresh, flipped))
    for at_once, one_by_one in zip(*found, strict=True):
        assert_same(at_once, one_by_one)


def test_lines_that_change_nothing_are_not_read_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []

    def counting(line: str) -> object:
        read.append(line)
        return line_scanner.skip_code(line)

    monkeypatch.setattr(scanner, "skip_code", counting)
    monkeypatch.setattr(rescanner, "skip_code", counting)
    lines = "a,\n" * 20_000
    text = "class C {\nint first;\n" + lines + "}\n"
    edits = EditSet((TextEdit(10, 20, "int first; {"),))
    before = Analysis(source_of(text), UNITY_EDITOR_SYMBOLS)
    after = Analysis(source_of(edits.apply(text)), UNITY_EDITOR_SYMBOLS, Origin(before, edits))
    assert not after.scan.is_clean
    assert len(list(after.scan.errors())) == 1
    assert 0 < len(read) < 1_000


@pytest.mark.parametrize("condition", ["UNITY_EDITOR", "OTHER"])
def test_lines_of_a_branch_are_not_read_one_by_one(
    condition: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither those that aren't compiled nor, under another symbol set, those that are then."""
    read: list[str] = []

    def counting(line: str, *others: Any) -> State:
        read.append(line)
        return advance(line, *others)

    def counting_again(line: str, *others: Any) -> State:
        read.append(line)
        return read_line(line, *others)

    advance, read_line = scanner.advance, rescanner._read_line
    monkeypatch.setattr(scanner, "advance", counting)
    monkeypatch.setattr(rescanner, "_read_line", counting_again)
    lines = "int a; // {\n" * 5_000
    document = Document(source_of(f"class C {{\n#if {condition}\n{lines}#endif\n}}\n"))
    assert len(document.symbol_sets) == 2
    for symbols in document.symbol_sets:
        analysis = document.under(symbols)
        assert analysis.scan.is_clean
        assert len(analysis.scan.states) == 5_006
    assert 0 < len(read) < 500


@pytest.mark.parametrize("ending", ["\n", "\x85", "\u2028", "\u2029"])
def test_behind_an_edit_lines_are_read_until_all_is_as_it_was(
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
        assert document.scan_errors(index) == ()
        assert document.under(document.symbol_sets[index]).broken_nodes == ()
    check(FIXTURE, [EditSet((TextEdit(FIXTURE.index("Count"), FIXTURE.index("Count"), "Ac"),))])
