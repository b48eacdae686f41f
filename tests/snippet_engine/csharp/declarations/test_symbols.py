"""Declarations: their paths and kinds, the text that belongs to them, and the outline."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snippet_engine.csharp.declarations.symbols import (
    Declaration,
    SymbolKind,
    are_all_read,
    declarations,
    enclosing_path,
    outline,
    removal_range,
)
from snippet_engine.csharp.document import Document
from snippet_engine.csharp.lexical.symbol_sets import BuildSymbols, SymbolSet
from snippet_engine.source_text import SourceText, TextEncoding, TextRange, decode


def document_of(text: str, encoding: str = "utf-8") -> Document:
    source = decode(text.encode(encoding))
    assert isinstance(source, SourceText)
    return Document(source)


def paths(text: str) -> list[str]:
    return [one.path for one in declarations(document_of(text))]


def member_paths(members: str) -> list[str]:
    """The paths of a class's members, without ``C.``."""
    first, *rest = paths(f"class C {{ {members} }}")
    assert first == "C"
    return [path.removeprefix("C.") for path in rest]


def declared(document: Document, path: str) -> Declaration:
    (found,) = [one for one in declarations(document) if one.path == path]
    return found


def text_of(document: Document, where: TextRange | None) -> str | None:
    return None if where is None else document.source.view[where.start : where.end]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("namespace A { namespace B { class C { } } }", ["A", "A.B", "A.B.C"]),
        ("namespace A . B { class C { } }", ["A.B", "A.B.C"]),
        ("namespace A.B; class C { } struct S { }", ["A.B", "A.B.C", "A.B.S"]),
        ("class C<T, [X] U> { class D<in V> { } }", ["C<T,U>", "C<T,U>.D<V>"]),
        ("record R(int X);", ["R"]),
        ("delegate void D<in T>(T a);", ["D<T>"]),
        ("enum E { A = 1, [X] B, }", ["E", "E.A", "E.B"]),
        ("interface I { void M(); int P { get; } }", ["I", "I.M()", "I.P", "I.P.get"]),
        ("class @class { int @int; }", ["class", "class.int"]),
        ("int F(int x) => x; F(1); class C { }", ["F(int)", "C"]),
        ("class Ünï { int ö; void 日本(Ünï x) { } }", ["Ünï", "Ünï.ö", "Ünï.日本(Ünï)"]),
    ],
)
def test_paths_of_types_and_namespaces(source: str, expected: list[str]) -> None:
    assert paths(source) == expected


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ("int a, b = 2; const float K = 1f;", ["a", "b", "K"]),
        ("unsafe fixed int buffer[10];", ["buffer"]),
        ("C() { } static C() { } C(int x) : this() { }", ["C()", ".cctor()", "C(int)"]),
        ("~C() { }", ["~C()"]),
        ("void M(int a = 3, params object[] rest) { }", ["M(int,object[])"]),
        ("void M(ref int a, out int b, in V c) { }", ["M(ref int,out int,in V)"]),
        ("void M(int a) { } void M(ref int a) { }", ["M(int)", "M(ref int)"]),
        ("void M(int a) { } void M<T>(int a) { }", ["M(int)", "M<T>(int)"]),
        ("static void M(this C self, [A] B<X, Y>? b) { }", ["M(C,B<X,Y>?)"]),
        ("void M((int a, string b) t, int[,] r) { }", ["M((int,string),int[,])"]),
        ("unsafe void M(int* p, delegate*<int, void> f) { }", ["M(int*,delegate*<int,void>)"]),
        ("int P { get; private set; } = 3;", ["P", "P.get", "P.set"]),
        ("int P => 1;", ["P"]),
        ("int this[int i, string s] => 1;", ["this[int,string]"]),
        ("event A B, C;", ["B", "C"]),
        ("event A B { add { } remove { } }", ["B", "B.add", "B.remove"]),
        ("static C operator +(C a, C b) => a;", ["operator +(C,C)"]),
        ("static C operator checked -(C a) => a;", ["operator checked -(C)"]),
        ("static implicit operator float(C a) => 1;", ["implicit operator float(C)"]),
        ("static explicit operator (int, N.X)(C a) => a;", ["explicit operator (int,N.X)(C)"]),
        ("void I.M(int a) { }", ["I.M(int)"]),
        ("int N.I<int>.P => 1;", ["N.I<int>.P"]),
        ("int I<int>.this[int i] => 1;", ["I<int>.this[int]"]),
        ("event A I.B { add { } remove { } }", ["I.B", "I.B.add", "I.B.remove"]),
        ("void M() { void L(int a) { void K() { } } }", ["M()", "M().L(int)", "M().L(int).K()"]),
        ("C() : base(() => { int L() => 1; return L(); }) { }", ["C()", "C().L()"]),
        ("int P { get { T L<T>(T a) => a; return L(1); } }", ["P", "P.get", "P.get.L<T>(T)"]),
        ("A f = () => { async Task L() { } };", ["f", "f.L()"]),
        ("int P { get; } = F(() => { int L() => 1; });", ["P", "P.get", "P.L()"]),
        ("void M() { List<int> L<T>() => null; }", ["M()", "M().L<T>()"]),
        ("void M() { (int, int)L() => (1, 2); int[]K() => null; }", ["M()", "M().L()", "M().K()"]),
        ("void M() { int /* why */ @on (int a) => a; }", ["M()", "M().on(int)"]),
        ("void M() { if (a) F(b); return G(c); }", ["M()"]),
    ],
)
def test_paths_of_members(members: str, expected: list[str]) -> None:
    assert member_paths(members) == expected


