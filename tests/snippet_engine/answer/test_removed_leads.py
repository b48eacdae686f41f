"""Warnings about documentation and attributes that a declaration loses as it is replaced."""

from __future__ import annotations

from typing import Any

import pytest
from planning import on_symbol
from unity_project import UnityProject, replace

from snippet_engine.errors import ErrorCode, SnippetError

PLAYER = """\
class Player
{
    [SerializeField, Range(0, 1)] private int health;
    /// Ends it.
    [ContextMenu("a, [b]")]
    void Die() { Destroy(this); }

    /// <summary>Goes on for long enough that it does not fit.</summary>
    public void Stop()
    {
        running = isRunning && isAllowed;
    }
}
"""


def _warned(project: UnityProject, instruction: dict[str, Any]) -> list[tuple[str, str]]:
    project.write(PLAYER)
    result = project.done(instruction, mode="preview")
    return [
        (each["code"], each["message"])
        for each in result["warnings"]
        if each["code"].endswith("_removed")
    ]


@pytest.mark.parametrize(
    ("instruction", "codes", "said"),
    [
        (
            on_symbol("Player.Die", "replace", "void Die() { }"),
            ["documentation_removed", "attributes_removed"],
            "ContextMenu,",
        ),
        (
            on_symbol("Player.health", "replace", "[Range(0, 1)] private int health = 2;"),
            ["attributes_removed"],
            "misses SerializeField, which",
        ),
        (on_symbol("Player.Die", "replace", '/// It.\n[ContextMenu("x")]\nvoid Die() { }'), [], ""),
        (replace("Destroy(this);", "Destroy(it);"), [], ""),
        (on_symbol("Player.Die", "delete"), [], ""),
    ],
)
def test_what_a_replaced_declaration_loses_is_said(
    project: UnityProject, instruction: dict[str, Any], codes: list[str], said: str
) -> None:
    found = _warned(project, instruction)
    assert [code for code, _ in found] == codes
    assert said in " ".join(message for _, message in found)


def test_smaller_edits_keep_what_the_new_text_says_nothing_of(project: UnityProject) -> None:
    project.write(PLAYER)
    new = "public void Halt()\n    {\n        hasBeenStoppedByHand = isAllowedToStopNow;\n"
    new += "        Log(hasBeenStoppedByHand, nameof(Halt));\n    }"
    error = project.refused(on_symbol("Player.Stop", "replace", new))
    assert error.code is ErrorCode.DIFF_TOO_LARGE
    (offer,) = error.offers
    assert offer.what.endswith("keep the documentation and attributes above")
    assert not isinstance(project.engine.edit_snippet(offer.arguments), SnippetError)
    text = project.read().decode()
    assert "/// <summary>Goes on for long enough that it does not fit.</summary>\n" in text
    assert "public void Halt()" in text
