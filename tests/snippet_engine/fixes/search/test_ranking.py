"""Which of the places that are like an anchor is meant, where little tells them apart."""

from __future__ import annotations

from unity_project import UnityProject, replace


def test_letters_that_are_nowhere_a_word_are_meant_everywhere(project: UnityProject) -> None:
    project.write("namespace Game.Tests.TestPool { }\n")
    asked = replace("Test", "Case") | {"metadata": {"why": "all occurrences"}}
    first = project.refused(asked).offers[0]
    assert first.basis == "metadata says so"
    project.engine.edit_snippet(first.arguments)
    assert project.read().decode() == "namespace Game.Cases.CasePool { }\n"
