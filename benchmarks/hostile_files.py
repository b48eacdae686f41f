"""Files made to be slow: each family is one idea, at any size, always the same.

Every file declares ``MARK`` once, so that a request can name a place in it, where the idea allows.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from benchmarks.generated_csharp import csharp_of_bytes
from snippet_engine.csharp.document import MAX_CONDITIONS

MARK = "int MARK = 0;"
"""What edits of these files replace."""

_SEED = 7
_TOKENS = re.split(
    " ",
    "class int void x y Foo ( ) { } [ ] < > ; , . = == => + - * / & | ? : ?? ! 1 2.5f \"s\" 'c' "
    "if else for while return new ref out in async await switch case yield using static public",
)


def files(size: int) -> dict[str, Callable[[], str]]:
    """Makers of the text of each family, of about ``size`` bytes."""
    return {name: _made(maker, size) for name, maker in _FAMILIES.items()}


def _made(maker: Callable[[int], str], size: int) -> Callable[[], str]:
    return lambda: maker(size)


def members(piece: str) -> Callable[[int], str]:
    """A class of ``piece`` again and again; ``{n}`` in it is the number."""

    def make(size: int) -> str:
        head, tail = f"class C {{\n{MARK}\n", "\n}\n"
        if "{n}" not in piece:
            return head + piece * (size // len(piece.encode())) + tail
        count = size // (len(piece.encode()) + 3)
        return head + "".join(piece.replace("{n}", str(n)) for n in range(count)) + tail

    return make


def statements(piece: str, head: str = "", tail: str = "") -> Callable[[int], str]:
    """A method with ``piece`` again and again between ``head`` and ``tail``."""

    def make(size: int) -> str:
        body = head + piece * (size // len(piece.encode())) + tail
        return f"class C {{\nvoid M() {{\n{MARK}\n{body}\n}}\n}}\n"

    return make


def bare(piece: str, head: str = "") -> Callable[[int], str]:
    """A small class, and behind it ``piece`` again and again."""
    return lambda size: f"class C {{ {MARK} }}\n{head}" + piece * (size // len(piece.encode()))


def nested(opening: str, closing: str, *, most: int = 10_000_000) -> Callable[[int], str]:
    """A method with ``opening`` again and again, and as many of ``closing``."""

    def make(size: int) -> str:
        count = min(most, size // len(opening + closing))
        return f"class C {{ void M() {{ {MARK} {opening * count} {closing * count} }} }}\n"

    return make


def _random_tokens(size: int) -> str:
    rng = Random(_SEED)
    words = rng.choices(_TOKENS, k=size // 4)
    lines = [" ".join(words[at : at + 12]) for at in range(0, len(words), 12)]
    return f"class C {{\n{MARK}\n" + "\n".join(lines)[:size] + "\n}\n"


def _random_text(size: int) -> str:
    rng = Random(_SEED)
    return f"class C {{ {MARK} }}\n" + "".join(map(chr, rng.choices(range(1, 127), k=size)))


def _real_code(size: int) -> str:
    text = csharp_of_bytes(size)
    at = text.index("        private const int Section0")
    return f"{text[:at]}        {MARK}\n{text[at:]}"


def _conditions(size: int) -> str:
    piece = "#if S{n} && !T{n}\nint a{n};\n#else\nint b{n};\n#endif\n"
    return members(piece)(size)


def _one_chain(size: int) -> str:
    lines = "".join(f"#elif S{n}\nint a{n};\n" for n in range(size // 22))
    return f"class C {{\n{MARK}\n#if A\n{lines}#endif\n}}\n"


def _nested_conditions(size: int) -> str:
    count = size // 24
    opening = "".join(f"#if S{n % 60}\nint a;\n" for n in range(count))
    return f"class C {{\n{MARK}\n{opening}" + "#endif\n" * count + "}\n"


def _deep_conditions(size: int) -> str:
    """As many conditions in one another as are read; under one symbol set, no line is compiled."""
    count = MAX_CONDITIONS - 1
    lines = "int a;\n" * ((size - 13 * count) // 7)
    opening, closing = "#if A\n" * count, "#endif\n" * count
    return f"class C {{\n{MARK}\n{opening}{lines}{closing}}}\n"


def _one_long_string(size: int) -> str:
    return f'class C {{\n{MARK}\nstring s = "{"a" * size}";\n}}\n'


def _lines_of_context(size: int) -> str:
    """The same eighty lines again and again: only long contexts tell the places apart."""
    block = "".join(f"    int value{n} = {n};\n" for n in range(80))
    return f"class C\n{{\n{MARK}\n" + block * (size // len(block)) + "}\n"


_FAMILIES: dict[str, Callable[[int], str]] = {
    "real code": _real_code,
    "fields": members("int a{n};\n"),
    "fields, one name": members("int a;\n"),
    "methods": members("void M{n}(int a) { if (a > {n}) Go(a); }\n"),
    "types": members("class T{n} { }\n"),
    "enum members": lambda size: (
        f"class C {{ {MARK} }}\nenum E {{\n" + "a,\n" * (size // 3) + "}\n"
    ),
    "usings": lambda size: "using A.B;\n" * (size // 11) + f"class C {{ {MARK} }}\n",
    "attributes": members("[A]"),
    "modifiers": members("public "),
    "array of strings": statements('"some text",\n', "var a = new[] {\n", "};"),
    "array of numbers": statements("1234567, ", "var a = new[] {\n", "};"),
    "sum": statements("1 + ", "a = ", "1;"),
    "sum of strings": statements('"abc" +\n', "a = ", '"";'),
    "calls in a row": statements(".Do(1)", "a = b", ";"),
    "comparisons": statements("a < b > (c), ", "F(", "d);"),
    "casts": statements("(A)", "a = ", "b;"),
    "statements": statements("Go(a, b);\n"),
    "switch": statements("case 1: break;\n", "switch (a) {\n", "}"),
    "else if": statements("if (a) { } else\n", "", "{ }"),
    "unbraced ifs": statements("if (a)\n", "", "Go();"),
    "lambdas": nested("F(() => ", ")"),
    "blocks in blocks": nested("{", "}"),
    "parentheses": nested("(", ")"),
    "generics in generics": nested("a<", ">"),
    "patterns in patterns": nested("x is [", "]"),
    "signs of one operand": statements("- ", "a = ", "b;"),
    "labels": statements("a:\n", "", ";"),
    "classes in classes": nested("class C { ", "}"),
    "statement junk": statements("int = ;\n"),
    "statement junk, casts": statements("x = (A)b<C>(ref d) foo\n"),
    "junk of members": members("int = ;\n"),
    "random tokens": _random_tokens,
    "random text": _random_text,
    "open quotes": members('string s = "abc;\n'),
    "open characters": members("char c = 'abc;\n"),
    "open verbatim": bare('x = 1; @"', '@"'),
    "open holes": members('string s = $"{a;\n'),
    "holes in holes": members('s = $"{$"{$"{a}"}"}";\n'),
    "raw strings": members('s = """a{b}""";\n'),
    "rows of quotes": lambda size: (
        f"class C {{\n{MARK}\n"
        + "".join(f"s = {'q' * (3 + n % 200)}a{'q' * (3 + n % 200)};\n" for n in range(size // 212))
        + "}\n"
    ).replace("q", '"'),
    "one long string": _one_long_string,
    "lone quotes": bare('"\n'),
    "escapes": members('s = "\\u0041\\x41\\n\\q";\n'),
    "open comments": bare("/* a "),
    "one long comment": lambda size: f"class C {{ {MARK} }}\n// " + "ab " * (size // 3),
    "comments": members("// ab\n"),
    "documentation": members("/// <summary>a</summary>\n"),
    "open braces": bare("{"),
    "open braces, lines": bare("{\n"),
    "open brackets": bare("(["),
    "closing braces": bare("}"),
    "closing mix": bare("{(])}"),
    "NULs": bare("\0"),
    "backslashes": bare("\\"),
    "signs": bare("# $ @ ` "),
    "stars": statements("*a(b) = c;\n"),
    "non-ASCII": bare("\u00e9"),
    "non-ASCII names": members("int \u00e4\u00f6\u00fc = \u00e9;\n"),
    "emoji": bare("\U0001f600"),
    "text of East Asia": members("// \u3053\u306e\n"),
    "rare line ends": members("int a;\u2028"),
    "CR": members("int a;\r"),
    "CR and CR LF": members("int a;\r\r\n"),
    "line continuations": members("\\\n"),
    "blanks": bare(" "),
    "blank lines": bare("\n"),
    "one letter": bare("a"),
    "conditions": _conditions,
    "conditions in conditions": _nested_conditions,
    "chain of conditions": _one_chain,
    "deep conditions": _deep_conditions,
    "conditions of many symbols": lambda size: (
        f"class C {{\n{MARK}\n"
        + "".join(
            f"#if {' && '.join(f'A{n}_{k}' for k in range(90))}\n#endif\n"
            for n in range(size // 900)
        )
        + "}\n"
    ),
    "directives, no sense": members("#nonsense\n"),
    "definitions": lambda size: (
        "".join(f"#define A{n}\n" for n in range(size // 15)) + f"class C {{ {MARK} }}\n"
    ),
    "regions": members("#region a\n"),
    "long contexts": _lines_of_context,
    "JSON": bare('{"key": ["value", 1, null]},\n'),
    "HTML": bare('<div class="a">text &amp; text</div>\n'),
}
