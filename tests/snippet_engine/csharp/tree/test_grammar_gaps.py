"""Valid C# that the grammar can't read: cured, and nothing broken is cured with it."""

from __future__ import annotations

import pytest

from snippet_engine.csharp.document import Document
from snippet_engine.csharp.tree.grammar_gaps import cure
from snippet_engine.source_text import SourceText, decode


def broken(text: str) -> int:
    source = decode(text.encode())
    assert isinstance(source, SourceText)
    document = Document(source)
    assert document.scan_errors_under(document.base) == ()
    return len(document.under(document.symbol_sets[0]).broken_nodes)


def in_method(statements: str) -> str:
    return "class C\n{\n    unsafe void M()\n    {\n        " + statements + "\n    }\n}\n"


VALID = [
    "*(int*)p = 1;",
    "*(T*)(p + n) = *(T*)q;",
    "return *(int*)&x;",
    "Assert.That(*(int*)history[0].Pointer(), Is.EqualTo(1));",
    "return *(bytes + offset);",
    "*(p + 1) = 2;",
    "*((ushort*)dest - 1) = (ushort)length;",
    "// why\n        *(p + 1) = 2;",
    "for (;;) *(p + 1) = 2;",
    "*p++ = *q++;",
    "return ref *(T*)data;",
    "GetValueRef() = value;",
    "Find (x) = y; this.var (key, value) = Find().First();",
    "x = sizeof(int) * (8 + y) * default(int) * (z); Find(sizeof (byte) * (2)) = x;",
    "rows->ElementAt(index) = value; a.b->C(d)->E<F>(g) = 1;",
    "int length = (int)*((ushort*)&text) + 2; x = (byte)*(p + 1);",
    "Unsafe.As<byte, ulong>(ref span[0]) = answer;",
    "Find(x).At(i) += 2;",
    "if (a) Item(b) = c;",
    "added = v => *(int*)v.Memory() = i++;",
    "compare = (in int a, in int b) => a == b;",
    "if (!async) { F(async, 1); x = a && async; }",
    "required = new List<int>(); required.Add(1); required |= 2;",
    "partial = null; F(partial);",
    "while (await.MoveNext()) { }",
    "var with = F(); G(with);",
    "nint = 1; x = nuint + 1;",
    "var q = from _ in Range(0, n) select x;",
    'var s = $"";',
    'var s = $"[{n}]{{{Join(", ", e)}}}";',
    'var s = $@"{a}""";',
    'var s = @$"""{a}{{""}}{F("")}""";',
    'var s = $@"";',
    "F((out int a, out T.U<V> b) => { a = 1; });",
    "*(int*)/* why */(p + 0) = * // here\n (int*)(q + 0);",
    "*p /* why */ ++ = 1; * /* why */ (p + 1) = 2;",
    "GetValueRef<T>( /* none */ ) = value;",
    'F(/* why */ "//") = 1; F($"{G("//")}") = 2;',
    "partial(); required a = b; if (c) async(); else await();",
    "foreach (var and in a) { } switch (b) { case T or: break; }",
    "int\u2003a = 1;",
    "int\u202fa = 1;",
]


@pytest.mark.parametrize("statements", VALID)
def test_valid_statements_are_whole(statements: str) -> None:
    assert broken(in_method(statements)) == 0


@pytest.mark.parametrize(
    "text",
    [
        "public ref partial struct A { }",
        "class A { unsafe ~A() { } }",
        "[@assembly: A] class B { }",
        "class A { [other: B] int a; unsafe delegate*<in int, out A, int> b; }",
        "class A { [field] int a; public partial b { get; } }",
        "enum E { A } // why\n ;",
    ],
)
def test_valid_declarations_are_whole(text: str) -> None:
    assert broken(text) == 0


@pytest.mark.parametrize(
    "statements",
    [
        "x = *(int*);",
        "*(p + ) = 2;",
        "GetValueRef(a +) = value;",
        "int F() = 3;",
        "x = async y z;",
        'var s = $"{a b}";',
        "if (x) = 5;",
        "x = (in int a, in) => a;",
        "F(out int a b) = 1;",
    ],
)
def test_what_is_broken_stays_broken(statements: str) -> None:
    assert broken(in_method(statements)) > 0


@pytest.mark.parametrize("statements", VALID)
def test_cures_keep_every_byte_in_its_place(statements: str) -> None:
    text = in_method(statements).encode()
    cured = cure(text)
    assert len(cured) == len(text)
    assert [i for i, b in enumerate(cured) if b == 10] == [i for i, b in enumerate(text) if b == 10]


def test_a_text_without_gaps_is_returned_as_it_is() -> None:
    text = in_method('int a = b * (c + d); F(ref a); var s = $"{a}"; c = async () => await x;')
    assert cure(text.encode()) == text.encode()
