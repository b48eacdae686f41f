"""What recovery may remove, and what it must not: docs/design/engine.md §5.

What killed processes really leave is the subject of ``test_crash_safety``; here records are
made by hand, as a hostile repository could hold them.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from answered import refusal

from snippet_engine.errors import SnippetError
from snippet_engine.source_text import content_hash
from snippet_engine.storage.files import temporary_name
from snippet_engine.storage.paths.project import Project, ScriptPath
from snippet_engine.storage.records.history_entry import HistoryEntry, parse_entry
from snippet_engine.storage.records.write_record import WriteRecord
from snippet_engine.storage.state_folder import lock_key
from snippet_engine.storage.stores.change_store import ChangeStore
from snippet_engine.storage.stores.script_store import ScriptStore, Undone
from snippet_engine.storage.system.file_lock import acquire
from snippet_engine.storage.system.folder import Folder

TICKET = "0123456789abcdef"


def leave(root: Path, path: str, *, key_of: str | None = None) -> Path:
    """A record as a dead writer of the script at ``path`` leaves it."""
    record = WriteRecord(path, TICKET, content_hash(b"x"), content_hash(b"new"), b"x")
    pending = root / "Library/SnippetEngine/pending"
    pending.mkdir(parents=True, exist_ok=True)
    file = pending / f"{lock_key(key_of or path)}-{TICKET}"
    file.write_bytes(record.encode())
    return file


def leave_temporary(folder: Path, script_name: str) -> Path:
    file = folder / temporary_name(script_name, TICKET)
    file.write_bytes(b"half")
    return file


def recovered(
    store: ScriptStore, root: Path, player: ScriptPath, now: bytes, replaced: bytes
) -> None:
    """A writer died right after the instant of its write; the file holds what is ``now``."""
    leave(root, player.canonical)
    player.real.write_bytes(now)
    temporary = player.real.parent / temporary_name("Player.cs", TICKET)
    temporary.write_bytes(replaced)
    assert store.recover() == [temporary.relative_to(root).as_posix()]


def test_nothing_to_do_writes_nothing(store: ScriptStore, root: Path) -> None:
    assert store.recover() == []
    assert not (root / "Library").exists()


def test_a_dead_writer(store: ScriptStore, player: ScriptPath, root: Path) -> None:
    record = leave(root, player.canonical)
    temporary = leave_temporary(player.real.parent, "Player.cs")
    assert store.recover() == [temporary.relative_to(root).as_posix()]
    assert not temporary.exists()
    assert not record.exists()
    assert store.recover() == []


def test_a_live_writer_is_left_alone(store: ScriptStore, player: ScriptPath, root: Path) -> None:
    record = leave(root, player.canonical)
    temporary = leave_temporary(player.real.parent, "Player.cs")
    locks = root / "Library/SnippetEngine/locks"
    locks.mkdir()
    held = acquire(locks / f"{lock_key(player.canonical)}.lock", 0)
    assert held is not None
    with held:
        assert store.recover() == []
        assert temporary.exists()
        assert record.exists()
    assert len(store.recover()) == 1


@pytest.mark.parametrize(
    ("path", "waits"),
    [
        ("Assets/../../outside/Player.cs", False),
        ("/tmp/Player.cs", False),
        ("Library/PackageCache/Player.cs", False),
        ("Assets/Out/Player.cs", True),
        ("Assets/Gone/Player.cs", True),
        ("Assets/Scripts/Player.cs/Player.cs", True),
    ],
)
def test_a_record_leads_nowhere_else(
    store: ScriptStore, root: Path, tmp_path: Path, path: str, *, waits: bool
) -> None:
    """What lies outside, or behind a link, stays; the record goes if it can't be one of ours."""
    (root / "Assets/Out").symlink_to(tmp_path / "outside")
    trap = leave_temporary(tmp_path / "outside", "Player.cs")
    record = leave(root, path)
    assert store.recover() == []
    assert trap.exists()
    assert record.exists() is waits


