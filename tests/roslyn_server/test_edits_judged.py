"""``edit_snippet`` with ``roslyn_server`` as the judge, on every toolchain that can be had here.

docs/design/roslyn.md §2: the server is found, started and asked as ``--lsp auto`` does it, with the
toolchain found as on a user's machine.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import laid_out
import pytest
from judged_edits import ENEMY, PLAYER, PLAYER_TEXT, TEXT, Started
from laid_out import Layout

from mcp_server.calls.language_server import explain
from roslyn_server.toolchains.pairing import Toolchain
from snippet_engine.answer.text_form import text_form
from snippet_engine.errors import BREAKS_CODE, SnippetError


def refusal(outcome: dict[str, Any] | SnippetError) -> tuple[str, int, str]:
    """Id, one-based line and message of the only new error."""
    assert isinstance(outcome, SnippetError), outcome
    assert outcome.code in BREAKS_CODE, outcome
    assert outcome.instruction == 0
    (diagnostic,) = outcome.details["diagnostics"]
    assert diagnostic["instruction"] == 0
    return diagnostic["id"], diagnostic["line"], diagnostic["message"]


def test_each_kind_of_wrong_edit_is_refused_and_its_repair_accepted(
    layout: Layout, started: Started, tmp_path: Path, references: Path
) -> None:
    root = laid_out.project(tmp_path / "project", layout.editor)
    laid_out.built(root, references, {ENEMY: TEXT, PLAYER: PLAYER_TEXT})
    judged = started(layout, root)

    id_, line, message = refusal(judged.edit("player.Health;", "player.Health"))
    assert (id_, line, message) == ("CS1002", 10, "; expected")
    id_, line, message = refusal(judged.edit("public class Enemy", "record struct R; class Enemy"))
    assert (id_, line) == ("CS8773", 3)
    assert "record structs" in message
    id_, line, message = refusal(judged.edit("return 0;", "return 0"))
    assert (id_, line, message) == ("CS1002", 8, "; expected")
    id_, line, message = refusal(judged.edit("player.Health", "plyer.Health"))
    assert (id_, line) == ("CS0103", 10)
    assert "plyer" in message
    # Roslyn 4.1 quotes half of the emoji.
    spoilt = judged.edit("player.Health", "player😀.Health")
    assert isinstance(spoilt, SnippetError)
    assert spoilt.code in BREAKS_CODE, spoilt
    assert "CS1056" in {each["id"] for each in spoilt.details["diagnostics"]}

    accepted = judged.edit("player.Health", "player.Health + 1", mode="apply")
    assert isinstance(accepted, dict), accepted
    validation = accepted["validation"]
    assert validation["validator"] == "roslyn"
    assert validation["coverage"] == ["brackets", "syntax", "semantics"]
    assert validation["languageVersion"] == "9.0"
    assert validation["symbolSets"] == 2
    assert validation["notChecked"] == []
    assert validation["compiler"] == layout.compiler
    assert "player.Health + 1" in (root / ENEMY).read_text(encoding="utf-8")
    assert explain("auto", root)["taken"] == "roslyn_server"


@pytest.fixture
def unity_6_5(tmp_path: Path, roslyn_4_8: Toolchain) -> Layout:
    return laid_out.unity_6_5(tmp_path / "home", roslyn_4_8)


def test_a_broken_file_can_be_repaired_and_edited_elsewhere(
    unity_6_5: Layout, started: Started, tmp_path: Path, references: Path
) -> None:
    root = laid_out.project(tmp_path / "project", unity_6_5.editor)
    broken = TEXT.replace("player.Health;", "plyer.Health")
    laid_out.built(root, references, {ENEMY: broken, PLAYER: PLAYER_TEXT})
    judged = started(unity_6_5, root)

    elsewhere = judged.edit("return 0;", "return 1;")
    assert isinstance(elsewhere, dict), elsewhere
    assert "preexisting_errors" in {each["code"] for each in elsewhere["warnings"]}
    assert refusal(judged.edit("return 0;", "return 0"))[:2] == ("CS1002", 8)
    repaired = judged.edit("plyer.Health", "player.Health;", mode="apply")
    assert isinstance(repaired, dict), repaired
    assert repaired["warnings"] == []
    standing = judged.engine.validate_script({"path": ENEMY})
    assert isinstance(standing, dict)
    assert standing["valid"] is True
    assert standing["validation"]["validator"] == "roslyn"


def test_without_references_names_are_not_judged_and_the_response_says_so(
    unity_6_5: Layout, started: Started, tmp_path: Path
) -> None:
    root = laid_out.project(tmp_path / "project", unity_6_5.editor)
    (root / ENEMY).write_text(TEXT, encoding="utf-8")
    judged = started(unity_6_5, root)

    accepted = judged.edit("player.Health", "plyer.Health")
    assert isinstance(accepted, dict), accepted
    assert accepted["validation"]["coverage"] == ["brackets", "syntax"]
    assert accepted["validation"]["notChecked"] == ["semantics (no_references)"]
    (warning,) = accepted["warnings"]
    assert warning["code"] == "semantic_not_checked"
    assert refusal(judged.edit("player.Health;", "plyer.Health"))[0] == "CS1002"


def test_what_holds_of_all_files_of_a_set_is_said_once(
    unity_6_5: Layout, started: Started, tmp_path: Path
) -> None:
    root = laid_out.project(tmp_path / "project", unity_6_5.editor)
    paths = [f"Assets/Enemy{number}.cs" for number in range(3)]
    for path in paths:
        (root / path).write_text(TEXT, encoding="utf-8")
    judged = started(unity_6_5, root)

    anchor = {"type": "text", "target": "player.Health"}
    instruction = {"operation": "replace", "anchor": anchor, "newText": "player.Armour"}
    changes = [{"path": path, "instructions": [instruction]} for path in paths]
    result = judged.engine.edit_scripts({"mode": "preview", "changes": changes})
    text = text_form("edit_scripts", result)
    assert text.count("Names and types were not checked") == 1
    assert text.count("player.Armour") == 3


def test_what_is_written_is_what_other_files_are_judged_by(
    unity_6_5: Layout, started: Started, tmp_path: Path, references: Path
) -> None:
    root = laid_out.project(tmp_path / "project", unity_6_5.editor)
    laid_out.built(root, references, {ENEMY: TEXT, PLAYER: PLAYER_TEXT})
    judged = started(unity_6_5, root)

    assert refusal(judged.edit("player.Health", "player.Armour"))[0] == "CS1061"
    added = judged.edit("Health;", "Health, Armour;", path=PLAYER, mode="apply")
    assert isinstance(added, dict), added
    assert isinstance(judged.edit("player.Health", "player.Armour"), dict)
    undone = judged.engine.undo_snippet({"path": PLAYER, "hashAfter": added["hashAfter"]})
    assert isinstance(undone, dict)
    assert refusal(judged.edit("player.Health", "player.Armour"))[0] == "CS1061"


def test_errors_are_told_with_the_instruction_that_caused_them(
    unity_6_5: Layout, started: Started, tmp_path: Path, references: Path
) -> None:
    root = laid_out.project(tmp_path / "project", unity_6_5.editor)
    laid_out.built(root, references, {ENEMY: TEXT, PLAYER: PLAYER_TEXT})
    judged = started(unity_6_5, root)
    edits = [("return 0", "return 1"), ("player.Health", "plyer.Health"), ("int Hit", "inn Hit")]
    outcome = judged.edit(
        "",
        "",
        instructions=[
            {
                "operation": "replace",
                "anchor": {"type": "text", "target": old},
                "newText": new,
            }
            for old, new in edits
        ],
    )
    assert isinstance(outcome, SnippetError)
    told = {each["id"]: each["instruction"] for each in outcome.details["diagnostics"]}
    assert told == {"CS0246": 2, "CS0103": 1}
