"""``edit_snippet`` with ``roslyn_server`` as the judge, on every toolchain that can be had here.

docs/design/roslyn.md §2: the server is found, started and asked as ``--lsp auto`` does it, with the
toolchain found as on a user's machine.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import laid_out
from judged_edits import ENEMY, PLAYER, PLAYER_TEXT, TEXT, Started
from laid_out import Layout

from mcp_server.calls.language_server import explain
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


def test_without_references_names_are_not_judged_and_that_is_said_once(
    machine: Layout, started: Started, tmp_path: Path
) -> None:
    root = laid_out.project(tmp_path / "project", machine.editor)
    paths = [ENEMY, "Assets/Other.cs"]
    for path in paths:
        (root / path).write_text(TEXT, encoding="utf-8")
    judged = started(machine, root)

    accepted = judged.edit("player.Health", "plyer.Health")
    assert isinstance(accepted, dict), accepted
    assert accepted["validation"]["coverage"] == ["brackets", "syntax"]
    assert accepted["validation"]["notChecked"] == ["semantics (no_references)"]
    (warning,) = accepted["warnings"]
    assert warning["code"] == "semantic_not_checked"
    assert refusal(judged.edit("player.Health;", "plyer.Health"))[0] == "CS1002"

    anchor = {"type": "text", "target": "player.Health"}
    instruction = {"operation": "replace", "anchor": anchor, "newText": "player.Armour"}
    changes = [{"path": path, "instructions": [instruction]} for path in paths]
    result = judged.engine.edit_scripts({"mode": "preview", "changes": changes})
    text = text_form("edit_scripts", result)
    assert text.count("Names and types were not checked") == 1
    assert text.count("player.Armour") == 2
