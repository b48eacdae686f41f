"""A folder that is moved away or replaced while its scripts are written: nothing is said to be done
that isn't at the path that was asked for."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from answered import refusal, success
from change_sets import FILES, PLAYER, Scene, contents, new_project, state_files
from this_system import needs_posix

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.storage.change_sets import change_slots
from snippet_engine.storage.change_sets.change_plan import FileChange
from snippet_engine.storage.stores import script_store
from snippet_engine.storage.stores.script_store import ScriptStore

# Elsewhere no folder is held open, so one that goes can't be followed: docs/design/systems.md.
pytestmark = needs_posix

ENEMIES = "Assets/Enemies"


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


@pytest.mark.parametrize("undoes", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_a_set_goes_back_and_says_so(
    scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, undoes: bool
) -> None:
    changes, away = scene.everything(), tmp_path / "away"
    made = scene.applied(*changes) if undoes else ""
    before, listed = contents(scene.root), scene.store.history(None, 9)
    with monkeypatch.context() as patch:
        during(patch, change_slots, scene, way, away)
        answer = scene.store.undo(made) if undoes else scene.store.apply(changes, client=None)
    refused = refusal(answer, ErrorCode.STALE_FILE)
    assert refused.message.startswith(f"{ENEMIES} was moved or replaced during the write")
    assert len(refused.message) <= 200
    assert (away / "Enemy.cs").read_bytes() == before[f"{ENEMIES}/Enemy.cs"]
    put_folder_back(scene.root / ENEMIES, away)
    assert contents(scene.root) == before
    assert scene.store.history(None, 9) == listed
    assert state_files(scene.root) == []
    if undoes:
        scene.undone(made)
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
        refused = refusal(store.apply(script, old, b"// new\n"))
    assert "was moved or replaced during the write" in refused.message
    put_folder_back(scene.root / ENEMIES, away)
    assert contents(scene.root) == FILES
    assert state_files(scene.root) == []
    assert store.apply(scene.there("Assets/Player.cs"), PLAYER, b"// new\n") is None


LEAVING: dict[str, Callable[[Scene], FileChange]] = {
    "moved": lambda scene: scene.move("Assets/Enemies/Enemy.cs", "Assets/Foes/Enemy.cs"),
    "moved in": lambda scene: scene.move("Assets/Util.cs", "Assets/Enemies/Util.cs"),
    "deleted": lambda scene: scene.delete("Assets/Enemies/Enemy.cs"),
}


@pytest.mark.parametrize("undo", [False, True])
@pytest.mark.parametrize("change", LEAVING)
def test_a_script_never_goes_without_its_meta(
    change: str,
    undo: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    one_in: Callable[[int], int],
) -> None:
    """The folder is away at one look of each, and there again right after it."""
    for away_at in range(0, MOST_LOOKS, one_in(2)):
        scene = Scene.of(new_project(tmp_path / str(away_at)))
        changes = [LEAVING[change](scene)]
        made = success(scene.store.apply(changes, client=None) if undo else "")
        before = contents(scene.root)
        with monkeypatch.context() as patch:
            looks = away_at_a_look(patch, scene.root / ENEMIES, away_at)
            answer = scene.store.undo(made) if undo else scene.store.apply(changes, client=None)
        after = contents(scene.root)
        if isinstance(answer, SnippetError):
            assert after == before, answer
        else:
            # Each with its own: no .meta is alone, and no script without one.
            assert after != before
            scripts = {name for name in after if name.endswith(".cs")}
            assert {f"{name}.meta" for name in scripts} == {
                name for name in after if name.endswith(".cs.meta")
            }
            assert (after == FILES) is undo
        if len(looks) < away_at:
            break
    else:
        pytest.fail("more looks than were tried")
    assert away_at > 5


MOST_LOOKS = 200


def away_at_a_look(patch: pytest.MonkeyPatch, folder: Path, away_at: int) -> list[str]:
    """Move ``folder`` away for the look with that number at it, or at what is in it; the looks."""
    looks: list[str] = []

    def looking(real: Callable[..., object]) -> Callable[..., object]:
        def look(path: object, *given: object, **named: object) -> object:
            name = str(path)
            if folder.name not in name and not name.startswith(("Enemy.cs", "Util.cs")):
                return real(path, *given, **named)
            looks.append(name)
            if len(looks) != away_at:
                return real(path, *given, **named)
            folder.rename(folder.with_name("Away"))
            try:
                return real(path, *given, **named)
            finally:
                (folder.with_name("Away")).rename(folder)

        return look

    for name in ("open", "stat", "lstat"):
        patch.setattr(os, name, looking(getattr(os, name)))
    return looks