def test_kinds() -> None:
    document = document_of(
        "namespace N { class C { C() { } ~C() { } void M() { void L() { } } int f; const int K = 1;"
        " int P { get; } int this[int i] => i; event A E; static C operator +(C a, C b) => a;"
        " static implicit operator int(C a) => 1; } struct S { } interface I { } enum E { A }"
        " record R; record struct T { } delegate void D(); }"
    )
    assert [one.kind.value for one in declarations(document)] == [
        *("namespace", "class", "constructor", "destructor", "method", "localFunction", "field"),
        *("constant", "property", "accessor", "indexer", "event", "operator"),
        *("conversionOperator", "struct", "interface", "enum", "enumMember", "record"),
        *("recordStruct", "delegate"),
    ]


def test_parts_of_a_method() -> None:
    document = document_of(
        "class C\n{\n"
        "    /// <summary>Hits.</summary>\n"
        "    /// <param name='a'>How hard.</param>\n"
        "    [A, B(1)]\n"
        "    [C] // a note\n"
        "    public void M(int a) // another\n"
        "    {\n        F();\n    }\n\n"
        "    int g;\n}\n"
    )
    method = declared(document, "C.M(int)")
    assert text_of(document, method.full) == document.source.view[14:-15]
    assert method.search == method.full
    assert text_of(document, method.header) == "public void M(int a)"
    assert text_of(document, method.body) == "\n        F();\n    "
    assert method.name == "M"
    assert method.parent == 0


@pytest.mark.parametrize(
    ("above", "belongs"),
    [
        ("/// doc\n", "/// doc\n"),
        ("/// one\n/// two\n", "/// one\n/// two\n"),
        ("/// doc\n\n", "/// doc\n\n"),
        ("/** doc\n */\n", "/** doc\n */\n"),
        ("/** doc */ ", "/** doc */ "),
        ("// plain\n", ""),
        ("//// four\n", ""),
        ("/* plain */\n", ""),
        ("/***/\n", ""),
        ("/// doc\n// plain\n", ""),
        ("// plain\n/// doc\n", "/// doc\n"),
        ("int g; /// trailing\n", ""),
        ("int g; /// trailing\n/// doc\n", "/// doc\n"),
        ('string s = @"\n/// no comment";\n', ""),
        ("/// doc\n#region R\n", ""),
        ("#region R\n/// doc\n", "/// doc\n"),
        ("/// doc\n#if A\n#endif\n", ""),
        ("/// doc\n#pragma warning disable 1\n/// more\n", "/// more\n"),
    ],
)
def test_the_documentation_comment_belongs_to_the_declaration(above: str, belongs: str) -> None:
    document = document_of(f"class C {{\n{above}int f;\n}}")
    assert text_of(document, declared(document, "C.f").full) == f"{belongs}int f;"


@pytest.mark.parametrize("before", ["class C { void M() {\n F();\n", ""])
def test_local_functions_have_documentation_too(before: str) -> None:
    document = document_of(f"{before}/// doc\nint L() => 1;" + " } }" * bool(before))
    local = declarations(document)[-1]
    assert text_of(document, local.full) == "/// doc\nint L() => 1;"


