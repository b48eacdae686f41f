"""What a living writer has begun: told as that, and neither as nothing nor as cut short."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from functools import partialmethod
from pathlib import Path

import jsonschema
import pytest
from change_sets import FILES, Scene, new_project

from snippet_engine.answer.text_form import text_form
from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import SnippetError
from snippet_engine.storage.change_sets.open_change import OpenChange
from snippet_engine.storage.recovery.unfinished import UnderWayError
from snippet_engine.storage.stores import script_store

CONTRACT = Path(__file__).parents[4] / "contracts/tools/get_history.output.json"


class Paused:
    """Lets a call come to a halt in the middle of a write, until it is let go on."""

    def __init__(self, real: Callable[..., object]) -> None:
        self.is_there, self.go_on = threading.Event(), threading.Event()
        self._real = real

    def __call__(self, *given: object, **named: object) -> object:
        self.is_there.set()
        assert self.go_on.wait(60)
        return self._real(*given, **named)


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene.of(new_project(tmp_path / "Game"))


def told(scene: Scene, path: str | None = None) -> dict[str, object]:
    """What another server is told."""
    engine = SnippetEngine.open(scene.root)
    assert isinstance(engine, SnippetEngine)
    result = engine.get_history({} if path is None else {"path": path})
    assert not isinstance(result, SnippetError), result
    jsonschema.validate(result, json.loads(CONTRACT.read_bytes()))
    return result


def test_a_set_that_is_being_written_is_told_as_that(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    paused = Paused(OpenChange.sync)
    monkeypatch.setattr(OpenChange, "sync", partialmethod(paused))
    changes = scene.everything()
    writer = threading.Thread(target=lambda: scene.store.apply(changes, client=None))
    writer.start()
    assert paused.is_there.wait(60)
    try:
        listed = told(scene)
        (writing,) = listed["unfinished"]
        assert listed["changes"] == []
        assert writing["state"] == "beingWritten"
        assert f"Change {writing['changeId']} is being written now." in writing["message"]
        assert "Assets/Player.cs" in writing["files"]
        assert "is being written now" in text_form("get_history", listed)
        assert "unfinished" in told(scene, "Assets/Player.cs")
        (scene.root / "Assets/Other.cs").write_bytes(b"class Other { }\n")
        assert "unfinished" not in told(scene, "Assets/Other.cs")
    finally:
        paused.go_on.set()
        writer.join()
    listed = told(scene)
    assert "unfinished" not in listed
    assert listed["changes"][0]["undo"] == {"changeId": writing["changeId"]}


def test_an_undo_by_the_change_that_it_takes_back(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = scene.store.apply(scene.everything(), client=None)
    assert isinstance(made, str)
    paused = Paused(OpenChange.sync)
    monkeypatch.setattr(OpenChange, "sync", partialmethod(paused))
    writer = threading.Thread(target=lambda: scene.store.undo(made))
    writer.start()
    assert paused.is_there.wait(60)
    try:
        (writing,) = told(scene)["unfinished"]
        assert writing["message"].startswith(f"The undo of change {made} is being written now.")
    finally:
        paused.go_on.set()
        writer.join()
    assert told(scene) == {"changes": []}


def test_a_write_of_one_file(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    paused = Paused(script_store.put_in_place)
    monkeypatch.setattr(script_store, "put_in_place", paused)
    store = script_store.ScriptStore(scene.project)
    player = scene.there("Assets/Player.cs")
    old = FILES["Assets/Player.cs"]
    writer = threading.Thread(target=lambda: store.apply(player, old, b"// new\n"))
    writer.start()
    assert paused.is_there.wait(60)
    try:
        (writing,) = told(scene)["unfinished"]
        assert writing["state"] == "beingWritten"
        assert writing["files"] == ["Assets/Player.cs"]
        assert "changeId" not in writing
    finally:
        paused.go_on.set()
        writer.join()
    assert "unfinished" not in told(scene)


def test_what_is_not_known_yet_is_told_as_another_change() -> None:
    told = str(UnderWayError("0123", None, ()))
    assert told.startswith("Another change is being written now. Ask again in a moment;")
