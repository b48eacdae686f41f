"""An edit of a declared name that breaks its callers offers the rename."""

from __future__ import annotations

from typing import Any

import pytest
from judged_edits import ENEMY, PLAYER, STARTING_S, Judged

from snippet_engine.errors import Applicability, SnippetError, applicability_of
from snippet_engine.renames import seems_rename

SCRIPTS = {
    PLAYER: "public class Player\n{\n    public int Damage(int by) => by;\n}\n",
    ENEMY: "class Enemy\n{\n    int Hit(Player player) => player.Damage(3);\n}\n",
}


@pytest.fixture
def judged(serving: Judged) -> Judged:
    return serving.rewritten(SCRIPTS)


def refused(judged: Judged, old: str, new: str) -> SnippetError:
    error = judged.edit(old, new, path=PLAYER)
    assert isinstance(error, SnippetError), error
    return error


def test_the_rename_is_offered_and_works(judged: Judged) -> None:
    error = refused(judged, "int Damage(", "int Hurt(")
    (offer,) = error.offers
    assert offer.tool == "rename_symbol"
    assert applicability_of(error.offers) == [Applicability.CHOICE]
    assert offer.arguments["symbolPath"] == "Player.Damage(int)"
    asked = {**offer.arguments, "mode": "apply", "timeout_ms": int(STARTING_S * 1000)}
    done = judged.engine.rename_symbol(asked)
    assert not isinstance(done, SnippetError), done
    assert "player.Hurt(3)" in judged.text(ENEMY)


def test_in_a_set_too(judged: Judged) -> None:
    edit = {
        "operation": "replace",
        "anchor": {"type": "text", "target": "int Damage("},
        "newText": "int Hurt(",
    }
    asked = {"mode": "preview", "validation": "lsp", "timeout_ms": 60_000}
    error = judged.engine.edit_scripts(
        {**asked, "changes": [{"path": PLAYER, "instructions": [edit]}]}
    )
    assert isinstance(error, SnippetError)
    assert [each.tool for each in error.offers] == ["rename_symbol"]
    assert error.offers[0].arguments["mode"] == "preview"


def test_what_changes_more_than_a_name_is_no_rename(judged: Judged) -> None:
    for new in ("long Hurt(", "int Damage(bool hard, "):
        error = refused(judged, "int Damage(", new)
        assert not any(each.tool for each in error.offers)


LISTED = 'class Listed\n{\n    /// <see cref="Player.Damage(int)"/>\n    int hits;\n}\n'


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seems_rename, "WITHIN_S", STARTING_S)


def seems(judged: Judged, old: str, new: str, **more: Any) -> dict[str, Any]:
    result = judged.edit(old, new, path=PLAYER, **more)
    assert not isinstance(result, SnippetError), result
    return dict(result.get("seemsRename", {}))


@pytest.mark.usefixtures("patient")
def test_an_accepted_edit_is_told_what_it_leaves_out(judged: Judged) -> None:
    judged.rewritten({PLAYER: SCRIPTS[PLAYER], ENEMY: LISTED})
    found = seems(judged, "int Damage(", "int Hurt(", mode="apply")
    assert (found["symbol"], found["newName"]) == ("Player.Damage(int)", "Hurt")
    assert (found["otherPlaces"], found["inAssets"]) == (1, 0)
    undo, rename = found["requests"]
    assert not isinstance(judged.engine.undo_snippet(undo["arguments"]), SnippetError)
    asked = {**rename["arguments"], "timeout_ms": int(STARTING_S * 1000)}
    done = judged.engine.rename_symbol(asked)
    assert not isinstance(done, SnippetError), done
    assert "Player.Hurt(int)" in judged.text(ENEMY)


@pytest.mark.usefixtures("patient")
def test_a_whole_rename_by_hand_has_no_offer(judged: Judged) -> None:
    judged.rewritten({PLAYER: SCRIPTS[PLAYER], ENEMY: "class Enemy { }\n"})
    assert seems(judged, "int Damage(", "int Hurt(") == {}


@pytest.mark.usefixtures("patient")
def test_two_methods_of_one_name_are_no_symbol(judged: Judged) -> None:
    two = "class A { void Fire() { } }\nclass B { void Fire() { } }\n"
    judged.rewritten({PLAYER: two, ENEMY: LISTED.replace("Player.Damage(int)", "A.Fire()")})
    new = two.replace("Fire", "Shoot")
    assert seems(judged, two, new) == {}
    assert seems(judged, "class A { void Fire", "class A { void Shoot")["otherPlaces"] == 1