@pytest.mark.parametrize(
    ("source", "path", "full", "header", "body"),
    [
        ("class C { int a; }", "C.a", "int a;", "int a", None),
        ("class C { int a = 1; }", "C.a", "int a = 1;", "int a", None),
        ("class C { int a = 1, b; }", "C.a", "a = 1", "a", None),
        ("class C { int a = 1, b; }", "C.b", "b", "b", None),
        ("class C { int P => 1; }", "C.P", "int P => 1;", "int P", None),
        ("class C { int P { get; } = 1; }", "C.P", "int P { get; } = 1;", "int P", " get; "),
        ("class C { int P { get { } } }", "C.P.get", "get { }", "get", " "),
        (
            "class C { int P { [A] protected set; } }",
            "C.P.set",
            "[A] protected set;",
            "protected set",
            None,
        ),
        ("enum E { [X] A = 1, B }", "E.A", "[X] A = 1", "A", None),
        ("enum E { A, B }", "E", "enum E { A, B }", "enum E", " A, B "),
        (
            "abstract class C { abstract void M(); }",
            "C.M()",
            "abstract void M();",
            "abstract void M()",
            None,
        ),
        ("namespace A { }", "A", "namespace A { }", "namespace A", " "),
        ("namespace A;\nclass C { }\n", "A", "namespace A;", "namespace A", None),
        (
            "class C : B where T : X { }",
            "C",
            "class C : B where T : X { }",
            "class C : B where T : X",
            " ",
        ),
        (
            "class C { C(int a) : base(a) { } }",
            "C.C(int)",
            "C(int a) : base(a) { }",
            "C(int a) : base(a)",
            " ",
        ),
    ],
)
def test_ranges(source: str, path: str, full: str, header: str, body: str | None) -> None:
    document = document_of(source)
    one = declared(document, path)
    assert text_of(document, one.full) == full
    assert text_of(document, one.header) == header
    assert text_of(document, one.body) == body


def test_a_file_scoped_namespace_is_searched_to_the_end_of_the_file() -> None:
    document = document_of("using X;\nnamespace A.B;\n\nclass C { }\n\n")
    namespace = declared(document, "A.B")
    assert text_of(document, namespace.search) == "namespace A.B;\n\nclass C { }"
    assert declared(document, "A.B.C").parent == 0


def test_ranges_are_view_offsets() -> None:
    text = "// 日本 𝒳\r\nclass Ä\r\n{\r\n    /// é\r\n    int ö;\r\n}\r\n"
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        document = document_of(text, encoding)
        field = declared(document, "Ä.ö")
        assert text_of(document, field.full) == "/// é\n    int ö;"


def test_parts_of_a_partial_type_share_their_path() -> None:
    assert paths("partial class C { int a; } partial class C { int b; }") == [
        *("C", "C.a", "C", "C.b")
    ]


BRANCHES = """class C
{
#if UNITY_EDITOR
    void Both(int a) { E(); }
    int inEditor;
#else
    void Both(int a) { }
    int inPlayer;
#endif
    int always;
}
#if !UNITY_EDITOR
class P { void M() { void L() { } } }
#endif
"""


def test_declarations_of_the_other_symbol_sets_are_there_too() -> None:
    document = document_of(BRANCHES)
    every = declarations(document)
    assert [one.path for one in every] == [
        *("C", "C.Both(int)", "C.inEditor", "C.Both(int)", "C.inPlayer", "C.always"),
        *("P", "P.M()", "P.M().L()"),
    ]
    assert [one.parent for one in every] == [None, 0, 0, 0, 0, 0, None, 6, 7]
    for one in every:
        assert enclosing_path(document, one.header.start) == one.path


def test_one_declaration_with_two_headers_is_one() -> None:
    text = "#if UNITY_EDITOR\npublic class C\n#else\nclass C\n#endif\n{ void M() { } }\n"
    assert paths(text) == ["C", "C.M()"]


def test_a_declaration_is_searched_in_all_its_branches() -> None:
    text = (
        "class C {\n#if UNITY_EDITOR\npublic\n#else\nprivate\n#endif\nint F() =>\n"
        "#if UNITY_EDITOR\n1;\n#else\n2;\n#endif\n}"
    )
    document = document_of(text)
    method = declared(document, "C.F()")
    assert text_of(document, method.search) == text[text.index("public") : text.index("2;") + 2]
    assert text_of(document, method.full) == text[text.index("public") : text.index("1;") + 2]


