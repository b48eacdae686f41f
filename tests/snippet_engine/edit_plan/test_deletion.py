from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planning import edited, on_symbol, plan_of
from unity_project import delete, in_method, insert, replace

from snippet_engine.errors import SnippetError

BODY = in_method("a();", "b(); // why", "", "c();")


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("a();", in_method("b(); // why", "", "c();")),
        ("        a();", in_method("b(); // why", "", "c();")),
        ("        a();\n", in_method("b(); // why", "", "c();")),
        ("a();\n", in_method("b(); // why", "", "c();")),
        # The break before it goes, the line above stays as it was.
        ("\n        a();", in_method("b(); // why", "", "c();")),
        # The statement's own semicolon.
        ("a()", in_method("b(); // why", "", "c();")),
        ("b()", in_method("a();", "; // why", "", "c();")),
        ("b();", in_method("a();", " // why", "", "c();")),
        ("b(); // why", in_method("a();", "", "c();")),
        ("a();\n        b(); // why", in_method("", "c();")),
        ("        a();\n        b(); // why\n", in_method("", "c();")),
        ("\n\n        c();", in_method("a();", "b(); // why")),
        (
            "c();\n    }\n}",
            "class C\n{\n    void M()\n    {\n        a();\n        b(); // why\n\n",
        ),
    ],
)
def test_a_line_that_is_emptied_goes_with_it(target: str, expected: str) -> None:
    assert edited(BODY, delete(target)) == expected


@pytest.mark.parametrize(
    ("text", "target", "expected"),
    [
        ("a();\nb();", "b();", "a();"),  # the break before the last line goes
        ("a();\nb();\n", "b();", "a();\n"),
        ("a();\nb();", "b()", "a();"),
        ("a();", "a();", ""),
        ("a();\n", "a();", ""),
        ("a();\n", "a()", ""),
        ("\n\na();\n\n", "a();", "\n\n\n"),
        ("a(); b();\n", "a(); ", "b();\n"),
        ("a(); b();\n", "b();", "a(); \n"),
        ("\ta();\t\nb();\n", "a();", "b();\n"),
    ],
)
def test_at_the_ends_of_a_file(text: str, target: str, expected: str) -> None:
    assert edited(text, delete(target)) == expected


@pytest.mark.parametrize(
    ("lines", "target", "left"),
    [
        (["for (", "    i = 0", "    ; i < 3;) a();"], "i = 0", ["for (", "    ; i < 3;) a();"]),
        (
            ["for (int i = 0;", "    i < 3;", "    i++) a();"],
            "i < 3",
            ["for (int i = 0;", "    ;", "    i++) a();"],
        ),
        (["while (a)", "    ;"], "while (a)", ["    ;"]),
        (["a(", "    b);"], "b)", ["a(", "    ;"]),
        (["return", "    b;"], "b", ["return", "    ;"]),
    ],
)
def test_another_ones_semicolon_stays(lines: list[str], target: str, left: list[str]) -> None:
    assert edited(in_method(*lines), delete(target)) == in_method(*left)


@pytest.mark.parametrize(
    ("text", "target", "expected"),
    [
        ("class C\n{\n    int a = 1;\n    int b;\n}\n", "int a = 1", "class C\n{\n    int b;\n}\n"),
        ("using A;\nusing B;\n", "using A", "using B;\n"),
        ("class C\n{\n    int P => 1;\n}\n", "int P => 1", "class C\n{\n}\n"),
    ],
)
def test_the_semicolon_of_a_member_or_directive(text: str, target: str, expected: str) -> None:
    assert edited(text, delete(target)) == expected


@pytest.mark.parametrize(
    ("targets", "expected"),
    [
        (["a();"], " b(); \nc();\n"),
        (["a();", "b();"], "c();\n"),
        (["a();", "b(); "], "c();\n"),
        (["a(); ", "b();"], "c();\n"),
        (["a();", "c();"], " b(); \n"),
        (["a();", "b();", "c();"], ""),
        (["a()", "b()"], "; ; \nc();\n"),  # which of them is stray can't be told
    ],
)
def test_several_deletions_on_one_line(targets: list[str], expected: str) -> None:
    text = "a(); b(); \nc();\n"
    assert edited(text, *map(delete, targets)) == expected
    assert edited(text, *map(delete, reversed(targets))) == expected


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        # The line is not empty if another edit writes to it.
        (insert("a();", "x();", position="after"), "    x();\nb();\n"),
        (insert("a();", "x();", position="before"), "    x();\nb();\n"),
        # Whole lines beside it are no part of it.
        (insert("a();", "x();", position="line_before"), "    x();\nb();\n"),
        (insert("a();", "x();", position="line_after"), "    x();\nb();\n"),
        (replace("b();", "c();"), "c();\n"),
    ],
)
def test_a_line_that_another_edit_writes_to_stays(other: dict[str, Any], expected: str) -> None:
    text = "    a();\nb();\n"
    assert edited(text, delete("a();"), other) == expected
    assert edited(text, other, delete("a();")) == expected


def test_a_last_line_stays_where_its_break_is_taken() -> None:
    text = "a();\nb();"
    assert edited(text, delete("b();"), insert("a();", "x();", position="after")) == "a();x();"
    assert edited(text, delete("b();"), insert("a();", "x();", position="line_after")) == (
        "a();\nx();\n"
    )


def test_a_whole_symbol_takes_its_lines() -> None:
    text = "class C\n{\n    /// <summary>A.</summary>\n    [A]\n    int a;\n\n    int b;\n}\n"
    assert edited(text, on_symbol("C.a", "delete")) == "class C\n{\n    int b;\n}\n"
    assert edited(text, on_symbol("C.b", "delete")) == text.replace("\n    int b;\n", "")
    assert edited("class A { }\nclass B { }\n", on_symbol("A", "delete")) == "class B { }\n"


def test_replacing_by_nothing_visible_is_no_deletion() -> None:
    assert edited("a();\nb();\n", replace("a();", " ")) == " \nb();\n"


LINES = st.lists(
    st.sampled_from(["a();", "  b();", "c(); d();", "", " ", "{", "}", "e() ;", "x;"]), max_size=8
).map("\n".join)


@given(LINES, st.data())
def test_nothing_but_white_space_and_semicolons_goes_along(text: str, data: st.DataObject) -> None:
    drawn = data.draw(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 8)), max_size=4))
    targets = [text[start : start + length] for start, length in drawn]
    targets = [target for target in targets if target and text.count(target) == 1]
    plan = plan_of(text, *map(delete, targets)) if targets else None
    if plan is None or isinstance(plan, SnippetError):
        return
    taken = "".join(text[edit.start : edit.end] for edit in plan.edits)
    asked = "".join(sorted(targets, key=text.index))
    extra = list(taken)
    for character in asked:
        extra.remove(character)
    assert not "".join(extra).strip(" \n;")
