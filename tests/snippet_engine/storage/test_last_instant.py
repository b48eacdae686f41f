"""What somebody else does between the last comparison and the write: docs/design/engine.md §5."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from answered import refusal
from change_sets import Scene, new_project
from meddling import before_each_exchange, exchange
from this_system import needs_exchange, needs_leases, needs_posix

from snippet_engine.errors import ErrorCode
from snippet_engine.source_text import content_hash
from snippet_engine.storage.paths.project import ScriptPath
from snippet_engine.storage.stores import script_store
from snippet_engine.storage.stores.script_store import ScriptStore, Undone
from snippet_engine.storage.system import folder

EDITED = b"class Player { int edited; }\n"
THEIRS = b"class Player { int theirs; }\n"
NEWER = b"class Player { int newer; }\n"


def in_place(file: Path, content: bytes) -> None:
    file.write_bytes(content)


def by_rename(file: Path, content: bytes) -> None:
    beside = file.with_suffix(".saving")
    beside.write_bytes(content)
    beside.replace(file)


SAVES = pytest.mark.parametrize("save", [in_place, by_rename])


def names(script: ScriptPath) -> set[str]:
    return {path.name for path in script.real.parent.iterdir()}


@needs_exchange
@SAVES
@pytest.mark.parametrize("saved", [(THEIRS,), (THEIRS, NEWER)])
def test_what_was_saved_is_not_replaced(
    store: ScriptStore,
    player: ScriptPath,
    monkeypatch: pytest.MonkeyPatch,
    save: Callable[[Path, bytes], None],
    saved: tuple[bytes, ...],
) -> None:
    """Also where it is saved again between the write and its being taken back."""
    old, before = player.real.read_bytes(), names(player)
    before_each_exchange(monkeypatch, *(partial(save, player.real, each) for each in saved))
    refusal(store.apply(player, old, EDITED), ErrorCode.STALE_FILE)
    assert player.real.read_bytes() == saved[-1]
    assert names(player) == before
    assert store.recover() == []
    assert store.apply(player, saved[-1], EDITED) is None
    assert store.undo(player, content_hash(EDITED)) == Undone(EDITED, saved[-1])


@needs_exchange
@SAVES
def test_an_undo_replaces_it_as_little(
    store: ScriptStore,
    player: ScriptPath,
    monkeypatch: pytest.MonkeyPatch,
    save: Callable[[Path, bytes], None],
) -> None:
    old = player.real.read_bytes()
    assert store.apply(player, old, EDITED) is None
    before_each_exchange(monkeypatch, lambda: save(player.real, THEIRS))
    refusal(store.undo(player, content_hash(EDITED)), ErrorCode.STALE_FILE)
    assert player.real.read_bytes() == THEIRS
    save(player.real, EDITED)
    assert store.undo(player, content_hash(EDITED)) == Undone(EDITED, old)


@needs_exchange
def test_a_file_that_was_deleted_does_not_come_back(
    store: ScriptStore, player: ScriptPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    before_each_exchange(monkeypatch, player.real.unlink)
    refusal(store.apply(player, player.real.read_bytes(), EDITED), ErrorCode.FILE_NOT_FOUND)
    assert names(player) == set()


@needs_exchange
def test_a_link_that_took_its_place_stays_one(
    store: ScriptStore, player: ScriptPath, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = tmp_path / "other.cs"
    other.write_bytes(THEIRS)

    def link() -> None:
        player.real.unlink()
        player.real.symlink_to(other)

    before_each_exchange(monkeypatch, link)
    refusal(store.apply(player, player.real.read_bytes(), EDITED), ErrorCode.PATH_NOT_ALLOWED)
    assert player.real.is_symlink()
    assert other.read_bytes() == THEIRS


@needs_exchange
@pytest.mark.parametrize("save", [in_place, by_rename, None])
def test_a_death_right_after_the_write_loses_nothing(
    store: ScriptStore,
    player: ScriptPath,
    monkeypatch: pytest.MonkeyPatch,
    save: Callable[[Path, bytes], None] | None,
) -> None:
    """The process is gone before it could see what it replaced; the next one keeps it."""
    old = player.real.read_bytes()

    def exchanged_and_gone(folder_fd: int, one: str, other: str) -> bool:
        if save is not None:
            save(player.real, THEIRS)
        exchange(folder_fd, one, other)
        raise KeyboardInterrupt

    monkeypatch.setattr(folder, "exchange_names", exchanged_and_gone)
    with pytest.raises(KeyboardInterrupt):
        store.apply(player, old, EDITED)
    monkeypatch.setattr(folder, "exchange_names", exchange)
    assert player.real.read_bytes() == EDITED
    assert len(names(player)) == 1
    restored = old if save is None else THEIRS
    assert store.undo(player, content_hash(EDITED)) == Undone(EDITED, restored)


@needs_exchange
def test_a_failure_right_after_the_write_takes_it_back(
    store: ScriptStore, player: ScriptPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = player.real.read_bytes()
    read = folder.Folder.read

    def unreadable(self: folder.Folder, name: str, limit: int) -> tuple[bytes, os.stat_result]:
        if name.endswith(".tmp"):
            raise OSError(5, "EIO")
        return read(self, name, limit)

    monkeypatch.setattr(folder.Folder, "read", unreadable)
    refusal(store.apply(player, old, EDITED), ErrorCode.WRITE_FAILED)
    assert player.real.read_bytes() == old


@needs_posix
@pytest.mark.parametrize("supported", [True, False])
@pytest.mark.parametrize("mode", [0o600, 0o755])
def test_a_chmod_is_kept(
    store: ScriptStore,
    player: ScriptPath,
    monkeypatch: pytest.MonkeyPatch,
    supported: bool,
    mode: int,
) -> None:
    stage = script_store.stage

    def stage_then_chmod(*args: object) -> None:
        stage(*args)
        player.real.chmod(mode)

    monkeypatch.setattr(script_store, "stage", stage_then_chmod)
    if not supported:
        monkeypatch.setattr(folder, "exchange_names", lambda *_: False)
    assert store.apply(player, player.real.read_bytes(), EDITED) is None
    assert stat.S_IMODE(player.real.stat().st_mode) == mode


@needs_posix
def test_a_chmod_in_the_last_instant_is_kept(
    store: ScriptStore, player: ScriptPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    before_each_exchange(monkeypatch, lambda: player.real.chmod(0o750))
    assert store.apply(player, player.real.read_bytes(), EDITED) is None
    assert stat.S_IMODE(player.real.stat().st_mode) == 0o750


def test_a_file_made_read_only_meanwhile_is_not_written(
    store: ScriptStore, player: ScriptPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage, old = script_store.stage, player.real.read_bytes()

    def stage_then_chmod(*args: object) -> None:
        stage(*args)
        player.real.chmod(0o444)

    monkeypatch.setattr(script_store, "stage", stage_then_chmod)
    refusal(store.apply(player, old, EDITED), ErrorCode.READ_ONLY)
    assert player.real.read_bytes() == old


def test_extended_attributes_are_kept(store: ScriptStore, player: ScriptPath) -> None:
    try:
        os.setxattr(player.real, "user.origin", b"hand-made")
    except (AttributeError, OSError) as error:
        pytest.skip(f"no extended attributes here: {error}")
    assert store.apply(player, player.real.read_bytes(), EDITED) is None
    assert os.getxattr(player.real, "user.origin") == b"hand-made"
    assert isinstance(store.undo(player, content_hash(EDITED)), Undone)
    assert os.getxattr(player.real, "user.origin") == b"hand-made"


def test_where_names_cannot_be_exchanged_the_script_is_replaced(
    store: ScriptStore, player: ScriptPath, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """In its own folder, whatever the process's is."""
    monkeypatch.setattr(folder, "exchange_names", lambda *_: False)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    old = player.real.read_bytes()
    assert store.apply(player, old, EDITED) is None
    assert player.real.read_bytes() == EDITED
    assert store.undo(player, content_hash(EDITED)) == Undone(EDITED, old)
    assert names(player) == {"Player.cs"}
    assert list(elsewhere.iterdir()) == []


