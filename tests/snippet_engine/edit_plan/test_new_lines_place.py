"""Where new lines go beside comments, directives, and lines of other endings."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from planning import document_of, edited, on_symbol, planned
from unity_project import UnityProject, insert, replace

from snippet_engine.answer.warnings import about_edit
from snippet_engine.edit_plan.plan import Outcome

TEXT = """\
class C
{
    int a;

    // Called by the animation.
    // Twice.
    void Hit()
    {
    }

    // ---- Helpers ----
    /// <summary>Goes.</summary>
    [Obsolete]
    void Go()
    {
    }
}
"""


# -- comments ------------------------------------------------------------------------------


def test_a_member_above_another_goes_above_the_comments_of_that() -> None:
    asked = on_symbol("C.Hit", "insert", "int b;\n\n", position="line_before")
    once = edited(TEXT, asked)
    assert once == TEXT.replace("    // Called", "    int b;\n\n    // Called")
    short = on_symbol("C.Hit", "insert", "int b;", position="line_before")
    (item,) = planned(edited(TEXT, short), short).instructions
    assert item.outcome is Outcome.DUPLICATE


@pytest.mark.parametrize(
    ("path", "new_text", "line"),
    [
        # What is about the member itself stands right above it.
        ("C.Hit", "// Really.", "    void Hit()"),
        ("C.Hit", "[Obsolete]", "    void Hit()"),
        ("C.Hit", "/// <summary>Hits.</summary>", "    void Hit()"),
        # A divider is nobody's.
        ("C.Go", "int b;", "    /// <summary>Goes."),
        ("C.a", "int b;", "    int a;"),
    ],
)
def test_what_stays_right_above(path: str, new_text: str, line: str) -> None:
    asked = on_symbol(path, "insert", new_text, position="line_before")
    assert edited(TEXT, asked) == TEXT.replace(line, f"    {new_text}\n{line}")


@pytest.mark.parametrize("lines", ["\n" * 40, "// a\n\n" * 12, " \n" * 30])
def test_many_lines_before_a_member_cost_no_time(lines: str) -> None:
    asked = on_symbol("C.Hit", "insert", f"{lines}int b;", position="line_before")
    assert edited(TEXT, asked).count("    int b;\n    // Called") == 1


@pytest.mark.parametrize(
    "above", ["    // Not its own.\n\n", "// At the margin.\n", "    /*\n    // Within.\n    */\n"]
)
def test_comments_that_are_not_a_members_own(above: str) -> None:
    text = f"class C\n{{\n{above}    void M() {{ }}\n}}\n"
    asked = on_symbol("C.M", "insert", "int b;", position="line_before")
    assert edited(text, asked) == text.replace("    void", "    int b;\n    void")


# -- line endings --------------------------------------------------------------------------

MIXED = b"class C\n{\r\n    int a;\r\n    int b;\n    int c;\n}\n"


def written(project: UnityProject, *instructions: dict[str, Any]) -> bytes:
    project.write(MIXED)
    project.done(*instructions)
    return project.read()


@pytest.mark.parametrize(
    ("instruction", "after"),
    [
        (insert("int a;", "int x;", position="line_after"), b"int a;\r\n    int x;\r\n    int b"),
        (insert("int b;", "int x;", position="line_before"), b"int a;\r\n    int x;\n    int b"),
        (insert("int b;", "int x;", position="line_after"), b"int b;\n    int x;\n    int c"),
        (on_symbol("C", "insert", "int x;", position="body_start"), b"{\r\n    int x;\r\n"),
        (on_symbol("C.a", "insert", "int x;", position="line_after"), b"a;\r\n    int x;\r\n"),
        (replace("int a;", "int a;\n    int x;"), b"int a;\r\n    int x;\r\n    int b"),
    ],
)
def test_a_new_line_has_the_ending_of_the_line_that_it_goes_to(
    project: UnityProject, instruction: dict[str, Any], after: bytes
) -> None:
    assert after in written(project, instruction)


def test_equal_lines_from_both_sides_have_one_ending_in_any_order(project: UnityProject) -> None:
    both = (
        insert("int a;", "int x;", position="line_after"),
        insert("int b;", "int x;", position="line_before"),
    )
    texts = {written(project, *order) for order in permutations(both)}
    assert len(texts) == 1
    assert b"int a;\r\n    int x;\r\n    int b" in texts.pop()


# -- directives ----------------------------------------------------------------------------

LINES = "#if UNITY_EDITOR\nint x;\n#endif"


@pytest.mark.parametrize(
    ("there", "directive"),
    [
        ("#if A\n    int q;\n#endif\n", "#if UNITY_EDITOR"),
        ("    #if A\n    int q;\n    #endif\n", "    #if UNITY_EDITOR"),
        ("#if A\n    int q;\n    #endif\n", "    #if UNITY_EDITOR"),
        ("#region A\n#endregion\n", "    #if UNITY_EDITOR"),
        ("    #region A\n    #endregion\n#pragma warning disable\n", "#if UNITY_EDITOR"),
        ("", "    #if UNITY_EDITOR"),
    ],
)
def test_directives_stand_where_the_files_stand(there: str, directive: str) -> None:
    text = f"class C\n{{\n{there}    int a;\n}}\n"
    after = edited(text, insert("int a;", LINES, position="line_after"))
    assert f"int a;\n{directive}\n    int x;\n" in after


def test_a_sign_in_a_literal_is_no_directive() -> None:
    text = "class C\n{\n#if A\n#endif\n    int a;\n}\n"
    lines = 'string s = @"\n    #if";'
    after = edited(text, insert("int a;", lines, position="line_after"))
    assert f"    {lines}\n" in after
    assert document_of(after)


# -- characters that nobody sees -----------------------------------------------------------


def told(text: str, instruction: dict[str, Any]) -> list[tuple[int | None, int | None]]:
    """The warnings of an edit that a compiler takes: names may have such characters in C#."""
    plan = planned(text, instruction)
    found = about_edit(document_of(text), document_of(edited(text, instruction)), plan).warnings
    assert all("U+200B" in each.message for each in found)
    return [(each.index, each.line) for each in found if each.code == "invisible_character"]


def test_an_invisible_character_in_a_name_is_told() -> None:
    text = "class C\n{\n    int a;\n}\n"
    assert told(text, replace("int a;", "int a, h\u200bp;")) == [(0, 3)]
    known = text.replace("a", "h\u200bp")
    assert told(known, insert("int h\u200bp;", "int h\u200bq;", position="line_after")) == []


@pytest.mark.parametrize("text", ['string a = "\u200b";', "int a; // \u200b", "int añ;"])
def test_those_of_texts_are_the_programs_own(project: UnityProject, text: str) -> None:
    project.write("class C\n{\n    int a;\n}\n")
    result = project.done(replace("int a;", text))
    assert "invisible_character" not in [each["code"] for each in result["warnings"]]
