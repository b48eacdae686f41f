from __future__ import annotations

import pytest
from planning import edited, on_symbol, planned, unresolved
from unity_project import insert

from snippet_engine.edit_plan.plan import Outcome
from snippet_engine.errors import ErrorCode

METHOD = """class C
{
    void M()
    {
        a();
        b();
    }
}
"""


@pytest.mark.parametrize(
    ("position", "line"), [("before", "        x();a();"), ("after", "        a();x();")]
)
def test_at_the_edge_text_goes_in_as_it_is(position: str, line: str) -> None:
    assert line in edited(METHOD, insert("a();", "x();", position=position)).split("\n")


def test_after_is_the_default() -> None:
    assert edited(METHOD, insert("a();", "\n  x();")) == METHOD.replace("a();", "a();\n  x();")


@pytest.mark.parametrize(
    ("position", "target", "expected"),
    [
        ("line_before", "a();", "        x();\n        a();\n        b();\n"),
        ("line_after", "a();", "        a();\n        x();\n        b();\n"),
        ("line_before", "b", "        a();\n        x();\n        b();\n"),
        # A target of several lines: above its first, below its last.
        ("line_before", "a();\n        b();", "        x();\n        a();\n        b();\n"),
        ("line_after", "a();\n        b();", "        a();\n        b();\n        x();\n"),
        # Line breaks at its ends don't make it reach into the next line.
        ("line_after", "\n        a();\n", "        a();\n        x();\n        b();\n"),
        ("line_before", "\n        b();\n", "        a();\n        x();\n        b();\n"),
    ],
)
def test_whole_lines_beside_the_anchor(position: str, target: str, expected: str) -> None:
    whole = METHOD.replace("        a();\n        b();\n", expected)
    assert edited(METHOD, insert(target, "x();", position=position)) == whole


def test_several_lines_get_the_indentation_each() -> None:
    new = "if (x)\n{\n    y();\n\n}"
    expected = "        if (x)\n        {\n            y();\n\n        }\n        b();"
    after = edited(METHOD, insert("b();", new, position="line_before"))
    assert after == METHOD.replace("        b();", expected)


@pytest.mark.parametrize("members", ["\t", "\t\t"])
@pytest.mark.parametrize("position", ["body_start", "body_end"])
def test_members_decide_against_their_braces(members: str, position: str) -> None:
    text = f"namespace N\n{{\n    class C\n    {{\n{members}int a;\n    }}\n}}\n"
    new = "void M()\n{\n    a = 1;\n}"
    inserted = edited(text, on_symbol("N.C", "insert", new, position=position))
    assert f"\n{members}void M()\n{members}{{\n{members}\ta = 1;\n{members}}}\n" in inserted


def test_a_final_line_break_in_new_text_is_not_a_line_of_its_own() -> None:
    once = edited(METHOD, insert("b();", "x();", position="line_before"))
    assert edited(METHOD, insert("b();", "x();\n", position="line_before")) == once
    twice = edited(METHOD, insert("b();", "x();\n\n", position="line_before"))
    assert twice == METHOD.replace("        b();", "        x();\n\n        b();")


def test_text_that_has_the_indentation_already_keeps_it() -> None:
    new = "        if (x)\n            y();"
    after = edited(METHOD, insert("a();", new, position="line_after"))
    assert after == METHOD.replace("a();\n", f"a();\n{new}\n")


def test_tabs_are_kept_as_they_are() -> None:
    text = "class C\n{\n\tvoid M()\n\t{\n\t\ta();\n\t}\n}\n"
    after = edited(text, insert("a();", "x();", position="line_after"))
    assert after == text.replace("\t\ta();\n", "\t\ta();\n\t\tx();\n")


@pytest.mark.parametrize("final", ["", "\n"])
def test_below_the_last_line(final: str) -> None:
    after = edited("using A;" + final, insert("A;", "using B;", position="line_after"))
    assert after == "using A;\nusing B;" + final