def test_a_type_named_by_the_branch_has_its_members_under_both_names() -> None:
    text = "#if UNITY_EDITOR\nclass C\n#else\nclass D\n#endif\n{ void M() { } }\n"
    assert sorted(paths(text)) == ["C", "C.M()", "D", "D.M()"]


def test_outline_has_lsp_ranges_and_no_accessors() -> None:
    document = document_of("class C // 𝒳\n{\n    /* 𝒳 */ int a, b;\n    int P { get; }\n}\n")
    assert outline(document) == [
        {"path": path, "kind": kind, "range": {"start": start, "end": end}}
        for path, kind, start, end in [
            ("C", "class", {"line": 0, "character": 0}, {"line": 4, "character": 1}),
            ("C.a", "field", {"line": 2, "character": 17}, {"line": 2, "character": 18}),
            ("C.b", "field", {"line": 2, "character": 20}, {"line": 2, "character": 21}),
            ("C.P", "property", {"line": 3, "character": 4}, {"line": 3, "character": 18}),
        ]
    ]


@pytest.mark.parametrize(
    ("source", "path", "rest"),
    [
        ("enum E { A, B, C }", "E.B", "enum E { A, C }"),
        ("enum E { A, B }", "E.B", "enum E { A }"),
        ("enum E { A, B, }", "E.B", "enum E { A, }"),
        ("enum E {\n A,\n B\n}", "E.B", "enum E {\n A,\n \n}"),
        ("enum E { A /* x */, // y, z\n B }", "E.A", "enum E { // y, z\n B }"),
        (
            "enum E { A /* x */ } class C { int f, g; }",
            "E.A",
            "enum E {  /* x */ } class C { int f, g; }",
        ),
        ("class C { int a = 1, b; }", "C.a", "class C { int b; }"),
        ("class C { int a, b = 2; }", "C.b", "class C { int a; }"),
        ("class C { int a,\n b; }", "C.b", "class C { int a; }"),
        ("class C { int a; int b; }", "C.a", "class C {  int b; }"),
    ],
)
def test_removal_leaves_a_list(source: str, path: str, rest: str) -> None:
    document = document_of(source)
    gone = removal_range(document.source, declared(document, path))
    assert source[: gone.start] + source[gone.end :] == rest


NESTED = """using System;

namespace N
{
    class C
    {
        int f = 1;
        int P { get { return 1; } }
        void M() { int L() { return 2; } }
    }
}
"""


def test_enclosing_path_is_that_of_the_innermost_declaration() -> None:
    document = document_of(NESTED)
    for text, path in [
        ("using", None),
        ("namespace", "N"),
        ("class", "N.C"),
        ("int f", "N.C.f"),
        ("get", "N.C.P.get"),
        ("return 1", "N.C.P.get"),
        ("M()", "N.C.M()"),
        ("return 2", "N.C.M().L()"),
    ]:
        assert enclosing_path(document, NESTED.index(text)) == path
    assert enclosing_path(document, len(NESTED)) is None


def test_enclosing_path_agrees_with_the_declarations_everywhere() -> None:
    document = document_of(NESTED)
    for offset in range(len(NESTED)):
        holding = [
            one for one in declarations(document) if one.search.start <= offset < one.search.end
        ]
        assert enclosing_path(document, offset) == (holding[-1].path if holding else None)


# -- broken code -----------------------------------------------------------------------------


def test_members_after_a_missing_brace_stay_members() -> None:
    text = "class P {\n void A() {\n  if (x) {\n   y();\n }\n public void B() { }\n}\n"
    assert paths(text) == ["P", "P.A()", "P.B()"]


def test_the_header_of_an_unclosed_type_is_recovered() -> None:
    text = (
        "namespace Q { public class P<T> : X {\n void A( {\n  y();\n }\n int c;\n int D { get; }\n"
    )
    document = document_of(text)
    assert paths(text) == ["Q", "Q.P<T>", "Q.P<T>.A()", "Q.P<T>.c", "Q.P<T>.D", "Q.P<T>.D.get"]
    assert text_of(document, declared(document, "Q.P<T>").header) == "public class P<T> : X"


def test_what_stands_beside_garbage_is_found() -> None:
    found = paths("class P { void A() { x = ; } int D; ) ] garbage here; void E() { } }")
    assert {"P", "P.A()", "P.D", "P.E()"} <= set(found)


def test_deep_nesting_ends_somewhere() -> None:
    for opening in ("class A { ", "void F() { ", "namespace A { "):
        assert len(paths(opening * 3000 + "} " * 3000)) >= 50
        paths(opening * 3000)


