"""Change sets with files that are no scripts: assets, ``.meta`` files, settings."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import pytest
from answered import refusal, success
from change_sets import FILES, SCENE, Scene, contents, tree

from snippet_engine.errors import ErrorCode
from snippet_engine.source_text import MAX_FILE_BYTES, content_hash
from snippet_engine.storage.change_sets.change_plan import FileChange
from snippet_engine.storage.paths.project import MAX_ASSET_BYTES
from snippet_engine.storage.records.change_record import MAX_CHANGE_FILES, ChangeRecord, Slot, Stage
from snippet_engine.storage.state_folder import lock_key

TICKET = "0123456789abcdef"


def history_entry(scene: Scene) -> Path:
    (entry,) = (scene.root / "Library/SnippetEngine/history").iterdir()
    return entry


@pytest.mark.parametrize(
    "path",
    [
        "Library/x.asset",
        "Assets",
        "Assets/../Library/x.asset",
        "Assets//Main.unity",
        "/etc/passwd",
        "Assets\\Main.unity",
        "UserSettings/Layout.asset",
        "Library/PackageCache/p@1/A.prefab",
        "Assets/Main\n.unity",
    ],
)
def test_what_no_set_may_contain(scene: Scene, path: str) -> None:
    refusal(scene.project.locate_file(path), ErrorCode.PATH_NOT_ALLOWED)


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights on Windows")
def test_a_link_out_of_the_project_is_refused(scene: Scene, tmp_path: Path) -> None:
    (tmp_path / "Outside.unity").write_bytes(SCENE)
    (scene.root / "Assets/Link.unity").symlink_to(tmp_path / "Outside.unity")
    refusal(scene.project.locate_file("Assets/Link.unity"), ErrorCode.PATH_NOT_ALLOWED)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no FIFOs")
def test_a_fifo_is_refused_and_never_opened(scene: Scene) -> None:
    os.mkfifo(scene.root / "Assets/Pipe.asset")
    refusal(scene.project.locate_file("Assets/Pipe.asset"), ErrorCode.PATH_NOT_ALLOWED)
    refusal(scene.project.locate_file("Assets/Gone.asset"), ErrorCode.FILE_NOT_FOUND)


def test_hundreds_of_files_change_and_come_back(scene: Scene) -> None:
    for number in range(300):
        path = scene.root / f"Assets/Level{number}/Level.unity"
        path.parent.mkdir()
        path.write_bytes(b"speed: %d\n" % number)
    before = tree(scene.root)
    changes = [
        scene.edit_file(f"Assets/Level{number}/Level.unity", b"pace: %d\n" % number)
        for number in range(300)
    ]
    changed = scene.applied(*changes, scene.edit("Assets/Player.cs", b"//\n"))
    assert contents(scene.root)["Assets/Level299/Level.unity"] == b"pace: 299\n"
    (entry,) = scene.store.history(None, 5)
    assert entry.is_undoable
    assert len(entry.files) == 301
    scene.undone(changed)
    assert tree(scene.root) == before


def test_hundreds_of_files_that_others_changed_at_a_crash(scene: Scene) -> None:
    """The history entry names each file that was left alone."""
    names = [f"Assets/Level{number:03}.unity" for number in range(300)]
    for name in names:
        (scene.root / name).write_bytes(b"speed: 1\n")
    scene.died([scene.edit_file(name, b"pace: 1\n") for name in names], TICKET)
    for name in names[1:]:
        (scene.root / name).write_bytes(b"theirs\n")
    (settled,) = scene.store.recover().settled
    assert len(settled.left_alone) == 299
    assert contents(scene.root)[names[0]] == b"speed: 1\n"
    (entry,) = scene.store.history(None, 5)
    assert [file.path for file in entry.files] == names[1:]


def test_more_files_than_a_set_may_have(scene: Scene) -> None:
    main = scene.edit_file("Assets/Main.unity", b"new\n")
    scene.refused(*[main] * (MAX_CHANGE_FILES + 1), code=ErrorCode.FILE_TOO_LARGE)
    assert contents(scene.root) == FILES


def test_a_scene_larger_than_any_script_is_kept_packed(scene: Scene) -> None:
    path = scene.root / "Assets/Large.unity"
    large = b"  m_LocalPosition: {x: 1, y: 2, z: 3}\n" * (MAX_FILE_BYTES // 30)
    path.write_bytes(large)
    changed = scene.applied(scene.edit_file("Assets/Large.unity", large[:-1]))
    assert path.read_bytes() == large[:-1]
    assert history_entry(scene).stat().st_size < len(large) / 10
    scene.undone(changed)
    assert path.read_bytes() == large


def test_an_asset_over_the_limit_is_refused(scene: Scene) -> None:
    main = scene.edit_file("Assets/Main.unity", b"new\n")
    with (scene.root / "Assets/Huge.unity").open("wb") as file:
        file.truncate(MAX_ASSET_BYTES + 1)
    huge = success(scene.project.locate_file("Assets/Huge.unity"))
    refused = scene.refused(main, FileChange(huge, b"?", b"!"))
    assert (refused.code, refused.file) == (ErrorCode.FILE_TOO_LARGE, 1)
    assert contents(scene.root)["Assets/Main.unity"] == SCENE


def test_a_save_in_between_is_never_overwritten(scene: Scene) -> None:
    change = scene.edit_file("Assets/Main.unity", b"new\n")
    (scene.root / "Assets/Main.unity").write_bytes(b"theirs\n")
    refused = scene.refused(scene.edit("Assets/Player.cs", b"//\n"), change)
    assert (refused.code, refused.file) == (ErrorCode.STALE_FILE, 1)
    assert contents(scene.root) == {**FILES, "Assets/Main.unity": b"theirs\n"}


def test_a_meta_has_the_lock_of_its_file() -> None:
    assert lock_key("Assets/Player.cs.meta") == lock_key("Assets/Player.cs")
    assert lock_key("Assets/Player.cs") != lock_key("Assets/Player")


@pytest.mark.parametrize("image", [SCENE, random.Random(7).randbytes(100_000), b"", b"small"])
def test_a_record_keeps_every_image(image: bytes) -> None:
    slot = Slot(0, "Assets/Main.unity", False, content_hash(image), content_hash(b"x"), image)
    record = ChangeRecord(TICKET, 1.0, None, (), (slot,))
    data, _ = record.encode()
    decoded = ChangeRecord.decode(data)
    assert decoded is not None
    assert decoded == (record, Stage.PREPARED)
    assert len(data) < len(image) + 1_000


@pytest.mark.parametrize("image", [SCENE, b"small"])
def test_a_damaged_image_is_found(image: bytes) -> None:
    slot = Slot(0, "Assets/Main.unity", False, content_hash(image), content_hash(b"x"), image)
    damaged = bytearray(ChangeRecord(TICKET, 1.0, None, (), (slot,)).encode_done())
    damaged[damaged.index(b"\n") + 1] ^= 0x40
    found = ChangeRecord.decode(bytes(damaged))
    assert found is not None
    assert found[1] is Stage.DAMAGED
