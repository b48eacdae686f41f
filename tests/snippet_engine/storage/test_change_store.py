"""A change set is written whole or not at all, and taken back: docs/design/engine.md §5."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from answered import refusal, success
from change_sets import AFTER_EVERYTHING, FILES, PLAYER, UTIL, Scene, contents, state_files, tree
from meddling import disk_steps, dying_at, waits_for_folder
from this_system import ON_WINE

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.source_text import MAX_FILE_BYTES, content_hash
from snippet_engine.storage import state_folder
from snippet_engine.storage.change_sets.change_plan import FileChange
from snippet_engine.storage.state_folder import lock_key
from snippet_engine.storage.stores import change_store
from snippet_engine.storage.stores.script_store import ScriptStore
from snippet_engine.storage.system import folder as folders


def refused(answer: object, code: ErrorCode, file: int | None = None) -> SnippetError:
    assert isinstance(answer, SnippetError), answer
    assert (answer.code, answer.file) == (code, file), answer
    return answer


Changes = Callable[[Scene], list[FileChange]]


def put(name: str) -> Callable[[Path], object]:
    """Somebody else writes a file of that name."""

    def write(root: Path) -> None:
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_bytes(b"theirs\n")

    return write


def read_only(name: str) -> Callable[[Path], object]:
    return lambda root: (root / name).chmod(0o444)


def moved_to(target: str) -> Changes:
    return lambda scene: [scene.move("Assets/Util.cs", target)]


def link_folder(root: Path) -> None:
    (root / "Assets/Enemies").rename(root.parent / "elsewhere")
    (root / "Assets/Enemies").symlink_to(root.parent / "elsewhere")


def test_a_set_of_every_kind_and_its_undo(scene: Scene) -> None:
    before = tree(scene.root)
    change_id = scene.applied(*scene.everything(), client="someone")
    assert contents(scene.root) == AFTER_EVERYTHING
    assert state_files(scene.root) == []
    undone = scene.undone(change_id)
    assert [each.place.canonical for each in undone.files] == [
        "Assets/Player.cs",
        "Assets/Util.cs",
        "Assets/Health/Health.cs",
        "Assets/Old.cs",
        "Assets/Enemies/Enemy.cs",
        "Assets/Main.unity",
        "Assets/Hero.fbx.meta",
        "ProjectSettings/TagManager.asset",
    ]
    assert tree(scene.root) == before
    assert state_files(scene.root) == []
    refused(scene.store.undo(change_id), ErrorCode.INVALID_REQUEST)
    assert tree(scene.root) == before


def test_what_is_only_compared_is_not_written(scene: Scene) -> None:
    same = scene.edit("Assets/Player.cs", PLAYER)
    inode = (scene.root / "Assets/Player.cs").stat().st_ino
    change_id = scene.applied(same, scene.edit("Assets/Util.cs", b"// new\n"))
    assert (scene.root / "Assets/Player.cs").stat().st_ino == inode
    scene.undone(change_id)
    assert contents(scene.root) == FILES


STALE, TOO_LARGE = ErrorCode.STALE_FILE, ErrorCode.FILE_TOO_LARGE
READ_ONLY, GONE = ErrorCode.READ_ONLY, ErrorCode.FILE_NOT_FOUND
INVALID = ErrorCode.INVALID_REQUEST
REFUSED: dict[str, tuple[Changes, Callable[[Path], object], ErrorCode, int]] = {
    "changed": (Scene.everything, put("Assets/Old.cs"), STALE, 3),
    "gone": (Scene.everything, lambda root: (root / "Assets/Enemies/Enemy.cs").unlink(), GONE, 4),
    "there by now": (Scene.everything, put("Assets/Health/Health.cs"), STALE, 2),
    "target there by now": (moved_to("Assets/Core/Util.cs"), put("Assets/Core/Util.cs"), STALE, 0),
    "target's .meta": (moved_to("Assets/U.cs"), put("Assets/U.cs.meta"), INVALID, 0),
    "read-only": (Scene.everything, read_only("Assets/Old.cs"), READ_ONLY, 3),
    "read-only .meta": (Scene.everything, read_only("Assets/Old.cs.meta"), READ_ONLY, 3),
    "too large": (
        lambda scene: [
            scene.edit("Assets/Player.cs", b"new\n"),
            scene.create("Assets/New.cs", b"/" * (MAX_FILE_BYTES + 1)),
        ],
        lambda _: None,
        TOO_LARGE,
        1,
    ),
    "folder is a link": (Scene.everything, link_folder, ErrorCode.PATH_NOT_ALLOWED, 4),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_as_it_was_read_refuses_the_set(scene: Scene, what: str) -> None:
    """Every byte, name and mode of the project stays, and the file at fault is told."""
    of, spoil, code, file = REFUSED[what]
    changes = of(scene)
    spoil(scene.root)
    before = tree(scene.root)
    error = refused(scene.store.apply(changes, client=None), code, file)
    assert changes[file].place.canonical in error.message
    assert tree(scene.root) == before
    assert state_files(scene.root) == []


class TestUndo:
    """All of it, or none, with the names of what has changed since."""

    def test_any_file_that_changed_stops_it(self, scene: Scene) -> None:
        change_id = scene.applied(*scene.everything())
        (scene.root / "Assets/Player.cs").write_bytes(b"saved\n")
        (scene.root / "Assets/Old.cs").write_bytes(b"made again\n")
        before = tree(scene.root)
        error = refused(scene.store.undo(change_id), ErrorCode.STALE_FILE, 0)
        changed = [(each["path"], each["currentHash"]) for each in error.details["changed"]]
        assert changed == [
            ("Assets/Player.cs", content_hash(b"saved\n")),
            ("Assets/Old.cs", content_hash(b"made again\n")),
        ]
        assert "Assets/Player.cs" in error.message
        assert "Assets/Old.cs" in error.message
        assert tree(scene.root) == before

    def test_what_something_else_wrote_between_applies_is_told_at_once(self, scene: Scene) -> None:
        names = ["Assets/Player.cs", "Assets/Util.cs"]
        first = scene.applied(*[scene.edit(each, b"// new\n") for each in names])
        (scene.root / names[1]).write_bytes(b"saved\n")
        later = [scene.applied(scene.edit(each, b"// newer\n")) for each in names]
        for _ in range(3):
            error = refused(scene.store.undo(first), ErrorCode.STALE_FILE, 1)
            assert error.message.startswith(f"Something else than an apply changed {names[1]} ")
            assert [each["path"] for each in error.details["changed"]] == [names[1]]
            assert "undoInOrder" not in error.details
            assert len(error.message) <= 200
            if later:
                scene.undone(later.pop())

    def test_an_older_text_brought_back_by_something_else_is_told(self, scene: Scene) -> None:
        scene.applied(scene.edit("Assets/Player.cs", b"// a\n"))
        second = scene.applied(scene.edit("Assets/Player.cs", b"// b\n"))
        (scene.root / "Assets/Player.cs").write_bytes(b"// a\n")
        error = refused(scene.store.undo(second), ErrorCode.STALE_FILE, 0)
        assert "Something else than an apply changed Assets/Player.cs" in error.message

    def test_a_newer_change_that_is_stuck_is_not_advised(self, scene: Scene) -> None:
        first = scene.applied(scene.edit("Assets/Player.cs", b"// new\n"))
        both = ["Assets/Player.cs", "Assets/Util.cs"]
        scene.applied(*[scene.edit(each, b"// newer\n") for each in both])
        (scene.root / both[1]).write_bytes(b"saved\n")
        error = refused(scene.store.undo(first), ErrorCode.STALE_FILE, 0)
        assert f"something else than an apply changed {both[1]} since" in error.message
        assert "undoInOrder" not in error.details
        assert [each["path"] for each in error.details["inTheWay"]] == [both[1]]
        assert len(error.message) <= 200

    def test_what_somebody_put_back_bars_the_newer_changes(self, scene: Scene) -> None:
        both = ["Assets/Player.cs", "Assets/Util.cs"]
        first = scene.applied(*[scene.edit(each, b"// new\n") for each in both])
        left = (scene.root / both[1]).read_bytes()
        for each in both:
            scene.applied(scene.edit(each, b"// newer\n"))
        (scene.root / both[1]).write_bytes(left)
        error = refused(scene.store.undo(first), ErrorCode.STALE_FILE, 0)
        assert "undoInOrder" not in error.details
        assert [each["path"] for each in error.details["inTheWay"]] == [both[1]]

    def test_what_came_after_it_is_to_be_undone_first(self, scene: Scene) -> None:
        first = scene.applied(scene.edit("Assets/Player.cs", b"// new\n"))
        later = scene.applied(scene.edit("Assets/Player.cs", b"// newer\n"))
        error = refused(scene.store.undo(first), ErrorCode.STALE_FILE, 0)
        assert error.details["undoInOrder"] == [{"changeId": later}, {"changeId": first}]
        scene.undone(later)
        gone = scene.applied(scene.delete("Assets/Player.cs"))
        error = refused(scene.store.undo(first), ErrorCode.STALE_FILE, 0)
        assert error.details["undoInOrder"] == [{"changeId": gone}, {"changeId": first}]
        scene.undone(gone)
        scene.undone(first)

    def test_after_single_edits_on_top_were_undone(self, scene: Scene) -> None:
        singles = ScriptStore(scene.project)
        player = scene.there("Assets/Player.cs")
        assert singles.apply(player, PLAYER, b"1\n") is None
        change_id = scene.applied(scene.edit("Assets/Player.cs", b"2\n"), client="x")
        assert singles.apply(player, b"2\n", b"3\n") is None
        refused(scene.store.undo(change_id), ErrorCode.STALE_FILE, 0)
        assert not isinstance(singles.undo(player, content_hash(b"3\n")), SnippetError)
        scene.undone(change_id)
        assert not isinstance(singles.undo(player, content_hash(b"1\n")), SnippetError)
        assert contents(scene.root) == FILES


def no_links(*_: object, **__: object) -> None:
    raise OSError(1, "EPERM")


@pytest.mark.parametrize(
    ("where", "name", "lacks"),
    [(folders, "exchange_names", lambda *_: False), (os, "link", no_links)],
    ids=["names can't be exchanged", "files have one name only"],
)
def test_what_a_system_lacks(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, where: object, name: str, lacks: object
) -> None:
    monkeypatch.setattr(where, name, lacks)
    before = tree(scene.root)
    change_id = scene.applied(*scene.everything())
    assert contents(scene.root) == AFTER_EVERYTHING
    scene.undone(change_id)
    assert tree(scene.root) == before


def test_a_name_is_not_taken_from_whoever_has_it_by_then(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "link", no_links)
    made = scene.create("Assets/New.cs", b"ours\n")
    stage = folders.Folder.create

    def made_by_another(self: folders.Folder, name: str, mode: int = 0o600) -> int:
        (scene.root / "Assets/New.cs").write_bytes(b"theirs\n")
        return stage(self, name, mode)

    monkeypatch.setattr(folders.Folder, "create", made_by_another)
    refused(scene.store.apply([made], client=None), ErrorCode.STALE_FILE, 0)
    assert contents(scene.root) == {**FILES, "Assets/New.cs": b"theirs\n"}


@pytest.mark.skipif(ON_WINE, reason="Wine 8 takes no path of such a length")
def test_names_as_long_as_they_can_be(scene: Scene) -> None:
    """A script and its .meta, whose temporary names are cut."""
    long = "Assets/" + "L" * 240 + ".cs"
    (scene.root / long).write_bytes(UTIL)
    (scene.root / f"{long}.meta").write_bytes(b"guid: 7\n")
    before = tree(scene.root)
    change_id = scene.applied(scene.delete(long))
    assert contents(scene.root) == FILES
    scene.undone(change_id)
    assert tree(scene.root) == before


def test_a_name_too_long_for_its_meta_is_refused(scene: Scene) -> None:
    success(scene.project.locate_new("Assets/" + "L" * 247 + ".cs"))
    for name in ("Assets/" + "L" * 248 + ".cs", "Assets/" + "é" * 126 + "/A.cs"):
        refused = refusal(scene.project.locate_new(name))
        assert "250 bytes" in refused.message


def test_what_of_a_set_reaches_the_disk_before_what(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files are on their way before anything is waited for, and all of it is on the disk before
    any name changes."""
    steps = disk_steps(monkeypatch)
    ticket, player, util = "0123456789abcdef", "Assets/Player.cs", "Assets/Util.cs"
    changes = [scene.edit(player, b"// new\n"), scene.edit(util, b"// new\n")]
    scene.applied(*changes, ticket=ticket)
    one, other = f".Player.cs.{ticket}.0.tmp", f".Util.cs.{ticket}.1.tmp"
    record = f"{min(lock_key(player), lock_key(util))}-{ticket}.set"
    assert steps == [
        *(f"begin {one}", f"begin {other}"),
        f"wait for {record}",
        *(f"wait for {one}", f"wait for {other}"),
        *(f"rename {one}", f"rename {other}"),
        *waits_for_folder("Assets"),
        f"rename {record}",
    ]


