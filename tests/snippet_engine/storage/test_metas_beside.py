"""What others put beside the files and folders of a set: told by its undo, and kept."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from answered import success
from change_sets import FILES, Scene, contents

from snippet_engine.answer.text_form import text_form
from snippet_engine.storage.change_sets import change_slots
from snippet_engine.storage.change_sets.meta_files import RemovedMeta
from snippet_engine.storage.stores.change_store import UndoneChange

CONTRACT = Path(__file__).parents[3] / "contracts/tools/undo_snippet.output.json"
UNITYS = b"guid: of somebody else\n"


def copies(scene: Scene, metas: tuple[RemovedMeta, ...]) -> dict[str, bytes]:
    """What is kept of each, by its path: one copy of each, where it is told."""
    found = {}
    for each in metas:
        (place,) = scene.root.glob(each.kept)
        found[each.path] = place.read_bytes()
    return found


def test_the_undo_of_a_creation_tells_and_keeps_the_meta_files_that_came_since(
    scene: Scene,
) -> None:
    made = scene.applied(*scene.everything())
    beside = ["Assets/Core.meta", "Assets/Core/Deep.meta", "Assets/Health/Health.cs.meta"]
    for name in beside:
        (scene.root / name).write_bytes(UNITYS + name.encode())
    announced: list[UndoneChange] = []
    undone = success(scene.store.undo(made, announce=lambda coming, _: announced.append(coming)))
    assert copies(scene, undone.metas) == {name: UNITYS + name.encode() for name in beside}
    # What a repeated request would be told is what was told.
    assert {each.path: each.kept for each in announced[0].metas} == {
        each.path: each.kept for each in undone.metas
    }
    assert contents(scene.root) == FILES
    assert scene.store.history(None, 10) == []


def test_nothing_is_told_of_what_the_set_had_made_itself_or_what_stays(scene: Scene) -> None:
    (scene.root / "Assets/Health.meta").write_bytes(UNITYS)
    made = scene.applied(*scene.everything())
    (scene.root / "Assets/Core.meta").write_bytes(UNITYS)
    (scene.root / "Assets/Core/notes.txt").write_bytes(b"mine\n")
    undone = scene.undone(made)
    assert undone.metas == ()
    assert (scene.root / "Assets/Core.meta").read_bytes() == UNITYS
    assert (scene.root / "Assets/Health.meta").read_bytes() == UNITYS


def test_one_that_comes_in_the_middle_of_the_undo_is_told_as_well(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = scene.applied(scene.create("Assets/New/New.cs", b"class New { }\n"))
    put_away = change_slots.put_away

    def unity_is_quick(*given: object) -> object:
        (scene.root / "Assets/New.meta").write_bytes(UNITYS)
        return put_away(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(change_slots, "put_away", unity_is_quick)
    undone = scene.undone(made)
    assert copies(scene, undone.metas) == {"Assets/New.meta": UNITYS}


def test_a_set_that_goes_back_keeps_the_meta_of_a_folder_that_it_had_made(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_name = change_slots.give_name

    def unity_is_quick(script: object, folder: object, temporary: str) -> object:
        (scene.root / "Assets/New.meta").write_bytes(UNITYS)
        (scene.root / "Assets/New/New.cs").write_bytes(b"// somebody else's\n")
        refused = give_name(script, folder, temporary)  # type: ignore[arg-type]
        (scene.root / "Assets/New/New.cs").unlink()
        return refused

    monkeypatch.setattr(change_slots, "give_name", unity_is_quick)
    changes = [scene.create("Assets/New/New.cs", b"class New { }\n")]
    assert not isinstance(scene.store.apply(changes, client=None), str)
    assert contents(scene.root) == FILES
    (kept,) = (scene.root / "Library/SnippetEngine/history").glob("*.meta")
    assert kept.read_bytes() == UNITYS


def test_the_tool_names_each_with_its_copy(scene: Scene) -> None:
    engine = scene.engine()
    path = "Assets/New.cs"
    change = {"path": path, "create": "public class New { }\n"}
    applied = success(engine.edit_scripts({"mode": "apply", "changes": [change]}))
    (scene.root / f"{path}.meta").write_bytes(UNITYS)
    request = {"changeId": applied["changeId"], "client_request_id": "once"}
    undone = success(engine.undo_snippet(request))
    jsonschema.validate(undone, json.loads(CONTRACT.read_bytes()))
    (removed,) = undone["removed"]
    assert removed["path"] == f"{path}.meta"
    (kept,) = scene.root.glob(removed["kept"])
    assert kept.read_bytes() == UNITYS
    assert f"removed {path}.meta" in text_form("undo_snippet", undone)
    assert removed["kept"] in text_form("undo_snippet", undone)
    assert engine.undo_snippet(request) == {**undone, "replayed": True}
