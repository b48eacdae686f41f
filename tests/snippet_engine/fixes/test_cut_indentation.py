"""A target that fits within the indentation of a line, while the same lines stand elsewhere."""

from __future__ import annotations

from unity_project import UnityProject, replace

from snippet_engine.errors import ErrorCode

OUTER = """\
    /// <returns>A copy.</returns>
    [NotBurst]
"""
INNER = OUTER.replace("    ", "        ")
TEXT = f"""\
class Texts
{{
{OUTER}    string One() => null;

    class Nested
    {{
{INNER}        string Other() => null;
    }}
}}
"""
SENT = "    /// <returns>A copy.</returns>\n        [NotBurst]"
ASKED = replace(SENT, SENT.replace("NotBurst", "Excluded"))


def test_which_lines_are_meant_is_not_guessed(project: UnityProject) -> None:
    project.write(TEXT)
    error = project.refused(ASKED)
    assert error.code is ErrorCode.ANCHOR_NOT_FOUND
    assert [each["line"] for each in error.details["nearest"]] == [9, 3]
    assert error.offers == ()


def test_lines_that_stand_once_may_lack_indentation(project: UnityProject) -> None:
    text = TEXT.replace(OUTER, "")
    project.write(text)
    project.done(ASKED)
    assert project.read().decode() == text.replace("NotBurst", "Excluded")


def test_whole_lines_as_they_stand_are_taken(project: UnityProject) -> None:
    project.write(TEXT)
    whole = INNER.removesuffix("\n")
    project.done(replace(whole, whole.replace("NotBurst", "Excluded")))
    assert project.read().decode() == TEXT.replace(INNER, INNER.replace("NotBurst", "Excluded"))
