"""More files made to be slow: one construct of C# again and again, in a row or in one another."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.hostile_files import MARK, bare, members, nested, statements


def files(size: int) -> dict[str, Callable[[], str]]:
    """Makers of the text of each family, of about ``size`` bytes."""
    return {name: _made(maker, size) for name, maker in _FAMILIES.items()}


def _made(maker: Callable[[int], str], size: int) -> Callable[[], str]:
    return lambda: maker(size)


def _long(opening: str, piece: str, closing: str) -> Callable[[int], str]:
    """A class with one member, as long as the file."""
    length = len(piece.encode())
    return lambda size: f"class C {{\n{MARK}\n{opening}{piece * (size // length)}{closing}\n}}\n"


def _twice(before: str, piece: str, middle: str, after: str) -> Callable[[int], str]:
    """A class with one member that is ``piece`` again and again, on both sides of ``middle``."""
    return lambda size: (
        f"class C {{\n{MARK}\n{before}{middle.join([piece * (size // 2)] * 2)}{after}\n}}\n"
    )


def _growing_quotes(size: int) -> str:
    rows = ('"' * (3 + number % 200) for number in range(size // 212))
    return f"class C {{\n{MARK}\n" + "".join(f"s = {row}a{row};\n" for row in rows) + "}\n"


def _deep(opening: str, middle: str, closing: str) -> Callable[[int], str]:
    """A class with ``opening`` and ``closing`` in pairs around ``middle``."""

    def make(size: int) -> str:
        count = size // len(opening + closing)
        return f"class C {{\n{MARK}\n{opening * count}{middle}{closing * count}\n}}\n"

    return make


_FAMILIES: dict[str, Callable[[int], str]] = {
    "raw quotes": _twice("string s = ", '"', "a", ";"),
    "raw quotes, growing": _growing_quotes,
    "raw quotes, one less": members("s = " + '"' * 203 + "\n" + '"' * 202 + "\n"),
    "dollars": bare("$" * 50 + '"""{{a}}""";\n'),
    "nested interpolation": nested('$"{', '}"'),
    "nested verbatim interpolation": nested('$@"{', '}"'),
    "deep condition": _deep("#if (", "A", ")"),
    "long condition": _long("#if A", " || !B", "\nint a;\n#endif"),
    "regions closed": members("#region a\n#endregion\n"),
    "type arguments, deep": _deep("A<", "B", "> x;"),
    "type arguments, many": members("A<A<A<A<A<A<A<A<A<A<B>>>>>>>>>> x;\n"),
    "is not not": statements(" not", "var b = x is", " null;"),
    "or patterns": statements(" or 1", "var b = x is 0", ";"),
    "property patterns": nested("x is { A: ", "}"),
    "switch arms": statements("1 => 2,\n", "var b = x switch {\n", "};"),
    "switch in switch": nested("x switch { _ => ", "}"),
    "attribute lists": members("[A, B(1), C(typeof(int))]\n"),
    "long name": _long("int ", "a", ";"),
    "long names": members("int " + "a" * 10_000 + ";\n"),
    "verbatim names": members("int @class;\n"),
    "at signs": bare("@"),
    "byte order marks": bare("\ufeff"),
    "escapes of halves": members('s = "\\ud800\\udc00\\ud800";\n'),
    "escaped names": members("int \\u0041b\\u0042;\n"),
    "escapes alone": bare("\\u0041"),
    "semicolons": statements(";"),
    "pairs of braces": statements("{}"),
    "pairs of braces, members": members("{}"),
    "long documentation": _long("/// <summary>", "<a b='c'/> ", "\nint a;"),
    "documentation of members": members('/// <param name="a">b</param>\n'),
    "ternaries": statements("a ? b : ", "x = ", "c;"),
    "ternaries, nested": statements("a ? ", "x = ", "c"),
    "null coalescing": statements("a ?? ", "x = ", "c;"),
    "lambdas in a row": statements("a => ", "x = ", "c;"),
    "tuples": nested("(1, ", ")"),
    "dimensions": _long("int[", ",", "] a;"),
    "ranks": _long("int", "[]", " a;"),
    "pointers": _long("int", "*", " a;"),
    "nullables": _long("int", "?", " a;"),
    "dots": _long("", "A.", "B x;"),
    "negations": statements("!", "x = ", "c;"),
    "awaits": statements("await ", "x = ", "c;"),
    "labels in a row": statements("a:\n", "", ";"),
    "long number": _long("int a = ", "1", ";"),
    "parameters": _long("void M(", "int a, ", "int b) {}"),
    "type parameters": _long("void M<", "T, ", "U>() {}"),
    "constraints": _long("void M<T>() ", "where T : class ", "{}"),
    "base list": lambda size: f"class D {{ {MARK} }}\nclass C : " + "A, " * (size // 3) + "B { }\n",
    "namespaces": lambda size: (
        f"class D {{ {MARK} }}\n" + "namespace A { " * (size // 16) + "} " * (size // 16)
    ),
    "records": members("record R(int A, int B);\n"),
    "query": statements("from a in b select c into d ", "x = ", ";"),
    "catches": statements("catch (A) { }\n", "try { }\n"),
    "initializers": nested("new A { B = ", "}"),
    "line directives": members('#line 1 "a.cs"\n'),
    "pragmas": members("#pragma warning disable 1\n"),
    "tabs": bare("\t"),
    "form feeds": bare("\f"),
    "deletes": bare("\x7f"),
    "ends of file": bare("\x1a"),
    "next lines": members("int a;\x85"),
    "combining letters": bare("a\u0301"),
    "right to left": bare("\u202e"),
    "no-break spaces": bare("\u00a0"),
    "comments, closed": bare("/**/"),
    "slashes": bare("/"),
    "quotes": bare('"'),
    "single quotes": bare("'"),
    "characters": members("c = 'ab';\n"),
}
