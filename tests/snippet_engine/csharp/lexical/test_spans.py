"""What a span is: code, comment, or the text of a literal."""

from __future__ import annotations

import pytest
from planning import document_of

from snippet_engine.csharp.document import SpanKind

CODE, COMMENT, STRING = SpanKind.CODE, SpanKind.COMMENT, SpanKind.STRING


def kind(text: str) -> SpanKind:
    """What the text between « and » is; with nothing between, what would be put there."""
    start = text.index("«")
    end = text.index("»") - 1
    return document_of(text.replace("«", "").replace("»", "")).span_kind(start, end)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int «a»; // b", CODE),
        ("int a; «// b»", COMMENT),
        ("int a; // «b» c", COMMENT),
        ("int a; // b«»", COMMENT),
        ("int a; «»// b", CODE),
        ("int «a; // b»", CODE),
        ("int a; // b«\n»", CODE),
        ("«// a\n// b»\nint c;", COMMENT),
        ("  // «a\n\n  /// b»\nint c;", COMMENT),
        ("  // «a\n  int b; // c»\n", CODE),
        ("«/* a */ /* b */»", CODE),
        ("/* «a\n b» */", COMMENT),
        ("«/* a\n b */» c", COMMENT),
        ("/* a */«» b", CODE),
        ("/* a«» */ b", COMMENT),
        ("/* a\n«»\n */ b", COMMENT),
        ('s = "«a»";', STRING),
        ('s = «"a"»;', CODE),
        ('s = "«»";', STRING),
        ('s = "a"«»;', CODE),
        ('s = "«//» a";', STRING),
        ("c = '«{»';", STRING),
        ('s = @"«a\n ""b""»";', STRING),
        ('s = $"«a»{b}c";', STRING),
        ('s = $"a{«b»}c";', CODE),
        ('s = $"«a{b}c»";', CODE),
        ('s = $"a{b:«0.0»}c";', STRING),
        ('s = $"{F("«a»")}";', STRING),
        ('s = """\n  «a\n  b»\n  """;', STRING),
        ('s = $$"""{«{»{{a}}""";', STRING),
        ("#if A\n// a\n#endif\n«b»", CODE),
        ("#if A // «why»\n#endif\n", COMMENT),
        ("#if «A» // A\n#endif // A\n", CODE),
        ("#if A\n#else // «B»\n#endif\n", COMMENT),
        ("#if A\n#elif B // «B»\n#endif\n", COMMENT),
        ("#if A\n#endif «// A»", COMMENT),
        ("#if A\n  #  endif // «A»\nint b;", COMMENT),
        ("#if A\n#endif // A«»\nint b;", COMMENT),
        ("#if A\n«#endif // A»\n", CODE),
        ("#if A\n#endif // «a\n  // b»\n", COMMENT),
        ("#define A // «why»\n", COMMENT),
        ("#pragma warning disable 1, 2 // «why»\n", COMMENT),
        ("#nullable enable // «why»\n", COMMENT),
        ("#line hidden // «why»\n", COMMENT),
        ("#if A\n#pragma warning disable 1 // «why»\n#endif\n", COMMENT),
        # The rest of these lines is a message.
        ("#region // «a»\n#endregion\n", CODE),
        ("#region a\n#endregion // «a»\n", CODE),
        ("#error // «a»\n", CODE),
        ("#warning a // «a»\n", CODE),
        # No other comment, and none in a file's name.
        ("#if A /* «b» */\n#endif\n", CODE),
        ('#line 7 "a//«b»"\n', CODE),
        ('#line 7 "a//b" // «c»\n', COMMENT),
        ('#line 7 "a\\" // «c»\n', COMMENT),
        ('#line 7 "a // «c»\n', CODE),
        ('#pragma checksum "a//«b»" "{0}" "00"\n', CODE),
        ('#pragma checksum "a" "{0}" "00" // «c»\n', COMMENT),
    ],
)
def test_kinds(text: str, expected: SpanKind) -> None:
    assert kind(text) is expected


def test_a_place_is_judged_in_the_first_set_that_compiles_it() -> None:
    assert kind("#if FOO\n// «a»\n#endif\n") is COMMENT
    assert kind("#if FOO\n#else\n// «a»\n#endif\n") is COMMENT
    assert kind("#if false\n// «a»\n#endif\n") is CODE
    assert kind('#if FOO\n/*\n#else\n"«a»"\n#endif\n') is STRING


def test_line_separators_end_comments() -> None:
    assert kind("// a\u2028«b»") is CODE


def test_letters_outside_ascii_shift_nothing() -> None:
    assert kind('変数("日本«語»"); // 日本') is STRING
    assert kind('変数("日本語"); // «日本»') is COMMENT
