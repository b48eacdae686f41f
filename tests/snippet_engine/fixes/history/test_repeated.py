"""An edit that was made and is asked for once more: nothing that is like its target is offered."""

from __future__ import annotations

from typing import Any

import pytest
from unity_project import UnityProject, delete, replace

from snippet_engine.answer.text_form import text_form

ROWS = """\
class Rows
{
    void Draw()
    {
        global::UI.BeginRow();
        Button("1", unused);
        global::UI.EndRow();

        global::UI.BeginRow();
        Button("1", used);
        global::UI.EndRow();

        if (field)
        {
            type = field.Type;
            initial = value;
        }
        else
        {
            type = property.Type;
            initial = value;
        }
    }
}
"""


@pytest.mark.parametrize(
    "asked",
    [
        replace(
            "global::UI.EndRow();",
            "UI.EndRow();",
            before='        Button("1", unused);\n        ',
            after="\n\n        global::UI.BeginRow();",
        ),
        delete("initial = value;", before="            type = field.Type;\n            "),
        replace("type = field.Type;", "type = field.Get().Type;"),
    ],
)
@pytest.mark.parametrize("since", [False, True])
def test_an_edit_sent_again_is_done(
    project: UnityProject, asked: dict[str, Any], since: bool
) -> None:
    project.write(ROWS)
    project.done(asked)
    if since:
        project.done(replace("void Draw()", "void DrawAll()"))
    made = project.read()
    error = project.refused(asked)
    assert "\noffer" not in text_form("edit_snippet", error)
    assert error.details["already_applied"]
    assert project.read() == made


def test_the_same_anchor_for_another_edit_is_followed(project: UnityProject) -> None:
    project.write(ROWS)
    project.done(replace('("1", unused)', '("2", unused)'))
    more = "\n        End();"
    error = project.refused(replace('Button("1", unused);', f'Button("1", unused);{more}'))
    assert f'("2", unused);{more}' in error.offers[0].arguments["instructions"][0]["newText"]
    assert error.offers[0].basis


def test_what_one_of_several_edits_made_is_not_made_once_more(project: UnityProject) -> None:
    project.write(ROWS)
    asked = replace("field.Type", "field.Get().Type")
    project.done(asked, replace("property.Type", "property.Get().Type"))
    assert "\noffer" not in text_form("edit_snippet", project.refused(asked))


FIELDS = """\
class Editor
{
    private Rect buttonRect;
    private ExportResults validation;

    class Inner
    {
        private Rect rect;
        ExportResults validation;
        int count;
    }
}
"""


def test_what_stays_of_the_target_is_no_sign_that_the_edit_is_done(project: UnityProject) -> None:
    project.write(FIELDS)
    kept = "    private Rect buttonRect;"
    asked = replace(f"{kept}\n        private ExportResults validation;", kept)
    (offer,) = project.refused(asked).offers
    assert not offer.unless
