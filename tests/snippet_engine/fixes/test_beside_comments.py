"""Code that is inserted at a comment gets a line of its own: within it, it would be no code."""

from __future__ import annotations

from typing import Any

import pytest
from script_changes import change, edit
from unity_project import SCRIPT, UnityProject, insert

from snippet_engine.errors import ErrorCode, SnippetError

TEXT = """\
class Account
{
    void Pay(int amount)
    {
        // clamp the amount
        Send(amount);
        int rest = 0; // what is left
        /* all of
           it */
    }
}
"""
CODE = "amount = Math.Abs(amount);"


def _written(project: UnityProject, instruction: dict[str, Any]) -> str:
    """What the first offer writes, which is the only one, and what the error's candidate does."""
    project.write(TEXT)
    error = project.refused(instruction)
    assert error.code is ErrorCode.ANCHOR_IN_COMMENT
    (offer,) = error.offers
    (sent,) = offer.arguments["instructions"]
    assert sent["anchor"] == error.details["candidates"][0]["anchor"]
    assert len(error.message) <= 200
    project.engine.edit_snippet(offer.arguments)
    return project.read().decode()


@pytest.mark.parametrize(
    "asked",
    [
        insert("// clamp the amount", CODE),
        insert("// clamp the amount", CODE, position="after"),
        insert("// clamp the amount", f"        {CODE}", position="after"),
        insert("// clamp the amount", f" {CODE}", position="after"),
        insert("clamp the", CODE),
        insert("clamp the", f"\n        {CODE}"),
        insert("// clamp the amount", f"\n        {CODE}"),
        insert("// clamp the amount", CODE, position="line_after"),
    ],
)
def test_code_after_it_is_offered_below(project: UnityProject, asked: dict[str, Any]) -> None:
    line = "        // clamp the amount\n"
    assert _written(project, asked) == TEXT.replace(line, f"{line}        {CODE}\n")


@pytest.mark.parametrize(
    "asked",
    [
        insert("// clamp the amount", CODE, position="before"),
        insert("clamp the amount", CODE, position="before"),
        insert("// clamp the amount", f"{CODE}\n        ", position="before"),
    ],
)
def test_code_before_it_is_offered_above(project: UnityProject, asked: dict[str, Any]) -> None:
    line = "        // clamp the amount\n"
    assert _written(project, asked) == TEXT.replace(line, f"        {CODE}\n{line}")


def test_code_at_a_comment_behind_code_is_offered_below_the_line(project: UnityProject) -> None:
    line = "        int rest = 0; // what is left\n"
    written = _written(project, insert("// what is left", "Log(rest);"))
    assert written == TEXT.replace(line, f"{line}        Log(rest);\n")


@pytest.mark.parametrize(
    ("new_text", "line"),
    [
        (" to what there is", "        // clamp the amount to what there is\n"),
        ("s", "        // clamp the amounts\n"),
        (", see below", "        // clamp the amount, see below\n"),
        ("// and more", "        // clamp the amount\n        // and more\n"),
    ],
)
def test_text_goes_on_in_a_comment(project: UnityProject, new_text: str, line: str) -> None:
    written = _written(project, insert("// clamp the amount", new_text))
    assert written == TEXT.replace("        // clamp the amount\n", line)


def test_within_a_block_comment_no_line_beside_it_is_code(project: UnityProject) -> None:
    written = _written(project, insert("all of", " this;"))
    assert written == TEXT.replace("all of", "all of this;")


def test_a_set_of_scripts_is_offered_the_same(project: UnityProject) -> None:
    project.write(TEXT)
    error = change(project, edit(SCRIPT, insert("// clamp the amount", CODE)))
    assert isinstance(error, SnippetError)
    (offer,) = error.offers
    project.engine.edit_scripts(offer.arguments)
    line = "        // clamp the amount\n"
    assert project.read().decode() == TEXT.replace(line, f"{line}        {CODE}\n")
