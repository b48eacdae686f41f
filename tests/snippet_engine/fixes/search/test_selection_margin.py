"""A place that is much liker to what was sent than all others is offered, whatever names differ."""

from __future__ import annotations

import pytest
from unity_project import UnityProject, replace

from snippet_engine.errors import SnippetError


def test_blanks_in_a_line_are_those_that_were_sent(project: UnityProject) -> None:
    project.write(
        "class C\n{\n    void A()\n    {\n        TestCached(first,     second, third);\n    }\n}\n"
    )
    edit = replace("    second, third", "both", before="void A()\n    {\n        Test(first, ")
    error = project.refused(edit)
    assert not isinstance(project.engine.edit_snippet(error.offers[0].arguments), SnippetError)
    assert b"TestCached(first, both);" in project.read()


def test_a_place_that_the_error_has_no_room_for_is_offered_as_well(project: UnityProject) -> None:
    methods = "".join(f"    void M{n}()\n    {{\n        Go();\n    }}\n\n" for n in range(7))
    last = "    void Last(int count)\n    {\n        isDone = true;\n        Go();\n    }\n"
    text = f"class C\n{{\n{methods}{last}}}\n"
    project.write(text)
    before = "    void Last(int counts)\n    {\n        isDone = true;\n        "
    error = project.refused(replace("Go();", "Stop();", before=before))
    assert len(error.offers) == 1
    assert not isinstance(project.engine.edit_snippet(error.offers[0].arguments), SnippetError)
    wanted = text.replace(last, last.replace("Go();", "Stop();"))
    assert project.read().decode() == wanted


"""A place that has the target, and little of the context."""


@pytest.mark.parametrize("depth", [12, 16])
def test_a_longer_name_at_that_depth_is_not_meant(project: UnityProject, depth: int) -> None:
    """The very target stands at another depth."""
    project.write(
        "class C\n{\n    void M(int way)\n    {\n        switch (way)\n        {\n"
        "            case 3:  // equalCached ordered\n                Go();\n"
        "                break;\n        }\n        switch (way)\n        {\n"
        "        case 3:  // equal ordered\n            Go();\n            break;\n        }\n"
        "    }\n}\n"
    )
    sent = f"{' ' * depth}case 3:  // equal ordered"
    found = project.refused(replace(sent, sent.replace("case 3", "default"))).offers
    assert len(found) == 1
