"""A folder that is moved away or replaced while its scripts are written: nothing is said to be done
that isn't at the path that was asked for."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from change_sets import FILES, PLAYER, Scene, contents, new_project, state_files
from this_system import needs_posix

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.storage import script_store
from snippet_engine.storage.change_sets import change_slots
from snippet_engine.storage.change_sets.change_store import UndoneChange
from snippet_engine.storage.script_store import ScriptStore

# Elsewhere no folder is held open, so one that goes can't be followed: docs/design/systems.md.
pytestmark = needs_posix

ENEMIES = "Assets/Enemies"


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene.of(new_project(tmp_path / "Game"))


def move(folder: Path, away: Path) -> None:
    folder.rename(away)


def link(folder: Path, away: Path) -> None:
    folder.rename(away)
    folder.symlink_to(away)


def another(folder: Path, away: Path) -> None:
    folder.rename(away)
    shutil.copytree(away, folder)


WAYS = {"moved": move, "a link": link, "another one": another}


def during(
    monkeypatch: pytest.MonkeyPatch, where: object, scene: Scene, way: str, away: Path
) -> None:
    """The folder goes right after the first script in it was written."""
    real: Callable[..., object] = where.put_in_place  # type: ignore[attr-defined]
    gone = False

    def put(script: object, *given: object, **named: object) -> object:
        nonlocal gone
        result = real(script, *given, **named)
        if not gone and script.canonical.startswith(ENEMIES):  # type: ignore[attr-defined]
            gone = True
            WAYS[way](scene.root / ENEMIES, away)
        return result

    monkeypatch.setattr(where, "put_in_place", put)


def put_folder_back(folder: Path, away: Path) -> None:
    if folder.is_symlink():
        folder.unlink()
    elif folder.exists():
        shutil.rmtree(folder)
    away.rename(folder)


@pytest.mark.parametrize("way", WAYS)
def test_a_set_goes_back_and_says_so(
    scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    changes, away = scene.everything(), tmp_path / "away"
    with monkeypatch.context() as patch:
        during(patch, change_slots, scene, way, away)
        refused = scene.store.apply(changes, client=None)
    assert isinstance(refused, SnippetError)
    assert refused.code is ErrorCode.STALE_FILE
    assert refused.message.startswith(f"{ENEMIES} was moved away or replaced during the write")
    assert len(refused.message) <= 200
    assert (away / "Enemy.cs").read_bytes() == FILES[f"{ENEMIES}/Enemy.cs"]
    put_folder_back(scene.root / ENEMIES, away)
    assert contents(scene.root) == FILES
    assert scene.store.history(None, 9) == []
    assert state_files(scene.root) == []


@pytest.mark.parametrize("way", WAYS)
def test_an_undo_too(
    scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    made = scene.store.apply(scene.everything(), client=None)
    assert isinstance(made, str)
    after, away = contents(scene.root), tmp_path / "away"
    with monkeypatch.context() as patch:
        during(patch, change_slots, scene, way, away)
        refused = scene.store.undo(made)
    assert isinstance(refused, SnippetError)
    assert "was moved away or replaced during the write" in refused.message
    put_folder_back(scene.root / ENEMIES, away)
    assert contents(scene.root) == after
    assert isinstance(scene.store.undo(made), UndoneChange)
    assert contents(scene.root) == FILES


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("exchanges", [True, False])
def test_a_write_of_one_script(
    scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, exchanges: bool
) -> None:
    script, away = scene.there(f"{ENEMIES}/Enemy.cs"), tmp_path / "away"
    old, store = scene.bytes_of(script.canonical), ScriptStore(scene.project)
    with monkeypatch.context() as patch:
        if not exchanges:
            patch.setattr("snippet_engine.storage.system.folder.exchange_names", lambda *_: False)
        during(patch, script_store, scene, way, away)
        refused = store.apply(script, old, b"// new\n")
    assert isinstance(refused, SnippetError)
    assert "was moved away or replaced during the write" in refused.message
    put_folder_back(scene.root / ENEMIES, away)
    assert contents(scene.root) == FILES
    assert state_files(scene.root) == []
    assert store.apply(scene.there("Assets/Player.cs"), PLAYER, b"// new\n") is None