def test_above_the_first_line() -> None:
    assert edited("a;", insert("a", "b;", position="line_before")) == "b;\na;"


@pytest.mark.parametrize(
    ("position", "target", "new"),
    [
        ("line_after", "a();", "b();"),
        ("line_after", "a();", "b();  \n"),
        ("line_before", "b();", "a();"),
        ("line_after", "M()", "{\n    a();\n    b();"),
        ("line_after", "class C", "{\n    void M()"),
        ("line_before", "b();", "a();  "),
    ],
)
def test_lines_that_stand_there_already_are_skipped(position: str, target: str, new: str) -> None:
    plan = planned(METHOD, insert(target, new, position=position))
    assert [item.outcome for item in plan.instructions] == [Outcome.DUPLICATE]
    assert not plan.edits


@pytest.mark.parametrize(
    ("position", "target", "new"),
    [
        ("line_before", "a();", "b();"),  # it stands below, not above
        ("line_after", "a();", "b(); // again"),
        ("line_after", "a();", "b();\nb();"),
        ("line_before", "class C", "class C"),
        ("after", "a();", "a();"),  # at the edge nothing is a duplicate
        ("line_after", "b();", "}\n}\n}"),
        # Braces that would stand deeper are others.
        ("line_after", "b();", "}"),
        ("line_before", "a();", "{"),
    ],
)
def test_other_lines_are_not_skipped(position: str, target: str, new: str) -> None:
    assert planned(METHOD, insert(target, new, position=position)).edits


def body(text: str, path: str, position: str, new: str = "x();") -> str:
    return edited(text, on_symbol(path, "insert", new, position=position))


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("\n{\n    a();\n}\n", "\n{\n    x();\n    a();\n}\n", "\n{\n    a();\n    x();\n}\n"),
        (" {\n  a();\n}\n", " {\n  x();\n  a();\n}\n", " {\n  a();\n  x();\n}\n"),
        (" { a(); }", " { x(); a(); }", " { a(); x(); }"),
        (" { }", " { x(); }", " { x(); }"),
        (" {}", " { x(); }", " { x(); }"),
        ("\n{\n}\n", "\n{\n    x();\n}\n", "\n{\n    x();\n}\n"),
        ("\n{\n\n}\n", "\n{\n    x();\n\n}\n", "\n{\n\n    x();\n}\n"),
        (
            "\n{ // why\n    a();\n    // end\n}\n",
            "\n{ // why\n    x();\n    a();\n    // end\n}\n",
            "\n{ // why\n    a();\n    // end\n    x();\n}\n",
        ),
        (" { /* c */ }", " { x(); /* c */ }", " { /* c */ x(); }"),
        (
            "\n{ /* a\n    b */\n    a();\n}\n",
            "\n{\n    x();\n    /* a\n    b */\n    a();\n}\n",
            "\n{ /* a\n    b */\n    a();\n    x();\n}\n",
        ),
        (
            "\n{ a();\n    b(); }\n",
            "\n{\n    x();\n    a();\n    b(); }\n",
            "\n{ a();\n    b();\n    x();\n}\n",
        ),
        # A directive or a label is not where code is indented.
        (
            "\n{\n#if A\n    a();\n#endif\n}\n",
            "\n{\n    x();\n#if A\n    a();\n#endif\n}\n",
            "\n{\n#if A\n    a();\n#endif\n    x();\n}\n",
        ),
        ("\n{\n#if A\n#endif\n}", "\n{\n    x();\n#if A\n#endif\n}", None),
    ],
)
def test_first_and_last_in_a_body(text: str, start: str, end: str | None) -> None:
    assert body(f"void M(){text}", "M", "body_start") == f"void M(){start}"
    if end is not None:
        assert body(f"void M(){text}", "M", "body_end") == f"void M(){end}"


