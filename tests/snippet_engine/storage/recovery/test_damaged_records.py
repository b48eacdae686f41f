"""Records that were damaged while they waited to be ended: told and kept with all of theirs."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from answered import refusal
from change_sets import AFTER_EVERYTHING, FILES, OLD, PLAYER, Scene, contents, new_project

from snippet_engine.errors import ErrorCode
from snippet_engine.source_text import content_hash
from snippet_engine.storage.files import temporary_name
from snippet_engine.storage.records.write_record import WriteRecord
from snippet_engine.storage.recovery.unfinished import DamagedRecordError, FolderAwayError
from snippet_engine.storage.state_folder import lock_key
from snippet_engine.storage.stores.script_store import ScriptStore, Undone
from snippet_engine.storage.system.folder import Folder

CHANGE = "0123456789abcdef"
SEAL = 65
"""Bytes of a seal: the digest, and a mark."""


def pending(scene: Scene) -> Path:
    (record,) = (scene.root / "Library/SnippetEngine/pending").iterdir()
    return record


def cut_short(scene: Scene) -> Path:
    """The record of a set of every kind whose writer died after its last step."""
    return scene.died(scene.everything(), CHANGE)


def flipped(data: bytes, at: int, bit: int = 0x10) -> bytes:
    return data[:at] + bytes([data[at] ^ bit]) + data[at + 1 :]


def seal_flips(data: bytes) -> Iterator[bytes]:
    """Every bit of the mark, and two of each byte of the digest."""
    for at in range(len(data) - SEAL, len(data) - 1):
        yield flipped(data, at)
        yield flipped(data, at, 0x01)
    for mark in b" bud":
        for bit in range(8):
            yield data[:-1] + bytes([mark ^ 1 << bit])


def hidden(root: Path) -> list[str]:
    found = [path for top in ("Assets", "ProjectSettings") for path in (root / top).rglob(".*.tmp")]
    return sorted(path.name for path in found)


def single_write(scene: Scene, path: str, *, knows_folder: bool) -> Path:
    """The record of a write of ``b"new"`` to one script, whose writer died."""
    script, old = scene.there(path), scene.bytes_of(path)
    with script.open_folder() as folder:
        identity = folder.identity() if knows_folder else None
    hashes = content_hash(old), content_hash(b"new")
    record = scene.root / "Library/SnippetEngine/pending" / f"{lock_key(path)}-{CHANGE}"
    record.parent.mkdir(parents=True)
    record.write_bytes(WriteRecord(path, CHANGE, *hashes, old, folder=identity).encode())
    return record


def test_no_flipped_bit_of_a_seal_loses_anything(scene: Scene) -> None:
    record = cut_short(scene)
    whole, now = record.read_bytes(), contents(scene.root)
    for damaged in seal_flips(whole):
        record.write_bytes(damaged)
        found = scene.store.recover()
        (waiting,) = found.waiting
        assert isinstance(waiting, DamagedRecordError)
        assert (waiting.change_id, found.settled, found.removed) == (CHANGE, [], [])
        assert set(waiting.files) >= {"Assets/Player.cs", "Assets/Old.cs.meta"}
        assert contents(scene.root) == now
        assert record.read_bytes() == damaged
    record.write_bytes(whole)
    assert [each.went_forward for each in scene.store.recover().settled] == [True]
    assert contents(scene.root) == AFTER_EVERYTHING


@pytest.mark.parametrize("part", ["image", "middle of the header", "header's beginning"])
def test_what_is_damaged_before_the_seal(scene: Scene, part: str) -> None:
    record = cut_short(scene)
    data, now = record.read_bytes(), contents(scene.root)
    at = {"image": -200, "middle of the header": data.index(b'"slots"') + 1}.get(part, 0)
    record.write_bytes(flipped(data, at % len(data)))
    (waiting,) = scene.store.recover().waiting
    assert waiting.change_id == CHANGE
    assert set(waiting.files) >= {"Assets/Player.cs", "Assets/Core/Deep/Util.cs", "Assets/Old.cs"}
    assert contents(scene.root) == now
    assert record.exists()


def test_a_seal_as_version_0_1_has_made_it(scene: Scene) -> None:
    """Its digest was that of all before it, contents and all."""
    record = cut_short(scene)
    data = record.read_bytes()
    body, mark = data[: -SEAL - 1], data[-1:]
    sealed = body + b"\n" + hashlib.sha256(body).hexdigest().encode() + mark
    record.write_bytes(flipped(sealed, len(body) - 10))
    assert len(scene.store.recover().waiting) == 1
    record.write_bytes(sealed)
    assert [each.went_forward for each in scene.store.recover().settled] == [True]
    assert contents(scene.root) == AFTER_EVERYTHING


def test_writes_are_told_of_it_until_it_is_given_up(scene: Scene) -> None:
    record = cut_short(scene)
    record.write_bytes(flipped(record.read_bytes(), -1))
    refused = scene.refused(
        scene.edit("Assets/Player.cs", b"// mine\n"), code=ErrorCode.WRITE_FAILED
    )
    assert len(refused.message) <= 200
    place = f"Library/SnippetEngine/pending/*{CHANGE}.set"
    assert place in refused.message
    assert refused.details["record"] == f"Library/SnippetEngine/pending/{record.name}"
    single = ScriptStore(scene.project)
    now = scene.bytes_of("Assets/Player.cs")
    told = refusal(single.apply(scene.there("Assets/Player.cs"), now, b"// mine\n"))
    assert told.details["changeId"] == CHANGE
    # Other files have nothing to do with it.
    (scene.root / "Assets/Other.cs").write_bytes(b"// other\n")
    scene.applied(scene.edit("Assets/Other.cs", b"// mine\n"))
    (given_up,) = scene.root.glob(place)
    given_up.unlink()
    scene.applied(scene.edit("Assets/Player.cs", b"// mine\n"))


@pytest.mark.parametrize("kept", [slice(0, 32), slice(32, 64)])
def test_a_seal_of_which_half_was_written_has_committed_nothing(scene: Scene, kept: slice) -> None:
    """A power cut between two sectors: no name has changed by then."""
    record = cut_short(scene)
    for name in contents(scene.root):
        (scene.root / name).unlink()
    shutil.rmtree(scene.root / "Assets/Core")
    shutil.rmtree(scene.root / "Assets/Health")
    new_project(scene.root)
    data = record.read_bytes()
    digest = data[-SEAL:-1]
    half = bytearray(b" " * 64)
    half[kept] = digest[kept]
    record.write_bytes(data[:-SEAL] + bytes(half) + b" ")
    (scene.root / "Assets" / temporary_name("Player.cs", f"{CHANGE}.4")).write_bytes(b"staged")
    assert scene.store.recover().waiting == []
    assert contents(scene.root) == FILES
    assert not record.exists()


@pytest.mark.parametrize("percent", [0, 10, 30, 50, 67, 90, 99])
def test_what_is_left_of_a_record_never_loses_its_temporary_files(
    scene: Scene, percent: int
) -> None:
    """However much of it is gone: they may be the only copies of what was deleted or replaced."""
    record = cut_short(scene)
    whole, names, now = record.read_bytes(), hidden(scene.root), contents(scene.root)
    left = whole[: len(whole) * percent // 100]
    record.write_bytes(left)
    found = scene.store.recover()
    (waiting,) = found.waiting
    assert isinstance(waiting, DamagedRecordError)
    told = waiting.to_json()
    temporary = told["temporaryFiles"]
    assert isinstance(temporary, list)
    assert sorted(name.rpartition("/")[2] for name in temporary) == names
    # A temporary file tells whose it is by its name.
    assert set(waiting.files) >= {"Assets/Old.cs", "Assets/Player.cs", "Assets/Enemies/Enemy.cs"}
    assert f".{CHANGE}." in str(waiting)
    assert (contents(scene.root), hidden(scene.root)) == (now, names)
    assert record.read_bytes() == left


@pytest.mark.parametrize("percent", [0, 30, 90])
def test_every_file_beside_which_something_of_it_is_left_is_held(
    scene: Scene, percent: int
) -> None:
    record = cut_short(scene)
    whole = record.read_bytes()
    record.write_bytes(whole[: len(whole) * percent // 100])
    for path in ("Assets/Player.cs", "Assets/Enemies/Enemy.cs"):
        refused = scene.refused(scene.edit(path, b"// mine\n"))
        assert refused.details["changeId"] == CHANGE
        assert len(refused.message) <= 200
        assert "temporaryFiles" in refused.details
    # Nor is anything made where a file was deleted that is beside it alone.
    scene.refused(scene.create("Assets/Old.cs", b"// mine\n"))
    (scene.root / "Assets/Other.cs").write_bytes(b"// other\n")
    scene.applied(scene.edit("Assets/Other.cs", b"//\n"))


@pytest.mark.parametrize("name", ["Assets/Player.cs", "Assets/Enemies/Enemy.cs", "Assets/Util.cs"])
@pytest.mark.parametrize("occurrence", [0, 1])
def test_a_flipped_bit_in_a_path_lets_no_edit_through(
    scene: Scene, name: str, occurrence: int
) -> None:
    record = cut_short(scene)
    data = record.read_bytes()
    at = data.index(b'"%s"' % name.encode())
    if occurrence:
        at = data.index(b'"%s"' % name.encode(), at + 1)
    record.write_bytes(flipped(data, at + len(name) - 4, 0x01))
    now = contents(scene.root)
    there = name in now
    change = scene.edit(name, b"// mine\n") if there else scene.create(name, b"// mine\n")
    refused = scene.refused(change)
    assert refused.details["changeId"] == CHANGE
    assert contents(scene.root) == now
    (waiting,) = scene.store.recover().waiting
    assert waiting.may_be_of(name)


def test_a_flipped_bit_in_the_header_of_a_set_that_has_not_begun(scene: Scene) -> None:
    """Its temporary files are told: nobody knows from the record alone that it hasn't."""
    record = cut_short(scene)
    data = record.read_bytes()
    at = data.index(CHANGE.encode())
    record.write_bytes(flipped(data[:-SEAL] + b" " * SEAL, at, 0x01))
    names = hidden(scene.root)
    (waiting,) = scene.store.recover().waiting
    assert waiting.change_id == CHANGE
    assert hidden(scene.root) == names


