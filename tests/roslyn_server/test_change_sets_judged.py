"""Change sets judged by a real compiler as one: docs/design/change-sets.md §2."""

from __future__ import annotations

from typing import Any

import pytest
from judged_edits import ENEMY, PLAYER, PLAYER_TEXT, Judged, refusals

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.source_text import content_hash

ENEMY_TEXT = """namespace Game
{
    public class Enemy
    {
        public int Hit(Player player)
        {
            return player.Damage(3, true);
        }
    }
}
"""
PLAYER_WITH_DAMAGE = PLAYER_TEXT.replace(
    "public int Health;",
    "public int Health;\n        public int Damage(int by, bool hard) => Health -= by;\n    ",
)
SCRIPTS = {ENEMY: ENEMY_TEXT, PLAYER: PLAYER_WITH_DAMAGE}
SIGNATURE = {
    "operation": "replace",
    "anchor": {"type": "symbol", "symbolPath": "Player.Damage", "part": "signature"},
    "newText": "public int Damage(int by)",
}
CALLER = {
    "operation": "replace",
    "anchor": {"type": "text", "target": "Damage(3, true)"},
    "newText": "Damage(3)",
}


@pytest.fixture
def judged(serving: Judged) -> Judged:
    return serving.rewritten(SCRIPTS)


def edit(path: str, *instructions: dict[str, Any]) -> dict[str, Any]:
    return {"path": path, "instructions": list(instructions)}


def change(judged: Judged, *changes: dict[str, Any], **more: Any) -> dict[str, Any] | SnippetError:
    request = {"mode": "preview", "validation": "lsp", "changes": list(changes), **more}
    return judged.engine.edit_scripts(request)


def test_a_changed_signature_without_its_callers_is_refused_with_their_place(
    judged: Judged,
) -> None:
    error = change(judged, edit(PLAYER, SIGNATURE))
    assert isinstance(error, SnippetError)
    assert refusals(error) == [("CS1501", ENEMY, 7)]
    (diagnostic,) = error.details["diagnostics"]
    assert diagnostic["column"] == ENEMY_TEXT.splitlines()[6].index("Damage") + 1
    assert error.code is ErrorCode.COMPILE_ERROR
    assert error.message.startswith(f"{ENEMY} would not compile: line 7: CS1501")


def test_with_its_callers_it_lands(judged: Judged) -> None:
    done = change(judged, edit(PLAYER, SIGNATURE), edit(ENEMY, CALLER), mode="apply")
    assert isinstance(done, dict), done
    assert done["applied"]
    assert done["validation"]["validator"].startswith("roslyn")
    assert "semantics" in done["validation"]["coverage"]
    assert "Damage(3);" in judged.text(ENEMY)


def test_a_new_file_and_its_first_use_are_one(judged: Judged) -> None:
    new = {"path": "Assets/Armour.cs", "create": "namespace Game { public class Armour { } }\n"}
    use = {
        "operation": "insert",
        "anchor": {"type": "symbol", "symbolPath": "Player", "position": "body_end"},
        "newText": "public Armour Worn;",
    }
    assert isinstance(change(judged, edit(PLAYER, use)), SnippetError)
    assert isinstance(change(judged, edit(PLAYER, use), new), dict)


def test_a_deleted_file_that_others_use_is_refused(judged: Judged) -> None:
    gone = {
        "path": PLAYER,
        "delete": True,
        "expectedHash": content_hash((judged.root / PLAYER).read_bytes()),
    }
    error = change(judged, gone)
    assert isinstance(error, SnippetError)
    assert {each[1] for each in refusals(error)} == {ENEMY}


def test_what_was_not_judged_is_told_in_words_that_fit(judged: Judged) -> None:
    for number in range(80):
        file = judged.root / f"Assets/Many{number:02}.cs"
        file.write_text(f"class Many{number} {{ /* Enemy */ }}\n", "utf-8")
    found = content_hash((judged.root / ENEMY).read_bytes())
    done = change(judged, {"path": ENEMY, "delete": True, "expectedHash": found})
    assert isinstance(done, dict), done
    assert done["validation"]["validator"] == "roslyn"
    assert done["validation"]["notChecked"] == [
        "In Assembly-CSharp, 17 more files that the change affects were not checked"
    ]


def test_a_moved_file_means_what_it_meant(judged: Judged) -> None:
    done = change(judged, {"path": PLAYER, "moveTo": "Assets/Core/Player.cs"})
    assert isinstance(done, dict), done


def test_an_error_in_a_file_of_the_set_names_its_instruction(judged: Judged) -> None:
    wrong = {**CALLER, "newText": "Damage(nothing)"}
    error = change(judged, edit(PLAYER, SIGNATURE), edit(ENEMY, wrong))
    assert isinstance(error, SnippetError)
    assert (error.file, error.instruction) == (1, 0)


def test_a_renamed_file_keeps_its_old_errors(judged: Judged) -> None:
    """They are not new: neither in its names nor in its syntax."""
    broken = ENEMY_TEXT.replace("Damage(3, true)", "Damage(3)")
    for text in (broken, broken.replace("Damage(3)", "Damage(3) +")):
        serving = judged.rewritten({ENEMY: text, PLAYER: PLAYER_WITH_DAMAGE})
        target = ENEMY.replace("Enemy.cs", "Foe.cs")
        answer = change(serving, {"path": ENEMY, "moveTo": target})
        assert isinstance(answer, dict), answer