@needs_exchange
def test_an_undo_that_is_interrupted_right_after_the_write_is_done(
    store: ScriptStore, player: ScriptPath, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its entry is taken out of the history, as by one that ends."""
    old = player.real.read_bytes()
    assert store.apply(player, old, EDITED) is None

    def interrupted(folder_fd: int, one: str, other: str) -> bool:
        exchange(folder_fd, one, other)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(folder, "exchange_names", interrupted)
        with pytest.raises(KeyboardInterrupt):
            store.undo(player, content_hash(EDITED))
    assert player.real.read_bytes() == old
    assert names(player) == {"Player.cs"}
    state = root / "Library/SnippetEngine"
    assert [*(state / "pending").iterdir(), *(state / "history").iterdir()] == []


@needs_leases
@pytest.mark.parametrize("act", ["edit", "move", "undo"])
@pytest.mark.parametrize("is_let_go", [True, False])
def test_what_is_being_saved_in_place_is_waited_for(
    act: str, is_let_go: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The script is open for writing at the write, and written after that."""
    scene = Scene.of(new_project(tmp_path / "Game"))
    script = scene.there("Assets/Player.cs")
    store = ScriptStore(scene.project)
    before = script.real.read_bytes()
    if act == "undo":
        assert store.apply(script, before, EDITED) is None
        before = EDITED
    saving = script.real.open("r+b")

    def save(_: float = 0) -> None:
        if not saving.closed:
            saving.truncate(saving.write(THEIRS))
            saving.close()

    monkeypatch.setattr(time, "sleep", save if is_let_go else lambda _: None)
    answer: object
    if act == "edit":
        answer = store.apply(script, before, EDITED)
    elif act == "move":
        answer = scene.store.apply([scene.move("Assets/Player.cs", "Assets/Foe.cs")], client=None)
    else:
        answer = store.undo(script, content_hash(before))
    save()
    assert script.real.read_bytes() == THEIRS
    refusal(answer, ErrorCode.STALE_FILE if is_let_go else ErrorCode.BUSY)
    assert not [each for each in names(script) if each.endswith(".tmp")]