def test_a_record_cut_short_of_a_set_that_has_not_begun_leaves_nothing(scene: Scene) -> None:
    """All files are as they were before: what it wrote beside them is no one's only copy."""
    record = cut_short(scene)
    whole = record.read_bytes()
    for name in contents(scene.root):
        (scene.root / name).unlink()
    new_project(scene.root)
    header_end = whole.index(b"\n") + 1
    record.write_bytes(whole[: header_end + 10])
    (scene.root / "Assets" / temporary_name("Player.cs", f"{CHANGE}.4")).write_bytes(b"staged")
    assert scene.store.recover().waiting == []
    assert contents(scene.root) == FILES
    assert not record.exists()
    assert hidden(scene.root) == []


def test_a_folder_that_can_t_be_looked_at_may_have_something(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = cut_short(scene)
    record.write_bytes(b"")
    for name in hidden(scene.root):
        next(scene.root.rglob(name)).unlink()
    scandir = os.scandir

    def refused(path: str) -> object:
        if str(path).endswith("Enemies"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return scandir(path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", refused)
        assert len(scene.store.recover().waiting) == 1
    assert scene.store.recover().waiting == []
    assert not record.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="names that are no Unicode, as Linux has them")
def test_a_name_that_is_no_unicode_can_be_told(scene: Scene) -> None:
    record = cut_short(scene)
    record.write_bytes(b"")
    odd = os.fsencode(scene.root) + b"/Assets/.\xff.cs." + CHANGE.encode() + b".9.tmp"
    Path(os.fsdecode(odd)).write_bytes(b"odd")
    (waiting,) = scene.store.recover().waiting
    assert "Assets/.?.cs." in json.dumps(waiting.to_json(), ensure_ascii=False).encode().decode()


def test_one_look_at_the_folders_is_enough_for_any_number_of_records(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = cut_short(scene).parent
    for number in range(50):
        (state / f"{number:032x}-{number:016x}.set").write_bytes(b"")
        (state / f"{number:032x}-{number:016x}").write_bytes(b"")
    looked_at = []
    scandir = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: looked_at.append(path) or scandir(path))
    assert scene.store.recover().waiting == []
    assert len(looked_at) == len(set(looked_at))


def test_a_record_that_can_t_be_read_is_told(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    record = cut_short(scene)
    read = Folder.read

    def refused(self: Folder, name: str, limit: int) -> tuple[bytes, os.stat_result]:
        if name == record.name:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return read(self, name, limit)

    with monkeypatch.context() as patch:
        patch.setattr(Folder, "read", refused)
        (waiting,) = scene.store.recover().waiting
        assert "its record can't be read (Permission denied)" in str(waiting)
    record.unlink()
    record.mkdir()
    (waiting,) = scene.store.recover().waiting
    assert "is damaged" in str(waiting)
    assert hidden(scene.root)


class TestAnotherFolder:
    """A folder of scripts that another one has replaced while a record waits for it."""

    def test_the_set_waits_for_the_old_one(self, scene: Scene, tmp_path: Path) -> None:
        record = cut_short(scene)
        folder, away = scene.root / "Assets/Enemies", tmp_path / "away"
        folder.rename(away)
        folder.mkdir()
        (folder / "Ally.cs").write_bytes(b"// another branch's\n")
        now = contents(scene.root)
        (waiting,) = scene.store.recover().waiting
        assert isinstance(waiting, FolderAwayError)
        assert waiting.folders == ("Assets/Enemies",)
        assert "another folder is now" in str(waiting)
        refused = scene.refused(scene.edit("Assets/Player.cs", b"// mine\n"))
        assert len(refused.message) <= 200
        assert contents(scene.root) == now
        assert record.exists()
        shutil.rmtree(folder)
        away.rename(folder)
        assert [each.went_forward for each in scene.store.recover().settled] == [True]
        assert contents(scene.root) == AFTER_EVERYTHING

    def test_also_where_it_has_a_file_of_that_name(self, scene: Scene, tmp_path: Path) -> None:
        cut_short(scene)
        folder = scene.root / "Assets/Enemies"
        folder.rename(tmp_path / "away")
        folder.mkdir()
        (folder / "Enemy.cs").write_bytes(b"// another branch's\n")
        assert len(scene.store.recover().waiting) == 1
        assert (folder / "Enemy.cs").read_bytes() == b"// another branch's\n"

    def test_a_copy_of_the_project_is_no_other(self, scene: Scene, tmp_path: Path) -> None:
        cut_short(scene)
        copy = Scene.of(Path(shutil.copytree(scene.root, tmp_path / "Copy")))
        assert [each.went_forward for each in copy.store.recover().settled] == [True]
        assert contents(copy.root) == AFTER_EVERYTHING

    def test_a_file_that_somebody_changed_in_the_same_one_is_no_reason(self, scene: Scene) -> None:
        """Not even where its temporary file is gone, too."""
        cut_short(scene)
        for path in (scene.root / "Assets/Enemies").iterdir():
            path.unlink()
        (scene.root / "Assets/Enemies/Enemy.cs").write_bytes(b"// theirs\n")
        found = scene.store.recover()
        assert found.waiting == []
        assert found.settled[0].left_alone == ("Assets/Enemies/Enemy.cs",)

    def test_a_single_write_waits_too(self, scene: Scene, tmp_path: Path) -> None:
        path = "Assets/Enemies/Enemy.cs"
        script, old = scene.there(path), scene.bytes_of(path)
        single_write(scene, path, knows_folder=True)
        script.real.write_bytes(b"new")  # landed; its entry was not made
        folder_path, away = script.real.parent, tmp_path / "away"
        folder_path.rename(away)
        folder_path.mkdir()
        (folder_path / "Ally.cs").write_bytes(b"// another branch's\n")
        (waiting,) = scene.store.recover().waiting
        assert waiting.files == (path,)
        shutil.rmtree(folder_path)
        away.rename(folder_path)
        assert scene.store.recover().waiting == []
        undone = ScriptStore(scene.project).undo(script, content_hash(b"new"))
        assert undone == Undone(b"new", old)

    def test_who_deletes_the_script_makes_no_other_folder(self, scene: Scene) -> None:
        single_write(scene, "Assets/Player.cs", knows_folder=True)
        (scene.root / "Assets/Player.cs").unlink()
        assert scene.store.recover().waiting == []


class TestFoldersMadeAnew:
    """Empty, they give up what was in them, and the set that waits for them ends."""

    def edited_in(self, scene: Scene, folders: list[str]) -> Path:
        """A set of an edit, and of a deletion in each folder; its writer died at its end."""
        for folder in folders:
            (scene.root / folder).mkdir(parents=True, exist_ok=True)
            (scene.root / folder / "Gone.cs").write_bytes(OLD)
        changes = [scene.delete(f"{folder}/Gone.cs") for folder in folders]
        edits = [scene.edit("Assets/Player.cs", b"// new\n")]
        if "Assets/Enemies" in folders:
            edits.append(scene.edit("Assets/Enemies/Enemy.cs", b"// new\n"))
        return scene.died([*edits, *changes], CHANGE)

    def test_one_in_another(self, scene: Scene, tmp_path: Path) -> None:
        """The one around isn't empty any more; Unity adds a .meta besides."""
        self.edited_in(scene, ["Assets/Enemies", "Assets/Enemies/Deep/Est"])
        (scene.root / "Assets/Enemies").rename(tmp_path / "away")
        (waiting,) = scene.store.recover().waiting
        assert waiting.folders == ("Assets/Enemies", "Assets/Enemies/Deep/Est")
        assert waiting.advice.startswith("Put them back; or create them empty")
        (scene.root / "Assets/Enemies/Deep/Est").mkdir(parents=True)
        (scene.root / "Assets/Enemies/Deep.meta").write_bytes(b"guid: 9\n")
        found = scene.store.recover()
        assert found.waiting == []
        assert [each.went_forward for each in found.settled] == [False]
        assert scene.bytes_of("Assets/Player.cs") == PLAYER
        # What was in them is given up, but not what their scripts held.
        assert list((scene.root / "Assets/Enemies/Deep/Est").iterdir()) == []
        (entry,) = scene.store.history(None, 9)
        assert entry.taken_back is not None
        (kept,) = scene.root.glob(entry.taken_back)
        assert OLD in kept.read_bytes()
        assert FILES["Assets/Enemies/Enemy.cs"] in kept.read_bytes()

    def test_several_sets_wait_for_one(self, scene: Scene, tmp_path: Path) -> None:
        """What the first leaves in it doesn't make the second wait for ever."""
        self.edited_in(scene, ["Assets/Enemies"])
        record = pending(scene)
        held = record.read_bytes()
        record.unlink()
        (scene.root / "Assets/Enemies/Other.cs").write_bytes(OLD)
        (scene.root / "Assets/More.cs").write_bytes(OLD)
        changes = [scene.delete("Assets/Enemies/Other.cs"), scene.edit("Assets/More.cs", b"//\n")]
        changes.append(scene.edit("Assets/Util.cs", b"// new\n"))
        scene.died(changes, "f" * 16)
        record.write_bytes(held)
        (scene.root / "Assets/More.cs").write_bytes(b"// theirs\n")
        (scene.root / "Assets/Enemies").rename(tmp_path / "away")
        assert len(scene.store.recover().waiting) == 2
        (scene.root / "Assets/Enemies").mkdir()
        found = scene.store.recover()
        assert found.waiting == []
        assert len(found.settled) == 2
        assert scene.bytes_of("Assets/Util.cs") == FILES["Assets/Util.cs"]

    def test_another_folder_in_it_is_no_empty_one(self, scene: Scene, tmp_path: Path) -> None:
        self.edited_in(scene, ["Assets/Enemies"])
        (scene.root / "Assets/Enemies").rename(tmp_path / "away")
        (scene.root / "Assets/Enemies/Theirs").mkdir(parents=True)
        (waiting,) = scene.store.recover().waiting
        assert "another folder is now" in str(waiting)


class TestSingleWrites:
    """The record of one file's write."""

    def landed(self, scene: Scene) -> Path:
        """A write that landed and lacks its entry, with what it replaced still beside it."""
        record = single_write(scene, "Assets/Player.cs", knows_folder=False)
        script = scene.root / "Assets/Player.cs"
        script.with_name(temporary_name("Player.cs", CHANGE)).write_bytes(PLAYER)
        script.write_bytes(b"new")
        return record

    def test_a_damaged_header_is_told_and_kept(self, scene: Scene) -> None:
        record = self.landed(scene)
        data = record.read_bytes()
        record.write_bytes(flipped(data, data.index(b'"before"') + 1))
        names = hidden(scene.root)
        (waiting,) = scene.store.recover().waiting
        assert (waiting.change_id, waiting.record) == (None, record.name)
        refusal(
            ScriptStore(scene.project).apply(scene.there("Assets/Player.cs"), b"new", b"x"),
            ErrorCode.WRITE_FAILED,
        )
        assert hidden(scene.root) == names

    @pytest.mark.parametrize("percent", [0, 1, 30, 60])
    def test_a_record_cut_in_its_header(self, scene: Scene, percent: int) -> None:
        """It was on the disk, whole, before the temporary file was made."""
        record = self.landed(scene)
        data = record.read_bytes()
        header = data.index(b"\n")
        record.write_bytes(data[: header * percent // 100])
        names = hidden(scene.root)
        (waiting,) = scene.store.recover().waiting
        assert waiting.files == ("Assets/Player.cs",)
        assert names[0] in str(waiting.to_json()["temporaryFiles"])
        refusal(ScriptStore(scene.project).apply(scene.there("Assets/Player.cs"), b"new", b"x"))
        assert hidden(scene.root) == names
        assert record.exists()

    def test_a_damaged_image_is_had_from_the_temporary_file(self, scene: Scene) -> None:
        record = self.landed(scene)
        record.write_bytes(flipped(record.read_bytes(), -1))
        assert scene.store.recover().waiting == []
        assert hidden(scene.root) == []
        undone = ScriptStore(scene.project).undo(
            scene.there("Assets/Player.cs"), content_hash(b"new")
        )
        assert undone == Undone(b"new", PLAYER)