def test_several_lines_open_up_a_body_on_one_line() -> None:
    new = "if (x)\n    y();\n"
    lines = "        if (x)\n            y();\n"
    empty = "class C\n{\n    void M() { }\n}\n"
    opened = f"class C\n{{\n    void M() {{\n{lines}    }}\n}}\n"
    assert body(empty, "M", "body_start", new) == opened
    assert body(empty, "M", "body_end", new) == opened
    text = "class C\n{\n    void M() { a(); }\n}\n"
    assert body(text, "M", "body_start", new) == (
        f"class C\n{{\n    void M() {{\n{lines}        a(); }}\n}}\n"
    )
    assert body(text, "M", "body_end", new) == (
        f"class C\n{{\n    void M() {{ a();\n{lines}    }}\n}}\n"
    )


def test_a_comment_does_not_swallow_the_closing_brace() -> None:
    assert body("void M() { }", "M", "body_end", "// c") == "void M() {\n    // c\n}"


@pytest.mark.parametrize(
    ("text", "path", "new", "after"),
    [
        ("enum E\n{\n    A,\n    B,\n}\n", "E", "C,", "    B,\n"),
        ("interface I\n{\n    void A();\n}\n", "I", "void B();", "    void A();\n"),
        ("namespace N\n{\n    class A { }\n}\n", "N", "class B { }", "    class A { }\n"),
        ("class C\n{\n    int P\n    {\n        get;\n    }\n}\n", "C.P", "set;", "        get;\n"),
    ],
)
def test_bodies_of_all_kinds(text: str, path: str, new: str, after: str) -> None:
    line = after.replace(after.strip(), new)
    assert body(text, path, "body_end", new) == text.replace(after, after + line)


def test_the_body_of_an_accessor() -> None:
    text = "class C { int P { get { } } }"
    assert body(text, "C.P.get", "body_end", "x();") == text.replace("{ }", "{ x(); }")


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("class C { int M() => 1; }", "C.M"),
        ("abstract class C { abstract void M(); }", "C.M"),
        ("class C { int f = 1; }", "C.f"),
        ("namespace N;\nclass C { }", "N"),
        ("delegate void D();", "D"),
    ],
)
def test_a_symbol_without_braces_has_no_body(text: str, path: str) -> None:
    error = unresolved(text, on_symbol(path, "insert", "x();", position="body_end"))
    assert error.code is ErrorCode.INVALID_REQUEST
    assert "has no body" in error.message
    assert error.instruction == 0


@pytest.mark.parametrize("position", ["body_start", "body_end"])
def test_a_line_at_that_end_of_the_body_is_not_repeated(position: str) -> None:
    new = "a();" if position == "body_start" else "b();"
    plan = planned(METHOD, on_symbol("M", "insert", new, position=position))
    assert [item.outcome for item in plan.instructions] == [Outcome.DUPLICATE]


def test_lines_beside_a_symbol_stand_beside_all_of_it() -> None:
    text = "class C\n{\n    /// <summary>A.</summary>\n    [A]\n    int a;\n\n    int b;\n}\n"
    above = edited(text, on_symbol("C.a", "insert", "int c;", position="line_before"))
    assert above == text.replace("    ///", "    int c;\n    ///")
    below = edited(text, on_symbol("C.a", "insert", "int c;", position="line_after"))
    assert below == text.replace("int a;\n", "int a;\n    int c;\n")


DOCUMENTED = "class C\n{\n    /// <summary>A.</summary>\n    void M() { }\n}\n"


