"""Statements composed at random from the forms of C#, far from what anybody writes.

They look for readings of one form beside another that the two judges do not share: a cast before
a generic call, a comparison among arguments, a creation behind an operator.
"""

from __future__ import annotations

from random import Random

from benchmarks.agreement.generators import STATEMENT_LINE, Generator
from benchmarks.agreement.tokens import Tokens
from snippet_engine.edits import TextEdit

_SIMPLE = (
    *("NAME", "NAME", "a.b", "a[0]", "F()", "1", "0.5f", '"s"', "'c'", "null", "this.a", "A.B.C"),
    *("(a)", "-a", "!a", "~a", "a++", "a!.b", "a?.b", "a?.F()", "a?[0]", "a.b[c].F(d)"),
    *("F<A>()", "a.F<A>()", "a.F<A, B>(c, d)", "F<A>(ref b, out c)", "A<B>.C", "A<B>.C<D>()"),
    *("new A()", "new A<B>(c)", "new A<B>(c) { D = 1 }", "new A<B<C>, D[]>()", "new A[] { b }"),
    *("new[] { a, b }", "new { a, B = 1 }", "new A<(B, C)>()", "new A[b]", "new List<int> { 1 }"),
    *("(A)a", "(A.B)a", "(int)a", "(A<B>)a", "(A[])a", "(A?)a", "(float)-a", "(int)(a)", "(a)(b)"),
    *("(A)B<C>(ref d)", "(int)a.B<C, D>(out var e)", "typeof(A<B>)", "nameof(a.b)", "default(A)"),
    *("(a is B)", "(a is B b)", "(a is B<C> d)", "(a as B)", "(a as B<C>)", "(a, b)", "(a < b)"),
    *("x => NAME", "(x, y) => x < y", "() => { }", "x => { F(x); }", "async () => await a"),
    *("(a ? b : c)", "(a && b)", '$"{NAME}"', '$"{a < b}"', '$"{(a ? b : c):0.0}"', "checked(a)"),
    *("a is B && b", "a is B<C> && b", "a as B<C> ?? b", "a < b && c > d", "a < b || c >= d"),
)
_OPERATORS = (
    *("<", ">", "<=", ">=", "==", "!=", "&&", "||", "??"),
    *("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"),
)
_AROUND = (
    *("F(E, E)", "a.F<A>(E)", "new A<B>(E)", "a[E]", "!E", "-E", "(E)", "E ? E : E", "x => E"),
    *("new[] { E, E }", "new A { B = E, C = E }", "(E).b", "(A)(E)"),
)
_STATEMENTS = (
    *("F(E, E);", "var x = E;", "x = E;", "return E;", "x += E;", "x[E] = E;", "x = (E, E);"),
    *("if (E) { }", "while (E) { }", "for (; E; F(E)) { }", "foreach (var x in E) { }"),
    *(
        "F(b: E, c: E);",
        "F(x => E, E);",
        "x = new A(E, E) { B = E };",
        "F<A>(E);",
        "T x = E, y = E;",
    ),
    *("using (E) { }", "switch (E) { }", "throw E;", 'x = $"{(E)}";', "x = E ? E : E;"),
)
_MOST_DEEP = 2


def statement_composed(tokens: Tokens, rng: Random) -> TextEdit | None:
    """Insert a statement of a few nested expressions below another one."""
    line = tokens.line(rng, STATEMENT_LINE)
    if line is None:
        return None
    statement = _filled(rng.choice(_STATEMENTS), rng, 0).replace("NAME", tokens.name(rng))
    return TextEdit(line[1], line[1], f"\n{tokens.indentation(line[0])}{statement}")


def _filled(form: str, rng: Random, depth: int) -> str:
    """Return ``form`` with an expression for each ``E``; no form has one within a word."""
    first, *rest = form.split("E")
    return first + "".join(_expression(rng, depth) + piece for piece in rest)


def _expression(rng: Random, depth: int) -> str:
    chance = rng.random()
    if chance < 0.5 or depth == _MOST_DEEP:
        return rng.choice(_SIMPLE)
    if chance < 0.8:
        left, right = _expression(rng, depth + 1), _expression(rng, depth + 1)
        return f"{left} {rng.choice(_OPERATORS)} {right}"
    return _filled(rng.choice(_AROUND), rng, depth + 1)


COMPOSED: dict[str, Generator] = {"statement composed": statement_composed}
"""Changes by kind."""
