"""Where anchors land in real scripts: docs/design/engine.md §1 and §2, through the engine."""

from __future__ import annotations

from typing import Any

import pytest
from planning import on_symbol
from sent_back import check_offers
from unity_project import UnityProject, delete, insert, replace

from snippet_engine.errors import ErrorCode

PLAYER = """using UnityEngine;

// Update moves the player.
public class Player : MonoBehaviour
{
    void Update()
    {
        Move(1);
    }

    void FixedUpdate()
    {
        Move(1);
        /* Move(2); */
    }

#if UNITY_EDITOR
    void OnGUI() { Move(3); }
#else
    void OnNoGUI() { Move(4); }
#endif

    // Move(5);
    // Move(6);
    string text = "Move(7); // Move(8);";
}
"""


def changed_lines(project: UnityProject, *instructions: dict[str, Any]) -> list[int]:
    """One-based numbers of the lines that a request changes in the player's script."""
    project.write(PLAYER)
    project.done(*instructions)
    after = project.read().decode()
    assert after.count("\n") == PLAYER.count("\n")
    pairs = zip(PLAYER.split("\n"), after.split("\n"), strict=True)
    return [number for number, (old, new) in enumerate(pairs, 1) if old != new]


@pytest.mark.parametrize(
    ("instruction", "code", "matches"),
    [
        (replace("Move(1)", "Go(1)"), ErrorCode.AMBIGUOUS_ANCHOR, 2),
        (replace("Move", "Go"), ErrorCode.AMBIGUOUS_ANCHOR, 6),
        (replace("Update", "x"), ErrorCode.AMBIGUOUS_ANCHOR, 2),
        (replace("Move(2)", "Go(2)"), ErrorCode.ANCHOR_IN_COMMENT, 1),
        (replace("// Move(5);\n    // Move(6);", "//"), ErrorCode.ANCHOR_IN_COMMENT, 1),
        (replace("// Move", "// Go", **{"in": "comment"}), ErrorCode.AMBIGUOUS_ANCHOR, 2),
        (delete("nowhere at all"), ErrorCode.ANCHOR_NOT_FOUND, None),
        (replace("Move(3)", "Go(3)", before="Update"), ErrorCode.ANCHOR_NOT_FOUND, None),
        (replace("Move(3)", "x", **{"in": "comment"}), ErrorCode.ANCHOR_NOT_FOUND, None),
        (on_symbol("Player.Update", "delete", target="Move(3)"), ErrorCode.ANCHOR_NOT_FOUND, None),
    ],
)
def test_an_anchor_that_names_none_or_several(
    project: UnityProject, instruction: dict[str, Any], code: ErrorCode, matches: int | None
) -> None:
    project.write(PLAYER)
    error = project.refused(instruction)
    assert error.code is code
    assert error.instruction == 0
    assert error.details.get("matches") == matches
    check_offers(PLAYER, instruction, error)


@pytest.mark.parametrize(
    "text",
    [
        "#if {code}\nclass A {{ }}\n#endif // {comment}\n",
        "#pragma warning disable 414 // {comment}\nclass {code} {{ }}\n",
    ],
)
def test_a_comment_behind_a_directive_is_one(project: UnityProject, text: str) -> None:
    project.write(text.format(code="SOME", comment="SOME"))
    result = project.done(replace("SOME", "OTHER"))
    assert project.read().decode() == text.format(code="OTHER", comment="SOME")
    assert [each["code"] for each in result["warnings"]] == ["anchor_in_comment"]
    project.write(text.format(code="SOME", comment="SOME"))
    project.done(replace("SOME", "OTHER", **{"in": "comment"}))
    assert project.read().decode() == text.format(code="SOME", comment="OTHER")


def test_fifty_places_are_ten_candidates(project: UnityProject) -> None:
    text = "class C\n{\n" + "".join(f"    void M{n}() {{ Go(); }}\n" for n in range(50)) + "}\n"
    project.write(text)
    instruction = replace("Go();", "Went();")
    error = project.refused(instruction)
    assert error.details["matches"] == 50
    assert "50 places (lines 3, 4, 5, 6, 7, …)" in error.message
    assert [each["line"] for each in error.details["candidates"]] == list(range(3, 13))
    assert [each["symbol"] for each in error.details["candidates"]] == [
        f"C.M{n}()" for n in range(10)
    ]
    assert check_offers(text, instruction, error) == 10


def test_a_candidate_sent_back_changes_its_line(project: UnityProject) -> None:
    project.write(PLAYER)
    error = project.refused(replace("Move(1)", "Go(1)"))
    for candidate, line in zip(error.details["candidates"], (8, 13), strict=True):
        assert candidate["line"] == line
        assert candidate["text"] == "Move(1);"
        sent = {"operation": "replace", "anchor": candidate["anchor"], "newText": "Go(1)"}
        assert changed_lines(project, sent) == [line]


def test_positions_are_kept_in_what_is_offered(project: UnityProject) -> None:
    project.write(PLAYER)
    for position in ("before", "after", "line_before", "line_after"):
        error = project.refused(insert("Move(1);", "Go();", position=position))
        assert all(each["anchor"]["position"] == position for each in error.details["candidates"])
