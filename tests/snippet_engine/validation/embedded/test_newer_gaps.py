"""Newer C# that the grammar can't read: taken from its version on, refused before and where broken.

Roslyn 5.9 gave each verdict.
"""

from __future__ import annotations

import pytest
from validating import new_errors, source_of, verdict_on

from snippet_engine.csharp.document import Document
from snippet_engine.csharp.lexical.language_version import LanguageVersion
from snippet_engine.validation.embedded.embedded_validator import EmbeddedValidator

_BODY = "unsafe class C\n{{\n    void M()\n    {{\n        {}\n    }}\n}}\n"

TAKEN = [
    (11, _BODY.format("if (items is [var h, .. var t]) a = h;")),
    (11, _BODY.format("if (items is [1, .. { Length: > 2 } rest, _]) a = 1;")),
    (11, _BODY.format("if (items is [_, .. [1, 2]]) a = 1;")),
    (11, _BODY.format("if (items is [.., 3]) a = 1;")),
    (11, _BODY.format("bool q = obj is Host[] and [.., { count: 1 } last];")),
    (11, _BODY.format("var q = items switch { [..] all => 2, _ => 3 };")),
    (
        11,
        "class N { public static N operator checked -(N a) => a; "
        "public static N operator -(N a) => a; }\n",
    ),
    (12, _BODY.format("var type = 1; int[] q = [type, x];")),
    (12, _BODY.format("int[] q = [x, type, ..items[..2], ..items];")),
    (12, "unsafe struct N { public delegate*<ref readonly int, void> F; }\n"),
    (12, "unsafe struct N { delegate*<int, ref readonly int, ref readonly int> F; }\n"),
    (12, "ref struct N(ref int v) { public ref int F = ref v; }\n"),
    (13, "class N<T> where T : allows ref struct { }\n"),
    (13, "class N<T, U> where T : new(), allows ref struct where U : struct { }\n"),
    (14, _BODY.format("next?.count = 4;")),
    (14, _BODY.format("next?.next?.count += next?.count ?? 3;")),
    (14, _BODY.format("items?[0] = 4;")),
    (14, _BODY.format("TryParse p = (text, out result) => int.TryParse(text, out result);")),
    (14, _BODY.format("In p = (scoped in r) => { }; Ref q = (ref r) => r++;")),
    (14, "class N { public void operator +=(int q) { } }\n"),
    (
        14,
        "class N { int v; public void operator checked -=(N q) => v -= q.v; "
        "public void operator -=(N q) => v -= q.v; public static N operator -(N q) => q; "
        "public void operator ++() { } }\n",
    ),
    (14, "static class N { extension(string s) { public int Len => s.Length; } }\n"),
    (
        14,
        "static class N { extension(string) { public static int Zero => 0; } extension<T>(List<T> "
        "l) where T : class { public T First() => l[0]; public void M() { } } }\n",
    ),
]
"""The version of C# from which it is right, and a text."""

BROKEN = [
    _BODY.format(each)
    for each in (
        "next?.count = ;",
        "next?. = 4;",
        "if (items is [var h, .. var t) a = h;",
        "if (items is [var h .. var t]) a = h;",
        "var q = items switch { [..] all other => 2, _ => 3 };",
        "var q = items switch { [..] all 2, _ => 3 };",
        "int[] q = [type x];",
        "TryParse p = (text, out) => true;",
        "TryParse p = (text out result) => true;",
        "Ref p = (ref ref r) => { };",
        "bool q = obj is Host[] and [.., { count: 1 last];",
        "next?.count = 4 5;",
    )
] + [
    "class N<T> where T : allows ref { }\n",
    "class N<T> where T : allows ref struct, class { }\n",
    "class N { public void operator +=(int q { } }\n",
    "class N { public void operator += { } }\n",
    "class N { public void operator =(int q) { } }\n",
    "static class N { extension(string s) { public int Len => } }\n",
    "static class N { extension { public int Len => 1; } }\n",
    "static class N { extension(string s) public int Len => 1; }\n",
    "static class N { extension(string s, int b) { public int Len => 1; } }\n",
    "unsafe struct N { public delegate*<ref readonly, void> F; }\n",
]
"""Wrong in whatever version."""


@pytest.mark.parametrize(("since", "text"), TAKEN)
def test_it_is_taken_from_its_version_on(since: int, text: str) -> None:
    for version in (LanguageVersion(since), LanguageVersion.newest()):
        validator = EmbeddedValidator(lambda _, version=version: version)
        assert not new_errors("", text, version)
        assert not validator.diagnose("Assets/C.cs", Document(source_of(text))).diagnostics
    for version in (LanguageVersion(since - 1), LanguageVersion(9)):
        assert new_errors("", text, version)


@pytest.mark.parametrize("text", BROKEN)
def test_what_is_broken_is_refused(text: str) -> None:
    for version in (9, 11, 14):
        assert new_errors("", text, LanguageVersion(version))


def test_edits_beside_it_are_judged() -> None:
    text = _BODY.format("next?.count = 4;\n        Go();")
    for after, count in (("Go(1);", 0), ("Go(1)", 1)):
        told = verdict_on(text, text.replace("Go();", after), LanguageVersion(14))
        assert len(told.diagnostics) == count
        assert told.coverage == ("brackets", "syntax")
