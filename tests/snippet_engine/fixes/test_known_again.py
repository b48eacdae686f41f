"""A place that has changed since is known again by its lines, and isn't taken for its double."""

from __future__ import annotations

import pytest
from script_changes import changed, edit, move
from unity_project import SCRIPT, UnityProject, insert, replace


@pytest.mark.parametrize(
    ("position", "new_text", "standing"),
    [
        ("after", "\n    return;", "    Fail(e);\n    return;"),
        ("before", "if (e) ", "if (e) Fail(e);"),
    ],
)
def test_an_insertion_that_its_context_shows_is_done(
    project: UnityProject, position: str, new_text: str, standing: str
) -> None:
    project.write(f"class C\n{{\nvoid M(int e)\n{{\n    Begin();\n{standing}\n    End();\n}}\n}}\n")
    before, after = "    Begin();\n", "\n    End();"
    error = project.refused(
        insert("Fail(e);", new_text, before=before, after=after, position=position)
    )
    assert error.details["already_applied"]
    assert "already occurs" in error.message
    assert error.offers == ()


@pytest.mark.parametrize("moves", [False, True])
def test_an_edit_of_a_change_set_is_an_own_edit_too(project: UnityProject, *, moves: bool) -> None:
    text = "class C\n{\n    A Get(B b) { return 0; }\n    A Put(B b) { return 1; }\n}\n"
    project.write(text)
    again = replace("return 1;", "return 2;", before="A Put(B b) { ")
    new, path = "A Take(B b, int count) {", SCRIPT
    edited = replace("A Put(B b) {", new)
    if moves:
        path = "Assets/Scripts/Other.cs"
        changed(project, move(SCRIPT, path, edited))
    else:
        changed(project, edit(SCRIPT, edited))
    (offer,) = project.refused(again, path=path).offers
    assert "was there until an edit changed it" in offer.basis
    project.engine.edit_snippet(offer.arguments)
    assert project.read(path).decode() == text.replace("A Put(B b) { return 1;", f"{new} return 2;")


UNTOUCHED = "        Go(count);\n        Stop(total);"


@pytest.mark.parametrize(
    ("sent", "differs"),
    [
        ("        Go(count);\\n        Stop(total);", "escape sequences sent as text"),
        ("4\t        Go(count);", "pasted line numbers"),
    ],
)
def test_no_edit_is_blamed_without_cause(project: UnityProject, sent: str, differs: str) -> None:
    project.write(f"class C\n{{\n    int count;\n    void A()\n    {{\n{UNTOUCHED}\n    }}\n}}\n")
    project.done(replace("int count;", "float count;"))
    (offer,) = project.refused(replace(sent, "        Go(1);")).offers
    assert offer.basis == ""
    assert differs in offer.what


SAVED = """\
class C
{
    void A()
    {
        Save(second);
        Close();
    }

    void B()
    {
        Save(first);
        Close();
    }
}
"""


def test_an_edit_that_is_sent_again_is_done(project: UnityProject) -> None:
    project.write(SAVED)
    again = replace("Save(first);\n        Close();", "Keep(first);\n        Close();")
    project.done(again)
    project.done(replace("class C\n{", "class C\n{\n    int a;"))
    error = project.refused(again)
    assert error.details["already_applied"] is True


SWAPPED = "void M()\n{\n    Draw();\n    Check();\n    Begin();\n    End();\n}\n"


def test_a_line_that_an_edit_added_is_the_one_that_is_to_be_added(project: UnityProject) -> None:
    project.write(SWAPPED.replace("    Begin();\n", ""))
    project.done(replace("Draw();", "Draw();\n    Begin();"))
    stale = replace("Draw();\n    Check();", "Draw();\n\n    Begin();\n    Check();")
    (offer,) = project.refused(stale).offers
    project.engine.edit_snippet({**offer.arguments, "mode": "apply"})
    assert project.read().decode().count("Begin();") == 1