FRAGMENTS = [
    *("class C ", "namespace N ", "struct S<T> ", "enum E ", "record R", "{", "}", "(", ")", ";"),
    *("int f", " = 1", ", g", "void M", "int P ", "get", "=> 1", "/// doc\n", "// x\n", "/*", "*/"),
    *("\n#if A\n", "\n#else\n", "\n#endif\n", "public ", "[A]", "int this[int i] ", "operator +"),
    *(
        "implicit operator int",
        "~C()",
        "event E e",
        "delegate void D",
        "é",
        '"',
        "<",
        ">",
        "@",
        " ",
    ),
]


@settings(max_examples=150)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join) | st.text(max_size=40))
def test_any_text_has_declarations_in_order_and_in_bounds(text: str) -> None:
    if not text.isascii():
        text = text.encode(errors="replace").decode()
    # Not as a file is decoded, of which some encodings are refused.
    document = Document(SourceText(text.encode(), TextEncoding("utf-8", b""), text))
    every = declarations(document)
    view = document.source.view
    for index, one in enumerate(every):
        assert 0 <= one.full.start <= one.full.end <= len(view)
        assert one.full.start <= one.header.start <= one.header.end <= one.full.end
        assert one.name
        if one.body is not None:
            assert one.header.end <= one.body.start <= one.body.end <= one.full.end
        if one.parent is not None:
            assert one.parent < index
            assert one.path.startswith(every[one.parent].path + ".")
    assert len(outline(document)) == sum(one.kind is not SymbolKind.ACCESSOR for one in every)
    for offset in range(0, len(view), 7):
        enclosing_path(document, offset)


CONDITIONED = """#if IN_BUILD
class Built { void M() { /* Note */ } }
#elif PHONE && !SDK || OTHER
class Phone { int f; }
#else
class Else { }
#endif
#if PHONE && !IN_BUILD && !SDK
class Both { }
#endif
#if false
class Never { }
#if PHONE
class Within { }
#else
class NorElse { }
#endif
#endif
#if true
#elif PHONE
class Late { }
#else
class Last { }
#endif
class Always { }
"""

NEVER = {
    "Never": "false",
    "Within": "false && PHONE",
    "NorElse": "false && !PHONE",
    "Late": "!true && PHONE",
    "Last": "!true && !PHONE",
}
"""What no set of symbols compiles, and its condition."""


@pytest.mark.parametrize(
    ("symbols", "not_compiled"),
    [
        (
            BuildSymbols({"IN_BUILD"}),
            {
                "Phone": "!IN_BUILD && ((PHONE && !SDK) || OTHER)",
                "Phone.f": "!IN_BUILD && ((PHONE && !SDK) || OTHER)",
                "Else": "!IN_BUILD && !((PHONE && !SDK) || OTHER)",
                "Both": "PHONE && !IN_BUILD && !SDK",
                **NEVER,
            },
        ),
        (
            BuildSymbols({"PHONE"}),
            {
                "Built": "IN_BUILD",
                "Built.M()": "IN_BUILD",
                "Else": "!IN_BUILD && !((PHONE && !SDK) || OTHER)",
                **NEVER,
            },
        ),
    ],
)
def test_what_is_left_out_has_a_condition(symbols: SymbolSet, not_compiled: dict[str, str]) -> None:
    document = Document(document_of(CONDITIONED).source, symbols=symbols)
    found = {each["path"]: each.get("condition") for each in outline(document)}
    assert {path: condition for path, condition in found.items() if condition} == not_compiled
    assert [*found] == [
        *("Built", "Built.M()", "Phone", "Phone.f", "Else", "Both", *NEVER, "Always")
    ]
    assert are_all_read(document)


@pytest.mark.parametrize(
    ("text", "all_read"),
    [
        ("class C { void M() { } }", True),
        ("class C { void M() { *(p) = 1; F(a) = 2; } }", True),
        ("class C { void M( { } }", False),
        ("#if A\nclass C { void M( { } }\n#endif", False),
        ("#if false\nNo C# at all: (\n#endif", True),
        ("#if true\n#else\n#if true\nclass NotFound { }\n#endif\n#endif", False),
        ("#if A\n#endif\n#if false\nclass C { }\n#endif\n//" + "x" * 2_000_000, False),
    ],
)
def test_whether_all_declarations_are_read(text: str, all_read: bool) -> None:
    assert are_all_read(document_of(text)) is all_read