@pytest.mark.parametrize("is_landed", [False, True])
def test_a_write_waits_for_its_folder_and_is_ended_when_that_is_back(
    project: Project, store: ScriptStore, player: ScriptPath, root: Path, *, is_landed: bool
) -> None:
    record = leave(root, player.canonical)
    temporary = player.real.parent / temporary_name("Player.cs", TICKET)
    temporary.write_bytes(b"saved by somebody" if is_landed else b"new")
    if is_landed:
        player.real.write_bytes(b"new")
    scripts, away = root / "Assets/Scripts", root / "away"
    scripts.rename(away)
    (waiting,) = ChangeStore(project).recover().waiting
    assert (waiting.files, waiting.folders) == (("Assets/Scripts/Player.cs",), ("Assets/Scripts",))
    refused = refusal(store.apply(player, b"x", b"y"))
    assert refused.details["folders"] == ["Assets/Scripts"]
    assert isinstance(store.have_landed({player: content_hash(b"new")}, TICKET), SnippetError)
    assert record.exists()
    away.rename(scripts)
    assert len(store.recover()) == 1
    assert not record.exists()
    assert not temporary.exists()
    history = root / "Library/SnippetEngine/history"
    assert (len(entries(root)) if history.exists() else 0) == (2 if is_landed else 0)


def test_a_record_under_another_files_lock(
    store: ScriptStore, player: ScriptPath, root: Path
) -> None:
    """The lock that was had is not the one that guards the file."""
    temporary = leave_temporary(player.real.parent, "Player.cs")
    record = leave(root, player.canonical, key_of="Assets/Other.cs")
    assert store.recover() == []
    assert temporary.exists()
    assert not record.exists()


@pytest.mark.parametrize("kind", ["folder", "link"])
def test_only_a_regular_file_is_removed(
    store: ScriptStore, player: ScriptPath, root: Path, kind: str
) -> None:
    odd = player.real.parent / temporary_name("Player.cs", TICKET)
    if kind == "folder":
        odd.mkdir()
    else:
        odd.symlink_to(player.real)
    leave(root, player.canonical)
    assert store.recover() == []
    assert odd.is_symlink() or odd.is_dir()
    assert player.real.exists()


def test_files_that_are_not_records(store: ScriptStore, root: Path) -> None:
    pending = root / "Library/SnippetEngine/pending"
    pending.mkdir(parents=True)
    foreign = pending / "notes.txt"
    foreign.write_bytes(b"mine")
    folder = pending / f"{'0' * 32}-{TICKET}"
    folder.mkdir()
    assert store.recover() == []
    assert foreign.exists()
    assert folder.exists()


@pytest.mark.parametrize("name", ["Player.cs", "é" * 126 + ".cs", "x" * 252 + ".cs", "a\n\t b.cs"])
def test_temporary_names(name: str) -> None:
    """Ignored by Unity's importer, unique, and short enough for any file system."""
    temporary = temporary_name(name, TICKET)
    assert temporary.startswith(".")
    assert temporary.endswith(f".{TICKET}.tmp")
    assert len(temporary.encode()) <= 143
    assert temporary_name(name, "f" * 16) != temporary


# -- several at once, and what is damaged --------------------------------------------------


def test_all_dead_writers_are_cleaned_up_after(
    store: ScriptStore, player: ScriptPath, root: Path
) -> None:
    scripts = root / "Assets/Scripts"
    names = ["Enemy.cs", "Player.cs", "Zone.cs"]
    for name in names:
        (scripts / name).write_bytes(b"now")
        leave(root, f"Assets/Scripts/{name}")
        leave_temporary(scripts, name)
    removed = {f"Assets/Scripts/{temporary_name(name, TICKET)}" for name in names}
    assert set(store.recover()) == removed
    assert {path.name for path in scripts.iterdir()} == set(names)


def test_a_lock_that_cannot_be_had_keeps_nobody_else(
    store: ScriptStore, player: ScriptPath, root: Path
) -> None:
    (root / "Assets/Scripts/Enemy.cs").write_bytes(b"now")
    records = {name: leave(root, f"Assets/Scripts/{name}") for name in ("Enemy.cs", "Player.cs")}
    stuck, free = sorted(records, key=lambda name: records[name].name)
    lock = root / f"Library/SnippetEngine/locks/{lock_key(f'Assets/Scripts/{stuck}')}.lock"
    lock.mkdir(parents=True)
    temporary = leave_temporary(root / "Assets/Scripts", free)
    assert store.recover() == [temporary.relative_to(root).as_posix()]
    assert [name for name in records if records[name].exists()] == [stuck]


