"""What an undo makes of ``.meta`` files that others have changed, removed or made meanwhile."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
from change_sets import FILES, Scene, contents, new_project

from snippet_engine.answer.text_form import text_form
from snippet_engine.engine import SnippetEngine
from snippet_engine.storage.change_sets.change_plan import FileChange

CONTRACT = Path(__file__).parents[3] / "contracts/tools/undo_snippet.output.json"
OLD_GUID = b"fileFormatVersion: 2\nguid: 00000000000000000000000000000001\n"
NEW_GUID = b"fileFormatVersion: 2\nguid: 00000000000000000000000000000002\n"


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    scene = Scene.of(new_project(tmp_path / "Game"))
    (scene.root / "Assets/Util.cs.meta").write_bytes(OLD_GUID)
    return scene


def move(scene: Scene) -> FileChange:
    return scene.move("Assets/Util.cs", "Assets/Core/Util.cs")


def undone(scene: Scene, change_id: object) -> tuple[list[tuple[str, str]], str]:
    """Code and path of each warning, and the text, as an agent gets them; twice the same."""
    engine = SnippetEngine.open(scene.root)
    assert isinstance(engine, SnippetEngine)
    request = {"changeId": change_id, "client_request_id": "again"}
    result = engine.undo_snippet(request)
    assert isinstance(result, dict), result
    jsonschema.validate(result, json.loads(CONTRACT.read_bytes()))
    repeated = engine.undo_snippet(request)
    assert isinstance(repeated, dict)
    warnings = result.get("warnings", [])
    assert repeated.get("warnings", []) == warnings
    text = text_form("undo_snippet", result)
    for each in warnings:
        assert each["message"] in text
        assert len(each["message"]) <= 200
        assert each["path"] in each["message"]
    assert ("its files are as they were" in text) == (not warnings)
    assert ("its scripts are as they were" in text) == bool(warnings)
    return [(each["code"], each["path"]) for each in warnings], text


def test_a_meta_that_is_gone_from_where_it_moved_comes_back(scene: Scene) -> None:
    before = contents(scene.root)
    made = scene.store.apply([move(scene)], client=None)
    (scene.root / "Assets/Core/Util.cs.meta").unlink()
    assert undone(scene, made)[0] == []
    assert contents(scene.root) == before


def test_one_that_was_changed_since_the_move_is_kept_and_told(scene: Scene) -> None:
    made = scene.store.apply([move(scene)], client=None)
    (scene.root / "Assets/Core/Util.cs.meta").write_bytes(NEW_GUID)
    warnings, text = undone(scene, made)
    assert warnings == [("meta_changed", "Assets/Util.cs.meta")]
    assert "its GUID is 00000000000000000000000000000002, was 0000000000000000000" in text
    assert (scene.root / "Assets/Util.cs.meta").read_bytes() == NEW_GUID


def test_other_settings_under_the_same_guid(scene: Scene) -> None:
    made = scene.store.apply([move(scene)], client=None)
    (scene.root / "Assets/Core/Util.cs.meta").write_bytes(OLD_GUID + b"executionOrder: 5\n")
    warnings, text = undone(scene, made)
    assert warnings == [("meta_changed", "Assets/Util.cs.meta")]
    assert "its GUID is the same" in text


def test_one_that_came_only_after_the_move(scene: Scene) -> None:
    (scene.root / "Assets/Util.cs.meta").unlink()
    made = scene.store.apply([move(scene)], client=None)
    (scene.root / "Assets/Core/Util.cs.meta").write_bytes(NEW_GUID)
    assert undone(scene, made)[0] == [("meta_changed", "Assets/Util.cs.meta")]
    assert (scene.root / "Assets/Util.cs.meta").read_bytes() == NEW_GUID


def test_a_meta_without_its_script_where_a_deleted_one_had_none(scene: Scene) -> None:
    (scene.root / "Assets/Old.cs.meta").unlink()
    made = scene.store.apply([scene.delete("Assets/Old.cs")], client=None)
    (scene.root / "Assets/Old.cs.meta").write_bytes(NEW_GUID)
    assert undone(scene, made)[0] == [("meta_orphan", "Assets/Old.cs.meta")]


def test_a_meta_that_was_there_before_a_created_script_and_is_gone(scene: Scene) -> None:
    (scene.root / "Assets/New.cs.meta").write_bytes(NEW_GUID)
    made = scene.store.apply([scene.create("Assets/New.cs", b"class New { }\n")], client=None)
    (scene.root / "Assets/New.cs.meta").unlink()
    assert undone(scene, made)[0] == [("meta_missing", "Assets/New.cs.meta")]


@pytest.mark.parametrize("change", ["delete", "move"])
def test_a_folder_that_the_undo_makes_anew_lacks_its_meta(scene: Scene, change: str) -> None:
    done: dict[str, Callable[[], FileChange]] = {
        "delete": lambda: scene.delete("Assets/Enemies/Enemy.cs"),
        "move": lambda: scene.move("Assets/Enemies/Enemy.cs", "Assets/Enemy.cs"),
    }
    made = scene.store.apply([done[change]()], client=None)
    (scene.root / "Assets/Enemies").rmdir()
    (scene.root / "Assets/Enemies.meta").unlink()
    warnings, _ = undone(scene, made)
    assert warnings == [("meta_missing", "Assets/Enemies.meta")]
    assert (scene.root / "Assets/Enemies/Enemy.cs.meta").read_bytes() == b"guid: 2\n"


def test_nothing_is_told_where_all_is_as_it_was(scene: Scene) -> None:
    before = contents(scene.root)
    made = scene.store.apply(scene.everything(), client=None)
    assert undone(scene, made)[0] == []
    assert contents(scene.root) == before
    assert before.keys() == FILES.keys()
