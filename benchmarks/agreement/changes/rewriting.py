"""Conditions, headers, types and expressions written another way; arguments added."""

from __future__ import annotations

import re
from random import Random

from benchmarks.agreement.generators import CODE_LINE, Generator, rewritten
from benchmarks.agreement.tokens import Token, Tokens
from snippet_engine.edits import TextEdit

_STATEMENT_LINE = re.compile(
    r"[ \t]{4,}(?:var |return|this\.|[\w.]+ [-+]?= |[\w.]+\()[^\n]*;[ \t]*$"
)
_HEADER_LINE = re.compile(r"[ \t]+(?:public|private|protected|internal)\b[^\n]*\)[ \t]*$")
_CONDITION_LINE = re.compile(r"[ \t]*(?:else )?(?:if|while) \([^\n]*\)[ \t]*$")
_CLASS_LINE = re.compile(r"[ \t]*(?:[a-z]+ )*(?:class|struct|interface|enum) \w+")


def name_qualified(tokens: Tokens, rng: Random) -> TextEdit | None:
    """Give a call a receiver."""
    token = _called(tokens, rng)
    return token and TextEdit(token.start, token.start, rng.choice(("this.", "Helper.", "a.b.")))


def argument_added(tokens: Tokens, rng: Random) -> TextEdit | None:
    """Add an argument at the front of a call."""
    token = _called(tokens, rng)
    opening = token and tokens.after(token)
    following = opening and tokens.after(opening)
    if opening is None or following is None:
        return None
    argument = rng.choice(
        (
            "3",
            '"a"',
            "x => x",
            "ref value",
            "out var found",
            "name: 3",
            "new[] { 1 }",
            "(1, 2)",
            "nameof(value)",
            "default",
            '$"{a:0.0} b"',
            "async () => await x",
            "a ?? b",
            "a[^1]",
            "typeof(List<>)",
            "x is int n ? n : 0",
            "(int)a",
            "() => { }",
            "delegate { }",
            "-1",
            "'c'",
            "static (a, b) => a + b",
            "stackalloc int[3]",
            "new() { A = 1 }",
            "a[1..^2]",
            "!a",
            "(a, b) => { return a; }",
            "x switch { 1 => 2, _ => 3 }",
            '@"C:\\"',
            "checked(a + b)",
        )
    )
    comma = "" if following.text == ")" else ", "
    return TextEdit(opening.end, opening.end, argument + comma)


def _called(tokens: Tokens, rng: Random) -> Token | None:
    for _ in range(20):
        token = tokens.pick(rng, "name")
        following = token and tokens.after(token)
        before = token and tokens.before(token)
        if token is None or following is None or before is None:
            return None
        if following.text == "(" and before.text in {";", "{", "}", "=", "(", "return"}:
            return token
    return None


REWRITING: dict[str, Generator] = {
    "condition changed": rewritten(
        _CONDITION_LINE,
        (r"\((.*)\)(\s*)$", r"(!(\1))\2"),
        (r"\((.*)\)(\s*)$", r"(\1 && ready)\2"),
        (r"\((.*)\)(\s*)$", r"(\1 || count > 3)\2"),
        (r"\((.*)\)(\s*)$", r"(ready)\2"),
        (r"\((.*)\)(\s*)$", r"((\1) == true)\2"),
        (r"\((.*)\)(\s*)$", r"(x is int n)\2"),
        (r"\((.*)\)(\s*)$", r"(a < b)\2"),
        (r"\((.*)\)(\s*)$", r"(TryGet(out var v) && v is { })\2"),
    ),
    "header changed": rewritten(
        _HEADER_LINE,
        (r"\(\)", "(int added)"),
        (r"\((\w[^()]*)\)", r"(\1, int added = 3)"),
        (r"\((\w[^()]*)\)", r"(\1, params object[] rest)"),
        (r"(public|private) ", r"\1 static "),
        (r"(public|private) ", r"\1 unsafe "),
        (r"(\w+)\(", r"\1More("),
        (r"(\w+)\(", r"\1<T>("),
        (r"\bvoid\b", "async Task"),
        (r"\bvoid\b", "IEnumerator<int>"),
        (r"\bint\b", "List<int>"),
    ),
    "type changed": rewritten(
        CODE_LINE,
        (r"\bvar (\w+) =", r"int \1 ="),
        (r"\bvar (\w+) =", r"List<Dictionary<string, int[]>> \1 ="),
        (r"\b(int|float|string) (\w+) =", r"var \2 ="),
        (r"\b(int|float|string|bool) (\w+)", r"System.Object \2"),
        (r"\b(int|float|bool) (\w+)", r"\1? \2"),
        (r"\b(int|float|bool) (\w+)", r"\1[] \2"),
        (r"<(\w+)>", r"<\1, int>"),
        (r"<(\w+)>", r"<List<\1>>"),
        (r"<(\w+)>", r"<(int, \1)>"),
        (r"List<(\w+)>", r"IReadOnlyList<\1>"),
    ),
    "class line changed": rewritten(
        _CLASS_LINE,
        (r"(class|struct) (\w+)", r"partial \1 \2"),
        (r"class (\w+)", r"class \1Base"),
        (r"class (\w+)$", r"class \1 : Base, IDisposable"),
        (r"class (\w+)$", r"class \1<T> where T : struct"),
        (r"class (\w+) : (\w+)", r"class \1 : Other<int>"),
        (r"(class|struct|enum|interface) ", r"[Serializable] \1 "),
    ),
    "expression changed": rewritten(
        _STATEMENT_LINE,
        (r"= ([^;=]*);", r"= (\1);"),
        (r"= ([^;=]*);", r"= \1 ?? other;"),
        (r"= ([^;=]*);", r"= ready ? \1 : other;"),
        (r"= ([^;=]*);", r"= (object)(\1);"),
        (r"= ([^;=]*);", r"= x => \1;"),
        (r"= ([^;=]*);", r"= new Foo { Bar = \1 };"),
        (r"= ([^;=]*);", r"= new() { Bar = { 1, 2 } };"),
        (r"= ([^;=]*);", r"= $\"{other} and {1 + 2:N0}\";"),
        (r"= ([^;=]*);", r"= items.Where(x => x > 3).Select(x => new { x }).ToList();"),
        (r"= ([^;=]*);", r"= from x in items select x;"),
        (r"= ([^;=]*);", r"= default(int);"),
        (r"= ([^;=]*);", r"= items[^1];"),
        (r"= ([^;=]*);", r"= value is not null;"),
        (r"return ([^;]*);", r"return (\1);"),
        (r"return ([^;]+);", r"return await \1;"),
        (r"return ([^;]+);", r"return (\1, 3);"),
        (r"return ([^;]+);", r"return \1 switch { null => 1, _ => 2 };"),
        (r"(\w+)\.(\w+)\(", r"\1?.\2("),
        (r"(\w+)\.(\w+)\(", r"\1.First().\2("),
        (r"(\w+)\(\)", r"\1<int>()"),
        (r"(\w+)\(\)", r"\1(out _)"),
        (r"(\w+)\(\)", r"\1(() => { Go(); })"),
        (r"(\w+)\(\)", r"\1(async x => await x)"),
        (r"(\w+)\(\)", r"\1(a: 1, b: 2)"),
        (r"new (\w+)\(", r"new \1<int>("),
        (r"\$\"", '$"{a} '),
        (r'"([^"]*)"', r"nameof(Foo)"),
    ),
    "argument added": argument_added,
    "call qualified": name_qualified,
}
"""Changes by kind."""
