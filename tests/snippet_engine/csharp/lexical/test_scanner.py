"""Scanning whole texts: what is fine, what is wrong, and where."""

from __future__ import annotations

import re

import pytest

from snippet_engine.csharp.lexical.scanner import scan

NO_SYMBOLS: frozenset[str] = frozenset()


def found(text: str, *symbols: str) -> list[tuple[str, int]]:
    """The errors in ``text``: ids and view offsets."""
    return [(problem.id, offset) for offset, problem in scan(text, frozenset(symbols)).errors()]


def ids(text: str, *symbols: str) -> list[str]:
    return [id_ for id_, _ in found(text, *symbols)]


FINE = [
    "",
    "\n",
    "class A { }",
    r"char c = '\\'; char d = '\''; char e = '\u0041'; char f = '\x1F';",
    "char g = 'é'; char h = '{'; char i = '\"';",
    r'string s = "C:\\"; string t = "a\"b"; string u = "\u00e9\U0001F600\x4";',
    r'var s = @"C:\";',
    'var s = @"a ""quoted"" {";',
    'var s = @"two\nlines { (";',
    'var s = "";',
    'var s = "" + "";',
    'var s = $"";',
    'var s = $"a{b}c";',
    'var s = $"{{ {b} }}";',
    'var s = $"{{{b}}}";',
    'var s = $"{x:0.00} {y,-10:N2} {z:yyyy-MM-dd HH:mm}";',
    'var s = $"{(a ? "b" : "c")}";',
    'var s = $"{a["k"]} {F(x => { return "}"; })}";',
    'var s = $"{$"{$"{a}"}"}";',
    'var s = $@"C:\\{a}\\ ""{b}""";',
    'var s = @$"two\n{a}\nlines";',
    'var s = $"{a /* } */ + b}";',
    "var s = $\"{'\"'}{'}'}\";",
    'var s = $@"{a:""x""}";',
    'var s = $"{\n  a\n}";',
    'var s = """a "quoted" { """;',
    'var s = """"three """ quotes"""";',
    'var s = """\n    two\n      lines "" {\n    """;',
    'var s = """\n\n    after a blank\n    """;',
    'var s = $"""a {b} c""";',
    'var s = $$"""{ {{a}} }""";',
    'var s = $$"""{{{a}}}""";',
    'var s = $$"""\n  { "x": {{a + "}"}} }\n  """;',
    'var s = "a"u8;',
    "int @class = @if; // it's a comment with ( and \"",
    '/* ( { [ " */ int a; /**/ int b; /***/',
    "/* over\n { \n lines */",
    "int a = b / c / d;",
    "#region don't\n#endregion (\n",
    "#if A\nclass A {\n#else\nclass B {\n#endif\n}",
    '#if false\n it\'s "not" /* C# { at all\n#endif',
    "#if A\n#foo\n#endif".replace("#foo", "#pragma foo"),
    "  #  if A // why\n  #  endif // why\n",
    '#pragma warning disable 1\n#nullable enable\n#line 7 "a.cs"\n#line hidden',
    'var s = @"\n#if A\n";',
    "/*\n#if A\n*/",
    'class Größe { int 変数; string s = "日本"; }',
    "int\u00a0a\u2003=\u30001;\ufeff",
    "int \\u0041b = 1;",
    "a\u0301b();",
    "// a comment ended by a line separator\u2028int a = (1);",
    "#if A\u2028class A {\u2028#else\u2028class A {\u2028#endif\u2028}",
    "class A { }\x1a",
    "#define A\n// c\n/* d */\n#undef B\nusing System;",
]


@pytest.mark.parametrize("text", FINE)
def test_what_is_fine(text: str) -> None:
    assert found(text) == []
    assert found(text, "A") == []


WRONG = [
    ("class A {", ["CS1513"]),
    ("class A { } }", ["CS1022"]),
    ("F(1;\n}", ["CS1022", "CS1026"]),
    ("class A { F(1; }", ["CS1026"]),
    ("a[1;", ["CS1003"]),
    ("class A { F([1); }", ["CS1003"]),
    ("F(1));", ["CS1022"]),
    ("F(() => { a(); );", ["CS1022", "CS1513", "CS1026"]),
    ("/* open", ["CS1035"]),
    ('s = "open\n;', ["CS1010"]),
    ('s = "open\\\n;', ["CS1010"]),
    ('s = @"open', ["CS1039"]),
    ('s = $"open\n;', ["CS1010"]),
    ('s = $@"open {a}', ["CS1039"]),
    ('s = $"{a', ["CS8076", "CS1010"]),
    ('s = $"{a:0', ["CS8076"]),
    ('s = $"{a:0"', ["CS8076"]),
    ('s = $"}";', ["CS8086"]),
    ('s = $"{F(a}";', ["CS1026"]),
    ('s = $"\\{";', ["CS1009"]),
    ('s = $"{a:{}}";', ["CS1056", "CS8086"]),
    ("c = '';", ["CS1011"]),
    ("c = 'ab';", ["CS1012"]),
    ("c = '\U0001f600';", ["CS1012"]),
    ("c = 'a\n;", ["CS1010"]),
    (r'"\q"', ["CS1009"]),
    (r'"\u00G1"', ["CS1009"]),
    (r"'\U00110000'", ["CS1009", "CS1012"]),
    ('s = """open', ["CS8997"]),
    ('s = """\n  open', ["CS8997"]),
    ('s = """\n  """;', ["CS9002"]),
    ('s = """\n a\n  """;', ["CS8999"]),
    ('s = """\n  a """;', ["CS9000"]),
    ('s = """a"""";', ["CS8998"]),
    ('s = $"""{{a}}""";', ["CS9006", "CS9007"]),
    ('s = $$"""{{a}""";', ["CS8076"]),
    ("int a ` b;", ["CS1056"]),
    ("int a\\ b;", ["CS1056"]),
    ("int a\0b;", ["CS1056"]),
    ("int @ a;", ["CS1056"]),
    ("int $ a;", ["CS1056"]),
    ("s = “a”;", ["CS1056", "CS1056"]),
    ("int \u200ba;", ["CS1056"]),
    ("int a²;", ["CS1056"]),
    ("int a; #if A", ["CS1040"]),
    ("/* c */ #if A", ["CS1040"]),
    ("#if A", ["CS1027"]),
    ("#if A\n#region r", ["CS1027", "CS1038"]),
    ("#endif", ["CS1028"]),
    ("#foo", ["CS1024"]),
    ("#if false\n#foo\n#endif", ["CS1024"]),
    ("class A { }\n#define B", ["CS1032"]),
    ("#error no", ["CS1029"]),
]


