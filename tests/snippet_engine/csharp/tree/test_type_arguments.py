"""What C# reads as type arguments wherever it stands, and what it doesn't."""

import pytest

from snippet_engine.csharp.tree.syntax_tree import blanked
from snippet_engine.csharp.tree.type_arguments import type_arguments


def found(text: str) -> list[str]:
    data = text.encode()
    return [data[start:end].decode() for start, end in type_arguments(data, 0, len(data))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(A)b.C<D>(ref e)", ["<D>"]),
        ("F(a < b, c > (d))", ["< b, c >"]),
        ("new A<B<C, D[]>, (int a, E<F> b)?>()", ["<B<C, D[]>, (int a, E<F> b)?>"]),
        ("a as List<int?[,]>;", ["<int?[,]>"]),
        ("x = F<T>.G && H<global::A.B>[0]", ["<T>", "<global::A.B>"]),
        ("é<è>(1)", ["<è>"]),
        ("F(a < b, c > d)", []),
        ("a < b && c > (d)", []),
        ("a < 1 > (b)", []),
        ("F<return>(a)", []),
        ("F<a b>(c)", []),
        ("F<a,>(c)", []),
        ("F<a>>(c)", []),
        ("new object<T>(a)", []),
        ("a < (b", []),
        ("a <", []),
    ],
)
def test_the_next_token_decides(text: str, expected: list[str]) -> None:
    assert found(text) == expected


def test_every_byte_and_line_stays_in_its_place() -> None:
    text = b"x = F<A,\n  B>(c);"
    assert blanked(text, type_arguments(text, 0, len(text))) == b"x = F   \n    (c);"


def test_only_the_range_asked_for_is_looked_at() -> None:
    text = b"F<A>(b); G<C>(d);"
    assert type_arguments(text, 8, len(text)) == [(10, 13)]
