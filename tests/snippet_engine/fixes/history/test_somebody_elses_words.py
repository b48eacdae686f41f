"""What an edit since has put where a request changes: somebody else's words are not written over
by an offer that is ready to be sent."""

from __future__ import annotations

import pytest
from script_changes import change, edit
from unity_project import SCRIPT, UnityProject, delete, replace

from snippet_engine.answer.error_text import error_text
from snippet_engine.errors import SnippetError

TEXT = (
    "class C\n{\n    void M(int max)\n    {\n        if (max <= 0)\n        {\n"
    "            Stop();\n        }\n        speed = 10;\n    }\n}\n"
)


def by_somebody(project: UnityProject, old: str, new: str) -> None:
    assert old.encode() in project.read()
    project.write(project.read().replace(old.encode(), new.encode()))


@pytest.mark.parametrize(
    "sent", [replace("speed = 10;", "speed = 30;"), delete("        speed = 10;\n")]
)
def test_another_ones_words_are_a_choice(project: UnityProject, sent: dict[str, object]) -> None:
    project.write(TEXT)
    project.done(replace("Stop();", "Halt();"))
    by_somebody(project, "speed = 10", "speed = 20")
    text = error_text(project.refused(sent))
    assert "\nchoice 1 (line 9, undoes what a later edit put there: 20; " in text
    assert "; unless that change should stay: someone else may have made it): {" in text


def test_it_is_so_behind_a_change_set(project: UnityProject) -> None:
    project.write(TEXT)
    change(project, edit(SCRIPT, replace("Stop();", "Halt();")))
    by_somebody(project, "speed = 10", "speed = 20")
    error = change(project, edit(SCRIPT, replace("speed = 10;", "speed = 30;")))
    assert isinstance(error, SnippetError)
    assert "\nchoice 1 (" in error_text(error)


@pytest.mark.parametrize("by_set", [False, True])
def test_own_words_are_offered(project: UnityProject, *, by_set: bool) -> None:
    project.write(TEXT)
    own = replace("speed = 10", "speed = 20")
    change(project, edit(SCRIPT, own)) if by_set else project.done(own)
    text = error_text(project.refused(replace("speed = 10;", "speed = 30;")))
    assert "\noffer 1 (line 9, undoes what a later edit put there: 20; " in text


def test_what_somebody_else_has_put_elsewhere_changes_nothing(project: UnityProject) -> None:
    project.write(TEXT)
    project.done(replace("Stop();", "Halt();"))
    by_somebody(project, "int max", "float max")
    by_somebody(project, "max <= 0", "max <= 0 || max > 7")
    text = error_text(project.refused(replace("if (max <= 0)", "if (max < 0)")))
    assert "\noffer 1 (line 5; the text you sent was there until" in text