@pytest.mark.parametrize(("text", "expected"), WRONG)
def test_what_is_wrong(text: str, expected: list[str]) -> None:
    assert sorted(ids(text)) == sorted(expected)


def test_nothing_in_an_inactive_branch_is_read_but_directives() -> None:
    text = "#if A\n \" /* ' {\n#error no\n#endif\nclass A { }"
    assert ids(text) == []
    assert ids(text, "A") != []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("class A {\n  void F() {\n}", [("CS1513", 24)]),
        ("class A { int a; } }", [("CS1022", 19)]),
        ("F(1;\n} ", [("CS1022", 5), ("CS1026", 7)]),
        ('a;\ns = "open\n;', [("CS1010", 7)]),
        ("a;\n#foo", [("CS1024", 4)]),
        ("a;\u2028  ` ", [("CS1056", 5)]),
    ],
)
def test_where_errors_are(text: str, expected: list[tuple[str, int]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "opener"),
    [
        ("class A { F(1; }", "("),
        ("class A { void F() { } ", "{"),
        ("a /* b", "/*"),
        ('a @"b', '@"'),
        ('a $@"b', '$@"'),
        ('a """b', '"""'),
    ],
)
def test_what_is_not_closed_is_found_again(text: str, opener: str) -> None:
    ((_, problem),) = scan(text, NO_SYMBOLS).errors()
    assert problem.opener == text.index(opener)


def test_an_open_format_is_that_of_its_hole() -> None:
    text = 's = $"{new A { b = 1 }:0";'
    ((_, problem),) = scan(text, NO_SYMBOLS).errors()
    assert problem.id == "CS8076"
    assert problem.opener == text.index("{")


@pytest.mark.parametrize(
    "text",
    [
        "«{\n if (a) «{\n  b();\n  c(x => { d(); });\n",
        "«{\n if (a) {\n  b();\n } else «{\n  c();\n",
        "«{\n if (a) {\n  b();\n } else if (c) { d(); } else «{\n",
        "«{\n F«(a, x => {\n  b();\n }, «(\n",
        "{ if (a) { b(); }\n} «{\n {\n }\n {\n } {\n }\n «{\n",
    ],
)
def test_the_last_that_was_opened_is_told(text: str) -> None:
    openers = [match.start() - number for number, match in enumerate(re.finditer("«", text))]
    problems = [problem for _, problem in scan(text.replace("«", ""), NO_SYMBOLS).errors()]
    assert [each.opener for each in problems if each.opener is not None] == openers[::-1]


def test_braces_of_both_branches_count() -> None:
    text = "#if A\nclass A {\n#else\nclass B : A {\n#endif\nvoid F() { }\n}"
    assert found(text) == found(text, "A") == []
    broken = text.replace("class B : A {", "class B : A ")
    assert ids(broken) == ["CS1022"]
    assert ids(broken, "A") == []


def test_a_stray_closer_does_not_spoil_what_follows() -> None:
    assert ids("class A { void F() { G(1)); H(2); } }") == ["CS1022"]


def test_deep_nesting_is_counted_exactly() -> None:
    depth = 20_000
    assert found("(" * depth + ")" * depth) == []
    assert len(found("{" * depth + "}" * (depth - 1))) == 1


@pytest.mark.parametrize(
    ("text", "culprit"),
    [
        ("class A\n{\n  void F()\n  {\n    if (a)\n    «{\n      b();\n  }\n}\n", "CS1513"),
        ("class A {\n  void F() «{\n    b();\n  int c;\n}\n", "CS1513"),
        ("class A\n{\n  void F()\n  {\n    b();\n    «}\n  }\n  int c;\n}\n", "CS1022"),
    ],
)
def test_indentation_shows_the_culprit(text: str, culprit: str) -> None:
    ((_, problem),) = scan(text.replace("«", ""), NO_SYMBOLS).errors()
    assert (problem.id, problem.suspect) == (culprit, text.index("«"))
