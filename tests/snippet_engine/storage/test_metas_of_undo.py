"""What an undo makes of ``.meta`` files that others have changed, removed or made meanwhile."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
from answered import success
from change_sets import FILES, Scene, contents, new_project

from snippet_engine.answer.text_form import text_form
from snippet_engine.storage.change_sets.change_plan import FileChange

CONTRACT = Path(__file__).parents[3] / "contracts/tools/undo_snippet.output.json"
OLD_GUID = b"fileFormatVersion: 2\nguid: 00000000000000000000000000000001\n"
NEW_GUID = b"fileFormatVersion: 2\nguid: 00000000000000000000000000000002\n"


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    scene = Scene.of(new_project(tmp_path / "Game"))
    (scene.root / "Assets/Util.cs.meta").write_bytes(OLD_GUID)
    return scene


def undone(scene: Scene, change_id: object) -> tuple[list[tuple[str, str]], str]:
    """Code and path of each warning, and the text, as an agent gets them; twice the same."""
    engine = scene.engine()
    request = {"changeId": change_id, "client_request_id": "again"}
    result = success(engine.undo_snippet(request))
    jsonschema.validate(result, json.loads(CONTRACT.read_bytes()))
    repeated = success(engine.undo_snippet(request))
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


META, MOVED = "Assets/Util.cs.meta", "Assets/Core/Util.cs.meta"
OLD, NEW, FOLDER = "Assets/Old.cs.meta", "Assets/New.cs.meta", "Assets/Enemies.meta"
ENEMY = "Assets/Enemies/Enemy.cs"

Change = Callable[[Scene], FileChange]
Metas = dict[str, bytes | None]
CHANGES: dict[str, Change] = {
    "move": lambda scene: scene.move("Assets/Util.cs", "Assets/Core/Util.cs"),
    "delete": lambda scene: scene.delete("Assets/Old.cs"),
    "create": lambda scene: scene.create("Assets/New.cs", b"class New { }\n"),
    "move the last": lambda scene: scene.move(ENEMY, "Assets/Enemy.cs"),
    "delete the last": lambda scene: scene.delete(ENEMY),
}


@pytest.mark.parametrize(
    ("before", "change", "since", "warning", "said"),
    [
        ({}, "move", {MOVED: None}, None, ""),
        ({}, "move", {MOVED: NEW_GUID}, ("meta_changed", META), f"is {'2':0>32}, was {'0' * 19}"),
        ({}, "move", {MOVED: OLD_GUID + b"order: 5\n"}, ("meta_changed", META), "is the same"),
        ({META: None}, "move", {MOVED: NEW_GUID}, ("meta_changed", META), "none before"),
        ({OLD: None}, "delete", {OLD: NEW_GUID}, ("meta_orphan", OLD), ""),
        ({NEW: NEW_GUID}, "create", {NEW: None}, ("meta_missing", NEW), ""),
        ({}, "move the last", {FOLDER: None}, ("meta_missing", FOLDER), ""),
        ({}, "delete the last", {FOLDER: None}, ("meta_missing", FOLDER), ""),
    ],
)
def test_what_others_did_to_a_meta_is_kept_and_told(
    scene: Scene, before: Metas, change: str, since: Metas, warning: tuple[str, str], said: str
) -> None:
    """One that is gone comes back if it was the script's; a folder that is gone has none."""
    put(scene, before)
    first = contents(scene.root)
    made = scene.applied(CHANGES[change](scene))
    if FOLDER in since:
        (scene.root / "Assets/Enemies").rmdir()
    put(scene, since)
    warnings, text = undone(scene, made)
    assert warnings == ([] if warning is None else [warning])
    assert said in text
    expected = dict(first)
    for path, now in since.items():
        expected.pop(path, None)
        if now is not None:
            expected[META if path == MOVED else path] = now
    assert contents(scene.root) == expected


def put(scene: Scene, metas: Metas) -> None:
    """Write these, or remove them."""
    for path, data in metas.items():
        (scene.root / path).unlink() if data is None else (scene.root / path).write_bytes(data)


def test_nothing_is_told_where_all_is_as_it_was(scene: Scene) -> None:
    before = contents(scene.root)
    made = scene.store.apply(scene.everything(), client=None)
    assert undone(scene, made)[0] == []
    assert contents(scene.root) == before
    assert before.keys() == FILES.keys()
