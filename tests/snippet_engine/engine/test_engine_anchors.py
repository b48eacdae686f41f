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
    ("instruction", "line"),
    [
        (replace("Move(1)", "Go(1)", before="void Update()\n    {"), 8),
        (replace("Move(1)", "Go(1)", before="void FixedUpdate()\n    {\n"), 13),
        (replace("Move(1)", "Go(1)", after=";\n    }"), 8),
        (replace("Move(1);", "Go(1);", after="\n        /* Move(2); */"), 13),
        (replace("Move(1)", "Go(1)", before="void Update()   \n    {\t"), 8),
        (replace("Move(2)", "Go(2)", **{"in": "comment"}), 14),
        (replace("Move(6)", "Go(6)", **{"in": "comment"}), 24),
        (replace("Move(3)", "Go(3)"), 18),
        (replace("Move(4)", "Go(4)"), 20),
        (replace("Move(8)", "Go(8)"), 25),
        (on_symbol("OnNoGUI", "replace", "Go(4)", target="Move(4)"), 20),
        (on_symbol("Player.Update", "replace", "Go(1)", target="Move(1)"), 8),
        # The word in the comment of line 3 is set aside.
        (
            replace(
                "Update", "LateUpdate", before="void ", after="()\n    {\n        Move(1);\n    }"
            ),
            6,
        ),
    ],
)
def test_an_anchor_names_one_place(
    project: UnityProject, instruction: dict[str, Any], line: int
) -> None:
    assert changed_lines(project, instruction) == [line]


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


def test_regular_expressions_mean_themselves(project: UnityProject) -> None:
    text = 'class C { string s = "^.*$[a-z]+(x|y)?\\\\d{2}"; int a; }\n'
    project.write(text)
    assert project.refused(replace(".*", "x", before="c")).code is ErrorCode.ANCHOR_NOT_FOUND
    project.done(replace("^.*$[a-z]+(x|y)?\\\\d{2}", "plain"))
    assert project.read().decode() == 'class C { string s = "plain"; int a; }\n'
    assert project.refused(replace("int .;", "x")).code is ErrorCode.ANCHOR_NOT_FOUND


def test_identifiers_of_any_script(project: UnityProject) -> None:
    project.write('class Spieler { int größe = 1; int 速度 = 2; string s = "👩‍👩‍👧"; }\n')
    project.done(
        replace("größe", "länge"),
        replace("速度", "速さ"),
        replace("👩‍👩‍👧", "👩‍👧"),
    )
    assert project.read().decode() == (
        'class Spieler { int länge = 1; int 速さ = 2; string s = "👩‍👧"; }\n'
    )


def test_ten_edits_on_one_line(project: UnityProject) -> None:
    names = "abcdefghij"
    line = ", ".join(f"{name} = 1" for name in names)
    project.write(f"class C {{ int {line}; }}\n")
    edits = [replace(f"{name} = 1", f"{name}{name} = 22") for name in names]
    project.done(*edits[5:], *reversed(edits[:5]))
    expected = ", ".join(f"{name}{name} = 22" for name in names)
    assert project.read().decode() == f"class C {{ int {expected}; }}\n"


def test_a_target_may_cross_comments_and_code(project: UnityProject) -> None:
    project.write("class C\n{\n    int a; // first\n    // second\n    int b;\n}\n")
    project.done(replace("a; // first\n    // second\n    int b", "a; // first\n    int c"))
    assert project.read().decode() == "class C\n{\n    int a; // first\n    int c;\n}\n"


def test_a_target_may_be_the_whole_file(project: UnityProject) -> None:
    project.write(PLAYER)
    result = project.done(replace(PLAYER, PLAYER.replace("Move(3)", "Move(30)")))
    assert result["results"][0]["charactersChanged"] == 1
    assert result["results"][0]["beforeSnippet"] == PLAYER


def test_the_newest_text_is_what_counts(project: UnityProject) -> None:
    project.write("class C { int a; }\n")
    project.done(replace("int a", "int b"))
    project.write("class C { int a; int b; }\n")
    project.done(replace("int b", "int c"))
    assert project.read() == b"class C { int a; int c; }\n"
