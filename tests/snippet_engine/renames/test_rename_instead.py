"""An accepted edit that does nothing but rename a symbol is answered with the rename to send."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from test_rename_tool import ENEMY, PLAYER, SCENE, TIME, Renaming

from mcp_server.contract.outcome import ToolResult
from mcp_server.contract.short_schemas import SHORT_OUTPUTS
from mcp_server.host.mcp.short_answers import short_answer
from snippet_engine.answer.text_form import text_form
from snippet_engine.csharp.document import Document
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import SnippetError
from snippet_engine.renames import seems_rename
from snippet_engine.renames.replaced_name import replaced_name, replaces_name
from snippet_engine.schemas.tool_schemas import OUTPUT_SCHEMAS
from snippet_engine.source_text import SourceText, decode

RENAMED = (("void Fire() { Fire(); }", "void Shoot() { Shoot(); }"),)


@pytest.fixture
def renaming(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Renaming]:
    monkeypatch.setattr(seems_rename, "WITHIN_S", TIME / 1000)
    made = Renaming(tmp_path / "project")
    yield made
    made.server.close()


def change(path: str, *pairs: tuple[str, str], **more: Any) -> dict[str, Any]:
    edits = [
        {"operation": "replace", "anchor": {"type": "text", "target": old}, "newText": new}
        for old, new in pairs
    ]
    return {"path": path, "instructions": edits, **more}


def edited(
    renaming: Renaming, *changes: dict[str, Any], mode: str = "preview", **more: Any
) -> dict[str, Any]:
    asked = {"changes": list(changes), "mode": mode, "timeout_ms": TIME, **more}
    result = renaming.engine.edit_scripts(asked)
    assert not isinstance(result, SnippetError), result
    Draft202012Validator(OUTPUT_SCHEMAS["edit_scripts"]).validate(result)
    return result


def send(renaming: Renaming, request: dict[str, Any]) -> dict[str, Any]:
    tool = getattr(renaming.engine, request["tool"])
    result = tool({**request["arguments"], "timeout_ms": 30_000})
    assert not isinstance(result, SnippetError), result
    return dict(result)


def test_a_preview_offers_the_rename_with_what_is_left_out(renaming: Renaming) -> None:
    found = edited(renaming, change(PLAYER, *RENAMED))["seemsRename"]
    assert (found["symbol"], found["newName"]) == ("Player.Fire()", "Shoot")
    assert (found["otherPlaces"], found["inAssets"]) == (1, 1)
    assert "notCounted" not in found
    (request,) = found["requests"]
    assert request["arguments"]["mode"] == "preview"
    result = send(renaming, request)
    assert {each["path"] for each in result["files"]} == {PLAYER, ENEMY, SCENE}


def test_after_an_apply_the_requests_in_their_order_rename_everywhere(renaming: Renaming) -> None:
    applied = edited(renaming, change(PLAYER, *RENAMED), mode="apply", client_request_id="one")
    assert b"p.Fire()" in renaming.project.read(ENEMY)
    undo, rename = applied["seemsRename"]["requests"]
    assert (undo["tool"], rename["tool"]) == ("undo_snippet", "rename_symbol")
    again = edited(renaming, change(PLAYER, *RENAMED), mode="apply", client_request_id="one")
    assert (again["replayed"], again["seemsRename"]) == (True, applied["seemsRename"])
    send(renaming, undo)
    assert send(renaming, rename)["applied"]
    assert b"p.Shoot()" in renaming.project.read(ENEMY)
    assert b"Shoot(); }" in renaming.project.read(PLAYER)
    assert b"m_MethodName: Shoot" in renaming.project.read(SCENE)


def test_every_place_by_hand_needs_no_offer(renaming: Renaming) -> None:
    both = change(PLAYER, *RENAMED), change(ENEMY, ("p.Fire", "p.Shoot"))
    found = edited(renaming, *both)["seemsRename"]
    assert (found["otherPlaces"], found["inAssets"]) == (0, 1)
    renaming.project.write("no name here\n", SCENE)
    assert "seemsRename" not in edited(renaming, *both)


def test_a_type_moved_by_hand(renaming: Renaming) -> None:
    name = ("class Player", "class Hero")
    moved = change(PLAYER, name, moveTo="Assets/Scripts/Hero.cs")
    assert edited(renaming, moved)["seemsRename"]["otherPlaces"] == 1
    elsewhere = change(PLAYER, name, moveTo="Assets/Scripts/Other.cs")
    assert "seemsRename" not in edited(renaming, elsewhere)


def test_what_does_more_is_no_rename(renaming: Renaming) -> None:
    created = {"path": "Assets/Scripts/New.cs", "create": "class New { }\n"}
    for changes in (
        [change(PLAYER, ("void Fire()", "int Shoot()"))],
        [change(PLAYER, ("class Player", "class Hero"), ("void Fire", "void Shoot"))],
        [change(PLAYER, *RENAMED), change(ENEMY, ("void Hit", "void Strike"))],
        [change(PLAYER, *RENAMED), created],
        [change(PLAYER, ("{ Fire(); }", "{ Shoot(); }"))],
    ):
        assert "seemsRename" not in edited(renaming, *changes)


def test_two_symbols_of_one_name_are_no_rename(renaming: Renaming) -> None:
    renaming.project.write(
        'class A { void Fire() { } }\nclass B { void Fire() { } string s = "B.Fire"; }\n', PLAYER
    )
    pairs = ("A { void Fire", "A { void Shoot"), ("B { void Fire", "B { void Shoot")
    # The double takes every word for one symbol, so it is one; a compiler knows two.
    assert edited(renaming, change(PLAYER, *pairs))["seemsRename"]
    assert "seemsRename" not in edited(renaming, change(PLAYER, *pairs), validation="embedded")


def test_what_was_not_searched_is_no_count(renaming: Renaming) -> None:
    renaming.assets.not_searched.append(("Assets/Big.unity", "is binary"))
    found = edited(renaming, change(PLAYER, *RENAMED))["seemsRename"]
    assert (found["otherPlaces"], found["inAssets"]) == (1, 1)
    assert found["notCounted"] == ["Assets/Big.unity: is binary."]
    renaming.project.write("no name here\n", SCENE)
    # The rename can't search it, either, so it would do no more than these edits.
    both = change(PLAYER, *RENAMED), change(ENEMY, ("p.Fire", "p.Shoot"))
    assert "seemsRename" not in edited(renaming, *both)


def test_without_a_compilers_verdict_nothing_is_counted(renaming: Renaming) -> None:
    result = edited(renaming, change(PLAYER, *RENAMED), validation="embedded")
    found = result["seemsRename"]
    assert found.keys().isdisjoint(("otherPlaces", "inAssets"))
    assert found["notCounted"] == ["The request didn't ask a language server."]
    assert "other places not counted (not counted: The request" in text_form("edit_scripts", result)


def test_without_a_server_there_is_no_offer(renaming: Renaming) -> None:
    engine = SnippetEngine.open(renaming.project.root)
    assert isinstance(engine, SnippetEngine)
    result = engine.edit_scripts({"changes": [change(PLAYER, *RENAMED)], "mode": "preview"})
    assert not isinstance(result, SnippetError)
    assert "seemsRename" not in result


def test_late_counts_are_left_out(renaming: Renaming, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seems_rename, "WITHIN_S", 0.0)
    found = edited(renaming, change(PLAYER, *RENAMED))["seemsRename"]
    assert found["notCounted"] == ["Counting took longer than 1 s."]
    assert found.keys().isdisjoint(("otherPlaces", "inAssets"))


def test_short_answers_and_texts_have_it(renaming: Renaming) -> None:
    result = edited(renaming, change(PLAYER, *RENAMED), mode="apply")
    short = short_answer("edit_scripts", {}, ToolResult(result, ""))
    Draft202012Validator(SHORT_OUTPUTS["edit_scripts"]).validate(short.structured)
    assert short.structured["seemsRename"]["requests"] == result["seemsRename"]["requests"]
    line = "seems a rename of Player.Fire() to Shoot: 1 other place in scripts, 1 place in assets."
    for text in (text_form("edit_scripts", result), short.text):
        assert line in text
        assert ", then rename_symbol {" in text


@pytest.mark.parametrize(
    ("view", "edits", "name"),
    [
        ("int speed;", [(4, 9, "pace")], ("speed", "pace", 1)),
        ("int speed;", [(4, 5, "S")], ("speed", "Speed", 1)),
        ("int speed;", [(9, 9, "2")], ("speed", "speed2", 1)),
        ("int a, a2; f(a);", [(0, 16, "int b, a2; f(b);")], ("a", "b", 2)),
        ("int speed;", [(4, 9, "5")], None),
        ("int speed;", [(0, 9, "long pace")], None),
        ("a; b;", [(0, 1, "c"), (3, 4, "d")], None),
        ("int speed;", [(4, 9, "pace = 3")], None),
        ("f(1);", [(2, 3, "2")], None),
    ],
)
def test_one_name_replaced(
    view: str, edits: list[tuple[int, int, str]], name: tuple[str, str, int] | None
) -> None:
    found = replaced_name(view, EditSet(tuple(TextEdit(*each) for each in edits)))
    assert (found and (found.was, found.now, len(found.offsets))) == name


def test_no_edits_replace_nothing_else() -> None:
    source = decode(b"class A { }\n")
    assert isinstance(source, SourceText)
    assert replaces_name(Document(source), EditSet(()))