@pytest.mark.parametrize("damage", [b"", b"{", b"not a record\nx"])
def test_a_record_that_was_cut_short_goes_and_nothing_else(
    store: ScriptStore, player: ScriptPath, root: Path, damage: bytes
) -> None:
    record = leave(root, player.canonical)
    another = player.real.parent / temporary_name("Player.cs", "f" * 16)
    another.write_bytes(b"of another write")
    record.write_bytes(damage)
    assert store.recover() == []
    assert not record.exists()
    assert another.exists()


@pytest.mark.parametrize("damage", [b"", b"{", b"not a record\nx"])
def test_a_record_of_which_a_temporary_file_is_left_was_whole_once(
    store: ScriptStore, player: ScriptPath, root: Path, damage: bytes
) -> None:
    record = leave(root, player.canonical)
    temporary = leave_temporary(player.real.parent, "Player.cs")
    record.write_bytes(damage)
    assert store.recover() == []
    assert record.exists()
    assert temporary.exists()
    refused = refusal(store.apply(player, player.real.read_bytes(), b"mine"))
    assert refused.details["temporaryFiles"] == [temporary.relative_to(root).as_posix()]


def entries(root: Path) -> list[HistoryEntry]:
    names = sorted(path.name for path in (root / "Library/SnippetEngine/history").iterdir())
    return [entry for name in names if (entry := parse_entry(name)) is not None]


@pytest.mark.parametrize("left", [b"x", b"new", None])
def test_a_write_that_landed_has_one_entry_whatever_of_its_own_is_left(
    store: ScriptStore, player: ScriptPath, root: Path, left: bytes | None
) -> None:
    """The text before, exchanged for the new one; the new one, where names can't be; nothing."""
    leave(root, player.canonical)
    player.real.write_bytes(b"new")
    temporary = player.real.parent / temporary_name("Player.cs", TICKET)
    if left is not None:
        temporary.write_bytes(left)
    assert len(store.recover()) == (left is not None)
    assert not temporary.exists()
    assert [entry.ticket for entry in entries(root)] == [TICKET]
    assert store.undo(player, content_hash(b"new")) == Undone(b"new", b"x")


def test_what_somebody_saved_in_the_instant_of_the_write_can_be_had_back(
    store: ScriptStore, player: ScriptPath, root: Path
) -> None:
    recovered(store, root, player, b"new", b"saved by somebody")
    assert len(entries(root)) == 2
    assert store.undo(player, content_hash(b"new")) == Undone(b"new", b"saved by somebody")


def test_what_a_write_replaced_is_kept_though_somebody_has_saved_since(
    store: ScriptStore, player: ScriptPath, root: Path
) -> None:
    recovered(store, root, player, b"saved by somebody, over what was written", b"x")
    assert list(store.earlier(player)) == [b"x"]
    assert store.have_landed({player: content_hash(b"new")}, TICKET) is True
    refusal(store.undo(player, content_hash(b"new")))
    assert player.real.read_bytes() == b"saved by somebody, over what was written"


def test_an_end_that_the_system_refuses_is_told_and_nothing_is_put_on_top(
    store: ScriptStore, player: ScriptPath, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave(root, player.canonical)
    player.real.write_bytes(b"new")
    temporary = player.real.parent / temporary_name("Player.cs", TICKET)
    temporary.write_bytes(b"x")

    def refused(*_: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    with monkeypatch.context() as patch:
        patch.setattr(Folder, "remove", refused)
        told = refusal(store.apply(player, b"new", b"mine"))
        assert "finishing it failed (Permission denied). Nothing was changed." in told.message
        assert told.details["files"] == [player.canonical]
    assert player.real.read_bytes() == b"new"
    assert store.recover() == [temporary.relative_to(root).as_posix()]
    assert store.undo(player, content_hash(b"new")) == Undone(b"new", b"x")


@pytest.mark.parametrize("odd", ["folder", "gone"])
def test_a_script_that_is_none_any_more_leaves_no_record(
    store: ScriptStore, player: ScriptPath, root: Path, odd: str
) -> None:
    record = leave(root, player.canonical)
    temporary = leave_temporary(player.real.parent, "Player.cs")
    player.real.unlink()
    if odd == "folder":
        player.real.mkdir()
    assert store.recover() == [temporary.relative_to(root).as_posix()]
    assert not record.exists()
