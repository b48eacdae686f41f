"""Deleting a symbol takes the comma that the rest can't keep, and the blank lines beside it."""

from __future__ import annotations

import re
from itertools import combinations

import pytest
from planning import edited, on_symbol, unresolved
from unity_project import UnityProject, delete, in_class, insert

SCRIPT = """enum State
{
    Idle,
    /// <summary>On foot.</summary>
    Run = 2, // fast
    Jump
}

class Player
{
    int a = 1, b, c;
    int alone;
}
"""


@pytest.mark.parametrize(
    ("symbol_path", "gone", "left"),
    [
        ("State.Idle", "    Idle,\n", ""),
        (
            "State.Run",
            "    /// <summary>On foot.</summary>\n    Run = 2, // fast\n",
            "    // fast\n",
        ),
        ("State.Jump", "    Jump\n", ""),
        ("Player.a", "int a = 1, b, c;", "int b, c;"),
        ("Player.b", "int a = 1, b, c;", "int a = 1, c;"),
        ("Player.c", "int a = 1, b, c;", "int a = 1, b;"),
        ("Player.alone", "    int alone;\n", ""),
    ],
)
def test_deleting_a_symbol(project: UnityProject, symbol_path: str, gone: str, left: str) -> None:
    project.write(SCRIPT)
    project.done({"operation": "delete", "anchor": {"type": "symbol", "symbolPath": symbol_path}})
    assert project.read().decode() == SCRIPT.replace(gone, left)


def in_a_class(lines: str) -> str:
    """A class of the lines between the bars."""
    return in_class(*lines.split("|")) if lines else in_class()


@pytest.mark.parametrize(
    ("lines", "left"),
    [
        # Between two others: the line that parted them from it parts them from each other.
        ("int a;||void M() { }||int b;", "int a;||int b;"),
        ("int a;|||void M() { }||int b;", "int a;|||int b;"),
        ("int a;||void M() { }|||int b;", "int a;|||int b;"),
        ("int a;|void M() { }||int b;", "int a;||int b;"),
        ("int a;||void M() { }|int b;", "int a;||int b;"),
        ("int a;|void M() { }|int b;", "int a;|int b;"),
        # The first and the last: no blank line at a brace that had none.
        ("void M() { }||int b;", "int b;"),
        ("int a;||void M() { }", "int a;"),
        ("|void M() { }||int b;", "|int b;"),
        ("int a;||void M() { }|", "int a;|"),
        ("|void M() { }|", ""),
        # What belongs to the symbol goes, what stands beside it by itself stays.
        ("int a;||/// <summary>M.</summary>|[A]|void M() { }||int b;", "int a;||int b;"),
        ("int a;||// Why.|void M() { }||int b;", "int a;||// Why.||int b;"),
        ("int a;||void M() { } // why||int b;", "int a;|| // why||int b;"),
        # Regions and conditions begin and end like bodies.
        ("#region R|void M() { }||int b;|#endregion", "#region R|int b;|#endregion"),
        ("#region R||void M() { }||#endregion", "#region R|#endregion"),
        ("#if X|int a;||void M() { }|#else|#endif", "#if X|int a;|#else|#endif"),
        ("#if X|#else|void M() { }||int b;|#endif", "#if X|#else|int b;|#endif"),
        ("#endif|void M() { }||int b;", "#endif||int b;"),
    ],
)
@pytest.mark.parametrize("ending", ["\n", "   \n"])
def test_its_blank_lines_go(lines: str, left: str, ending: str) -> None:
    text, wanted = (
        re.sub("^\n", ending, in_a_class(each), flags=re.MULTILINE) for each in (lines, left)
    )
    assert edited(text, on_symbol("C.M", "delete")) == wanted


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("class M { }\n\nclass B { }\n", "class B { }\n"),
        ("class A { }\n\nclass M { }\n", "class A { }\n"),
        ("class A { }\n\nclass M { }", "class A { }"),
        ("class A { }\n\nclass M { }\n\n", "class A { }\n\n"),
        ("using System;\n\nclass M { }\n\nclass B { }\n", "using System;\n\nclass B { }\n"),
        ("\nclass M { }\n", ""),
    ],
)
def test_a_type_at_an_end_of_the_file(text: str, left: str) -> None:
    assert edited(text, on_symbol("M", "delete")) == left


ROW = in_a_class("int a;||void M() { }||void N() { }||void O() { }||int b;")


@pytest.mark.parametrize("gone", ["MNO", "ONM", "MN", "NO", "MO"])
def test_several_symbols_leave_one_line_between_those_that_stay(gone: str) -> None:
    left = "".join(f"void {name}() {{ }}||" for name in "MNO" if name not in gone)
    result = edited(ROW, *(on_symbol(f"C.{name}", "delete") for name in gone))
    assert result == in_a_class(f"int a;||{left}int b;")


@pytest.mark.parametrize(
    ("beside", "position", "between"),
    [
        ("void M() { }", "line_after", "|void P() { }||"),
        ("void N() { }", "line_before", "||void P() { }||"),
        ("void N() { }", "line_after", "||void P() { }||"),
        ("void O() { }", "line_before", "||void P() { }|"),
    ],
)
def test_its_successor_is_parted_alike(beside: str, position: str, between: str) -> None:
    new = insert(beside, "void P() { }", position=position)
    result = edited(ROW, on_symbol("C.N", "delete"), new)
    assert result == in_a_class(f"int a;||void M() {{ }}{between}void O() {{ }}||int b;")


def test_a_text_that_is_deleted_takes_no_blank_lines() -> None:
    result = edited(ROW, delete("void N() { }"))
    assert result == ROW.replace("    void N() { }\n", "")


ROWS = [
    ("class A { int a, b, c; }", "A.a A.b A.c"),
    ("class A\n{\n    [X] int a = F(1, 2), b, c = 3;\n\n    int z;\n}\n", "A.a A.b A.c"),
    ("class A\n{\n    int z;\n\n    int é,\n        b,\n        c;\n}\n", "A.é A.b A.c"),
    ("class A { const int a = 1, b = 2; int c, d; }", "A.a A.b A.c A.d"),
    ("class A { event System.Action a, b, c; }", "A.a A.b A.c"),
    ("enum E { A = 1, B, C }", "E.A E.B E.C"),
    ("enum E { A = 1, B, C, }", "E.A E.B E.C"),
    ("enum E\n{\n    A = 1, B,\n    C, D\n}\n", "E.A E.B E.C E.D"),
    ("enum E\n{\n    A, // a\n    B,\n    C\n}\n", "E.A E.B E.C"),
]


@pytest.mark.parametrize(("text", "paths"), ROWS)
def test_any_of_a_row_go_together_as_one_after_another(text: str, paths: str) -> None:
    every = [on_symbol(path, "delete") for path in paths.split()]
    for count in range(2, len(every) + 1):
        for some in combinations(every, count):
            alone = text
            for each in some:
                alone = edited(alone, each)
            assert edited(text, *some) == alone
            assert edited(text, *reversed(some)) == alone


def test_what_all_of_a_row_had_in_common_counts_as_changed() -> None:
    text = f'class A {{ [Tooltip("{"long " * 20}")] public int a, b; }}'
    paths = ["A.a", "A.b"]
    error = unresolved(text, *(on_symbol(path, "delete") for path in paths))
    alone = edited(text, on_symbol("A.b", "delete"))
    last = unresolved(alone, on_symbol("A.a", "delete"))
    assert (error.code, error.instruction) == (last.code, 0)
    assert error.details == last.details
