"""Which branches some symbol set compiles."""

from __future__ import annotations

import pytest
from planning import document_of

from snippet_engine.csharp.lexical.symbol_sets import UNITY_EDITOR_SYMBOLS


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "#if A\nx\n#endif",
        "#if A\n#elif B\nx\n#endif",
        "#if A\n#elif B\n#elif C && !D\nx\n#endif",
        "#if A && !B\n#else\nx\n#endif",
        "#if UNITY_EDITOR\n#if !UNITY_EDITOR || A\nx\n#endif\n#endif",
        "#if A == B\n#elif A\n#if !B\nx\n#endif\n#endif",
        "#if UNITY_IOS\n#elif UNITY_ANDROID\n#elif UNITY_WEBGL\nx\n#endif",
        "#define A\n#if A && B\nx\n#endif",
        "#if A\n#undef B\n#endif\n#if B\nx\n#endif",
        "#region r\n#if A\n#region s\nx\n#endregion\n#endif\n#endregion",
    ],
)
def test_reachable(text: str) -> None:
    document = document_of(text)
    at = document.source.view.index("x")
    assert not document.is_inactive(at, at + 1)
    symbols = document.set_reaching(at, at + 1)
    assert symbols is not None
    assert all(branch.active for branch in document.under(symbols).scan.branches(at, at + 1))


@pytest.mark.parametrize(
    "text",
    [
        "#if false\nx\n#endif",
        "#if true\n#else\nx\n#endif",
        "#if A && !A\nx\n#endif",
        "#if A\n#if !A\nx\n#endif\n#endif",
        "#if A\n#elif A\nx\n#endif",
        "#if A || B\n#elif A == true\nx\n#endif",
        "#undef A\n#if A\nx\n#endif",
        "#define A\n#if A\n#else\nx\n#endif",
    ],
)
def test_unreachable(text: str) -> None:
    document = document_of(text)
    at = document.source.view.index("x")
    assert document.is_inactive(at, at + 1)


def test_the_usual_sets_come_first() -> None:
    document = document_of("#if UNITY_EDITOR\nx\n#else\ny\n#endif")
    at = document.source.view.index("x")
    assert document.set_reaching(at, at + 1) == UNITY_EDITOR_SYMBOLS
    assert document.set_reaching(at + 8, at + 9) == document.symbol_sets[1]


def test_many_symbols_are_searched_within_bounds() -> None:
    names = [f"S{number}" for number in range(200)]
    document = document_of(f"#if {' != '.join(names[:2])}\n#elif {' && '.join(names)}\nx\n#endif")
    at = document.source.view.index("x")
    assert not document.is_inactive(at, at + 1)  # the opposite set has them all
    never = document_of("#if " + " && ".join(f"({a} != {a})" for a in names) + "\nx\n#endif")
    assert never.is_inactive(never.source.view.index("x"), never.source.view.index("x") + 1)
