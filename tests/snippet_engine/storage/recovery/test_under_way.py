"""What a living writer has begun: told as that, and neither as nothing nor as cut short."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partialmethod
from pathlib import Path

import jsonschema
import pytest
from answered import success
from change_sets import FILES, Scene
from paused import Paused

from snippet_engine.answer.text_form import text_form
from snippet_engine.storage.change_sets.open_change import OpenChange
from snippet_engine.storage.recovery.unfinished import UnderWayError
from snippet_engine.storage.stores import script_store

CONTRACT = Path(__file__).parents[4] / "contracts/tools/get_history.output.json"


@contextmanager
def written_up_to(paused: Paused, write: Callable[[], object]) -> Iterator[None]:
    """A thread writes, and has come to the halt."""
    writer = threading.Thread(target=write)
    writer.start()
    assert paused.is_there.wait(60)
    try:
        yield
    finally:
        paused.go_on.set()
        writer.join()


def told(scene: Scene, path: str | None = None) -> dict[str, object]:
    """What another server is told."""
    engine = scene.engine()
    result = success(engine.get_history({} if path is None else {"path": path}))
    jsonschema.validate(result, json.loads(CONTRACT.read_bytes()))
    return result


def test_a_set_that_is_being_written_is_told_as_that(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    paused = Paused(OpenChange.sync)
    monkeypatch.setattr(OpenChange, "sync", partialmethod(paused))
    changes = scene.everything()
    with written_up_to(paused, lambda: scene.store.apply(changes, client=None)):
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
    listed = told(scene)
    assert "unfinished" not in listed
    assert listed["changes"][0]["undo"] == {"changeId": writing["changeId"]}


def test_an_undo_by_the_change_that_it_takes_back(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = scene.applied(*scene.everything())
    paused = Paused(OpenChange.sync)
    monkeypatch.setattr(OpenChange, "sync", partialmethod(paused))
    with written_up_to(paused, lambda: scene.store.undo(made)):
        (writing,) = told(scene)["unfinished"]
        assert writing["message"].startswith(f"The undo of change {made} is being written now.")
    assert told(scene) == {"changes": []}


def test_a_write_of_one_file(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    paused = Paused(script_store.put_in_place)
    monkeypatch.setattr(script_store, "put_in_place", paused)
    store = script_store.ScriptStore(scene.project)
    player = scene.there("Assets/Player.cs")
    old = FILES["Assets/Player.cs"]
    with written_up_to(paused, lambda: store.apply(player, old, b"// new\n")):
        (writing,) = told(scene)["unfinished"]
        assert writing["state"] == "beingWritten"
        assert writing["files"] == ["Assets/Player.cs"]
        assert "changeId" not in writing
    assert "unfinished" not in told(scene)


def test_what_is_not_known_yet_is_told_as_another_change() -> None:
    told = str(UnderWayError("0123", None, ()))
    assert told.startswith("Another change is being written now. Ask again in a moment;")