def dead_after_the_seal(scene: Scene, changes: list[FileChange]) -> str:
    """The set's id, whose writer died when it was sealed, and nothing of it waited for."""
    ticket = "0123456789abcdef"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("snippet_engine.storage.files.discard", lambda *_: None)
        with dying_at((state_folder, "make_durable"), (change_store.ChangeStore, "_settled")):
            scene.store.apply(changes, client=None, ticket=ticket)
    return ticket


def test_what_a_dead_writer_has_not_waited_for_is(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever completes the set brings all of it to the disk before any name changes."""
    player, util = "Assets/Player.cs", "Assets/Util.cs"
    changes = [scene.edit(player, b"// new\n"), scene.delete(util)]
    ticket = dead_after_the_seal(scene, changes)
    assert (scene.root / player).read_bytes() == FILES[player]
    steps = disk_steps(monkeypatch)
    (ended,) = scene.store.recover().settled
    assert ended.went_forward
    one, other = f".Player.cs.{ticket}.2.tmp", "Util.cs"
    record = f"{min(lock_key(player), lock_key(util))}-{ticket}.set"
    assert [each for each in steps if ".meta" not in each] == [
        *(f"wait for {one}", f"wait for {record}"),
        *(f"rename {other}", f"rename {one}"),
        *waits_for_folder("Assets"),
        f"rename {record}",
    ]


@pytest.mark.parametrize("left", [None, 0, 5])
def test_what_a_power_cut_has_taken_of_a_sealed_set(scene: Scene, left: int | None) -> None:
    """A new file, all of what it held, or the rest of it: every script is as it was."""
    before = tree(scene.root)
    dead_after_the_seal(scene, scene.everything())
    (temporary,) = (scene.root / "Assets").glob(".Player.cs.*.tmp")
    if left is None:
        temporary.unlink()
    else:
        temporary.write_bytes(temporary.read_bytes()[:left])
    (ended,) = scene.store.recover().settled
    assert (ended.went_forward, ended.left_alone) == (False, ())
    assert tree(scene.root) == before
    assert state_files(scene.root) == []