@pytest.mark.parametrize(
    ("text", "new", "above"),
    [
        (DOCUMENTED, "[A]", "    void"),
        (DOCUMENTED, "[A]\n[B(1)]", "    void"),
        (DOCUMENTED, "/// <remarks>R.</remarks>", "    ///"),
        (DOCUMENTED, "// note", "    ///"),
        (DOCUMENTED.replace("    void", "    [Z]\n    void"), "[A]", "    [Z]"),
        (DOCUMENTED.replace("/// <summary>A.</summary>", "/** A.\n     */"), "[A]", "    void"),
        ("class C\n{\n    void M() { }\n}\n", "[A]", "    void"),
        ("class C\n{\n    void M() { }\n}\n", "/// <summary>A.</summary>", "    void"),
    ],
)
def test_attributes_are_put_above_it_once(text: str, new: str, above: str) -> None:
    request = on_symbol("C.M", "insert", new, position="line_before")
    lines = "".join(f"    {line}\n" for line in new.split("\n"))
    once = edited(text, request)
    assert once == text.replace(above, lines + above)
    again = planned(once, request)
    assert [item.outcome for item in again.instructions] == [Outcome.DUPLICATE]
    assert not again.edits


def test_an_attribute_that_is_there_below_others_is_not_repeated() -> None:
    text = DOCUMENTED.replace("    void", "    [Z]\n    [A]\n    void")
    plan = planned(text, on_symbol("C.M", "insert", "[A]", position="line_before"))
    assert [item.outcome for item in plan.instructions] == [Outcome.DUPLICATE]


def test_a_long_symbol_path_leaves_room_for_the_advice() -> None:
    name = "Player" * 30
    text = f"class {name} {{ int a; }}"
    error = unresolved(text, on_symbol(f"{name}.a", "insert", "x", position="body_end"))
    assert error.message.endswith("or a target within it.")


@pytest.mark.parametrize(
    "lead",
    [
        "// Kept for old scenes.\n[Obsolete]",
        "// Kept.\n// For old scenes.\n[Obsolete]\n[Hidden(true)]",
        "/// <summary>Kept.</summary>\n// For old scenes.\n[Obsolete]",
    ],
)
@pytest.mark.parametrize("position", ["before", "line_before"])
def test_a_comment_with_attributes_is_not_put_there_twice(lead: str, position: str) -> None:
    new_text = lead.replace("\n", "\n    ") + "\n    " if position == "before" else lead
    asked = on_symbol("A.F()", "insert", new_text, position=position)
    once = edited("class A\n{\n    void F() { }\n}\n", asked)
    assert once.count("[Obsolete]") == 1
    (item,) = planned(once, asked).instructions
    assert item.outcome is Outcome.DUPLICATE
    # Another comment is another thing.
    left = new_text.replace("Kept", "Left")
    other = on_symbol("A.F()", "insert", left, position=position)
    assert planned(once, other).instructions[0].outcome is Outcome.EDIT


@pytest.mark.parametrize("ending", ["", "\n", "\n\n", "\n\n\n"])
@pytest.mark.parametrize("inside", ["        a();\n        b();\n", ""])
def test_a_body_keeps_the_blank_lines_at_the_end_as_a_line_does(ending: str, inside: str) -> None:
    text = METHOD.replace("        a();\n        b();\n", inside)
    lines = "        x();\n" + "\n" * max(0, len(ending) - 1)
    at_start = edited(text, on_symbol("C.M", "insert", f"x();{ending}", position="body_start"))
    assert at_start == METHOD.replace("        a();\n        b();\n", lines + inside)
    at_end = edited(text, on_symbol("C.M", "insert", f"x();{ending}", position="body_end"))
    assert at_end == METHOD.replace("        a();\n        b();\n", inside + lines)
    if inside:
        assert at_start == edited(text, insert("a();", f"x();{ending}", position="line_before"))


@pytest.mark.parametrize("lead", ["\n", "\n\n"])
def test_a_body_keeps_the_blank_lines_at_the_beginning_as_a_line_does(lead: str) -> None:
    for position, target, beside in (
        ("body_start", "a();", "line_before"),
        ("body_end", "b();", "line_after"),
    ):
        inside = edited(METHOD, on_symbol("C.M", "insert", f"{lead}x();", position=position))
        assert f"\n{lead}        x();\n" in inside
        assert inside == edited(METHOD, insert(target, f"{lead}x();", position=beside))
