"""A change set is written whole or not at all, and taken back: docs/design/engine.md §5."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from change_sets import (
    AFTER_EVERYTHING,
    FILES,
    PLAYER,
    UTIL,
    Scene,
    contents,
    new_project,
    state_files,
    tree,
)
from this_system import ON_WINE

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.source_text import MAX_FILE_BYTES, content_hash
from snippet_engine.storage import state_folder
from snippet_engine.storage.change_sets import change_journal
from snippet_engine.storage.change_sets.change_plan import FileChange
from snippet_engine.storage.paths.project import ScriptPath
from snippet_engine.storage.state_folder import lock_key
from snippet_engine.storage.stores import change_store
from snippet_engine.storage.stores.change_store import UndoneChange
from snippet_engine.storage.stores.script_store import ScriptStore
from snippet_engine.storage.system import folder as folders


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene.of(new_project(tmp_path / "Game"))


def applied(answer: str | SnippetError) -> str:
    assert isinstance(answer, str), answer
    return answer


def refused(answer: object, code: ErrorCode, file: int | None = None) -> SnippetError:
    assert isinstance(answer, SnippetError), answer
    assert (answer.code, answer.file) == (code, file), answer
    return answer


def test_a_set_of_every_kind_and_its_undo(scene: Scene) -> None:
    before = tree(scene.root)
    change_id = applied(scene.store.apply(scene.everything(), client="someone"))
    assert contents(scene.root) == AFTER_EVERYTHING
    assert state_files(scene.root) == []
    undone = scene.store.undo(change_id)
    assert isinstance(undone, UndoneChange), undone
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


def test_the_ticket_is_the_change_s_name(scene: Scene) -> None:
    ticket = "0123456789abcdef"
    changes = [scene.edit("Assets/Player.cs", b"// new\n")]
    assert scene.store.apply(changes, client=None, ticket=ticket) == ticket
    assert isinstance(scene.store.undo(ticket), UndoneChange)


def test_order_changes_nothing(tmp_path: Path) -> None:
    forward, backward = (Scene.of(new_project(tmp_path / name)) for name in "ab")
    applied(forward.store.apply(forward.everything(), client=None))
    applied(backward.store.apply(backward.everything()[::-1], client=None))
    assert tree(forward.root) == tree(backward.root)


def test_what_is_only_compared_is_not_written(scene: Scene) -> None:
    same = scene.edit("Assets/Player.cs", PLAYER)
    inode = (scene.root / "Assets/Player.cs").stat().st_ino
    change_id = applied(
        scene.store.apply([same, scene.edit("Assets/Util.cs", b"// new\n")], client=None)
    )
    assert (scene.root / "Assets/Player.cs").stat().st_ino == inode
    assert isinstance(scene.store.undo(change_id), UndoneChange)
    assert contents(scene.root) == FILES


class TestRefused:
    """Every byte, name and mode of the project stays, and the file at fault is told."""

    def check(self, scene: Scene, changes: list[FileChange], code: ErrorCode, file: int) -> str:
        before = tree(scene.root)
        error = refused(scene.store.apply(changes, client=None), code, file)
        assert tree(scene.root) == before
        assert state_files(scene.root) == []
        return error.message

    def test_a_file_that_changed(self, scene: Scene) -> None:
        changes = scene.everything()
        (scene.root / "Assets/Old.cs").write_bytes(b"saved\n")
        assert "Assets/Old.cs" in self.check(scene, changes, ErrorCode.STALE_FILE, 3)

    def test_a_file_that_is_gone(self, scene: Scene) -> None:
        changes = scene.everything()
        (scene.root / "Assets/Enemies/Enemy.cs").unlink()
        self.check(scene, changes, ErrorCode.FILE_NOT_FOUND, 4)

    def test_a_file_that_is_there_by_now(self, scene: Scene) -> None:
        changes = scene.everything()
        (scene.root / "Assets/Health").mkdir()
        (scene.root / "Assets/Health/Health.cs").write_bytes(b"theirs\n")
        self.check(scene, changes, ErrorCode.STALE_FILE, 2)

    def test_a_target_that_is_there_by_now(self, scene: Scene) -> None:
        changes = [scene.move("Assets/Util.cs", "Assets/Core/Util.cs")]
        (scene.root / "Assets/Core").mkdir()
        (scene.root / "Assets/Core/Util.cs").write_bytes(b"theirs\n")
        self.check(scene, changes, ErrorCode.STALE_FILE, 0)

    def test_a_target_whose_meta_is_there_alone(self, scene: Scene) -> None:
        changes = [scene.move("Assets/Util.cs", "Assets/Helpers.cs")]
        (scene.root / "Assets/Helpers.cs.meta").write_bytes(b"theirs\n")
        message = self.check(scene, changes, ErrorCode.INVALID_REQUEST, 0)
        assert "Assets/Helpers.cs.meta" in message

    @pytest.mark.parametrize("name", ["Assets/Old.cs", "Assets/Old.cs.meta"])
    def test_a_read_only_file_is_not_deleted(self, scene: Scene, name: str) -> None:
        changes = [scene.edit("Assets/Player.cs", b"new\n"), scene.delete("Assets/Old.cs")]
        (scene.root / name).chmod(0o444)
        self.check(scene, changes, ErrorCode.READ_ONLY, 1)

    def test_a_file_that_would_be_too_large(self, scene: Scene) -> None:
        changes = [
            scene.edit("Assets/Player.cs", b"new\n"),
            scene.create("Assets/New.cs", b"/" * (MAX_FILE_BYTES + 1)),
        ]
        self.check(scene, changes, ErrorCode.FILE_TOO_LARGE, 1)

    def test_a_folder_that_became_a_link(self, scene: Scene, tmp_path: Path) -> None:
        changes = scene.everything()
        enemies = scene.root / "Assets/Enemies"
        enemies.rename(tmp_path / "elsewhere")
        enemies.symlink_to(tmp_path / "elsewhere")
        self.check(scene, changes, ErrorCode.PATH_NOT_ALLOWED, 4)
        assert sorted(path.name for path in (tmp_path / "elsewhere").iterdir()) == [
            "Enemy.cs",
            "Enemy.cs.meta",
        ]


class TestMeta:
    """``.meta`` files go where their scripts go."""

    def test_a_script_without_one(self, scene: Scene) -> None:
        (scene.root / "Assets/Util.cs.meta").unlink()
        before = tree(scene.root)
        change_id = applied(
            scene.store.apply([scene.move("Assets/Util.cs", "Assets/Core/Util.cs")], client=None)
        )
        assert not (scene.root / "Assets/Core/Util.cs.meta").exists()
        assert isinstance(scene.store.undo(change_id), UndoneChange)
        assert tree(scene.root) == before

    def test_one_that_was_there_before_its_script(self, scene: Scene) -> None:
        (scene.root / "Assets/New.cs.meta").write_bytes(b"guid: 12\n")
        before = tree(scene.root)
        change_id = applied(
            scene.store.apply([scene.create("Assets/New.cs", b"// new\n")], client=None)
        )
        assert isinstance(scene.store.undo(change_id), UndoneChange)
        assert tree(scene.root) == before

    def test_what_unity_has_made_meanwhile_goes_with_the_undo(self, scene: Scene) -> None:
        before = tree(scene.root)
        change_id = applied(
            scene.store.apply([scene.create("Assets/Health/Health.cs", b"// new\n")], client=None)
        )
        (scene.root / "Assets/Health/Health.cs.meta").write_bytes(b"guid: 10\n")
        (scene.root / "Assets/Health.meta").write_bytes(b"guid: 11\n")
        assert isinstance(scene.store.undo(change_id), UndoneChange)
        assert tree(scene.root) == before

    def test_a_folder_with_something_else_by_now_stays(self, scene: Scene) -> None:
        change_id = applied(
            scene.store.apply([scene.create("Assets/Health/Health.cs", b"// new\n")], client=None)
        )
        (scene.root / "Assets/Health/Other.cs").write_bytes(b"theirs\n")
        (scene.root / "Assets/Health.meta").write_bytes(b"guid: 11\n")
        assert isinstance(scene.store.undo(change_id), UndoneChange)
        theirs = {"Assets/Health/Other.cs": b"theirs\n", "Assets/Health.meta": b"guid: 11\n"}
        assert contents(scene.root) == {**FILES, **theirs}

    def test_one_that_unity_changed_after_a_move_goes_back_as_it_is(self, scene: Scene) -> None:
        change_id = applied(
            scene.store.apply([scene.move("Assets/Util.cs", "Assets/Core/Util.cs")], client=None)
        )
        (scene.root / "Assets/Core/Util.cs.meta").write_bytes(b"guid: 5\nlabels: x\n")
        assert isinstance(scene.store.undo(change_id), UndoneChange)
        assert contents(scene.root) == {
            **FILES,
            "Assets/Util.cs.meta": b"guid: 5\nlabels: x\n",
        }


class TestUndo:
    """All of it, or none, with the names of what has changed since."""

    def test_any_file_that_changed_stops_it(self, scene: Scene) -> None:
        change_id = applied(scene.store.apply(scene.everything(), client=None))
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

    def test_what_something_else_changed_is_not_said_to_be_undoable(self, scene: Scene) -> None:
        change_id = applied(
            scene.store.apply([scene.edit("Assets/Player.cs", b"// new\n")], client=None)
        )
        (scene.root / "Assets/Player.cs").write_bytes(b"saved\n")
        error = refused(scene.store.undo(change_id), ErrorCode.STALE_FILE, 0)
        (found,) = error.details["changed"]
        assert found["currentHash"] == content_hash(b"saved\n")
        assert "Something else than an apply changed Assets/Player.cs" in error.message
        for each in ("currentHash", "expectedHash"):
            assert str(found[each])[:15] in error.message
        assert "first" not in error.message
        assert len(error.message) <= 200

    def test_what_something_else_wrote_between_applies_is_told_at_once(self, scene: Scene) -> None:
        names = ["Assets/Player.cs", "Assets/Util.cs"]
        first = applied(
            scene.store.apply([scene.edit(each, b"// new\n") for each in names], client=None)
        )
        (scene.root / names[1]).write_bytes(b"saved\n")
        later = [
            applied(scene.store.apply([scene.edit(each, b"// newer\n")], client=None))
            for each in names
        ]
        for _ in range(3):
            error = refused(scene.store.undo(first), ErrorCode.STALE_FILE, 1)
            assert error.message.startswith(f"Something else than an apply changed {names[1]} ")
            assert [each["path"] for each in error.details["changed"]] == [names[1]]
            assert "undoInOrder" not in error.details
            assert len(error.message) <= 200
            if later:
                assert isinstance(scene.store.undo(later.pop()), UndoneChange)

    def test_an_older_text_brought_back_by_something_else_is_told(self, scene: Scene) -> None:
        applied(scene.store.apply([scene.edit("Assets/Player.cs", b"// a\n")], client=None))
        second = applied(
            scene.store.apply([scene.edit("Assets/Player.cs", b"// b\n")], client=None)
        )
        (scene.root / "Assets/Player.cs").write_bytes(b"// a\n")
        error = refused(scene.store.undo(second), ErrorCode.STALE_FILE, 0)
        assert "Something else than an apply changed Assets/Player.cs" in error.message

    def test_a_newer_change_that_is_stuck_is_not_advised(self, scene: Scene) -> None:
        first = applied(
            scene.store.apply([scene.edit("Assets/Player.cs", b"// new\n")], client=None)
        )
        both = ["Assets/Player.cs", "Assets/Util.cs"]
        applied(scene.store.apply([scene.edit(each, b"// newer\n") for each in both], client=None))
        (scene.root / both[1]).write_bytes(b"saved\n")
        error = refused(scene.store.undo(first), ErrorCode.STALE_FILE, 0)
        assert error.message.startswith(f"Something else than an apply changed {both[1]}, ")
        assert "undoInOrder" not in error.details
        assert [each["path"] for each in error.details["inTheWay"]] == [both[1]]
        assert len(error.message) <= 200

    def test_what_somebody_put_back_bars_the_newer_changes(self, scene: Scene) -> None:
        both = ["Assets/Player.cs", "Assets/Util.cs"]
        first = applied(
            scene.store.apply([scene.edit(each, b"// new\n") for each in both], client=None)
        )
        left = (scene.root / both[1]).read_bytes()
        for each in both:
            applied(scene.store.apply([scene.edit(each, b"// newer\n")], client=None))
        (scene.root / both[1]).write_bytes(left)
        error = refused(scene.store.undo(first), ErrorCode.STALE_FILE, 0)
        assert "undoInOrder" not in error.details
        assert [each["path"] for each in error.details["inTheWay"]] == [both[1]]

    def test_what_came_after_it_is_to_be_undone_first(self, scene: Scene) -> None:
        first = applied(
            scene.store.apply([scene.edit("Assets/Player.cs", b"// new\n")], client=None)
        )
        later = applied(
            scene.store.apply([scene.edit("Assets/Player.cs", b"// newer\n")], client=None)
        )
        error = refused(scene.store.undo(first), ErrorCode.STALE_FILE, 0)
        assert error.details["undoInOrder"] == [{"changeId": later}, {"changeId": first}]
        assert isinstance(scene.store.undo(later), UndoneChange)
        gone = applied(scene.store.apply([scene.delete("Assets/Player.cs")], client=None))
        error = refused(scene.store.undo(first), ErrorCode.STALE_FILE, 0)
        assert error.details["undoInOrder"] == [{"changeId": gone}, {"changeId": first}]
        assert isinstance(scene.store.undo(gone), UndoneChange)
        assert isinstance(scene.store.undo(first), UndoneChange)

    @pytest.mark.parametrize("name", ["Assets/Old.cs.meta", "Assets/Util.cs"])
    def test_what_is_in_the_way_stops_it(self, scene: Scene, name: str) -> None:
        change_id = applied(scene.store.apply(scene.everything(), client=None))
        (scene.root / name).write_bytes(b"theirs\n")
        before = tree(scene.root)
        error = scene.store.undo(change_id)
        assert isinstance(error, SnippetError)
        assert error.code is ErrorCode.STALE_FILE
        assert name in error.message
        assert tree(scene.root) == before

    def test_a_folder_that_is_gone_comes_back(self, scene: Scene) -> None:
        only = [scene.delete("Assets/Enemies/Enemy.cs")]
        change_id = applied(scene.store.apply(only, client=None))
        (scene.root / "Assets/Enemies").rmdir()
        assert isinstance(scene.store.undo(change_id), UndoneChange)
        assert contents(scene.root) == FILES

    def test_after_single_edits_on_top_were_undone(self, scene: Scene) -> None:
        singles = ScriptStore(scene.project)
        player = scene.there("Assets/Player.cs")
        assert singles.apply(player, PLAYER, b"1\n") is None
        change_id = applied(scene.store.apply([scene.edit("Assets/Player.cs", b"2\n")], client="x"))
        assert singles.apply(player, b"2\n", b"3\n") is None
        refused(scene.store.undo(change_id), ErrorCode.STALE_FILE, 0)
        assert not isinstance(singles.undo(player, content_hash(b"3\n")), SnippetError)
        assert isinstance(scene.store.undo(change_id), UndoneChange)
        assert not isinstance(singles.undo(player, content_hash(b"1\n")), SnippetError)
        assert contents(scene.root) == FILES

    def test_a_damaged_record_is_refused(self, scene: Scene) -> None:
        change_id = applied(scene.store.apply(scene.everything(), client=None))
        (entry,) = (scene.root / "Library/SnippetEngine/history").iterdir()
        data = bytearray(entry.read_bytes())
        data[len(data) // 2] ^= 1
        entry.write_bytes(data)
        error = refused(scene.store.undo(change_id), ErrorCode.INVALID_REQUEST)
        assert "damaged" in error.message
        assert contents(scene.root) == AFTER_EVERYTHING


def test_where_names_can_t_be_exchanged(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "exchange_names", lambda *_: False)
    before = tree(scene.root)
    change_id = applied(scene.store.apply(scene.everything(), client=None))
    assert contents(scene.root) == AFTER_EVERYTHING
    assert isinstance(scene.store.undo(change_id), UndoneChange)
    assert tree(scene.root) == before


def test_where_files_have_one_name_only(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: object, **__: object) -> None:
        raise OSError(1, "EPERM")

    monkeypatch.setattr(os, "link", no_links)
    before = tree(scene.root)
    change_id = applied(scene.store.apply(scene.everything(), client=None))
    assert contents(scene.root) == AFTER_EVERYTHING
    assert isinstance(scene.store.undo(change_id), UndoneChange)
    assert tree(scene.root) == before


def test_a_name_is_not_taken_from_whoever_has_it_by_then(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "link", lambda *_, **__: (_ for _ in ()).throw(OSError(1, "EPERM")))
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
    change_id = applied(scene.store.apply([scene.delete(long)], client=None))
    assert contents(scene.root) == FILES
    assert isinstance(scene.store.undo(change_id), UndoneChange)
    assert tree(scene.root) == before


def test_a_name_too_long_for_its_meta_is_refused(scene: Scene) -> None:
    fits = scene.project.locate_new("Assets/" + "L" * 247 + ".cs")
    assert isinstance(fits, ScriptPath)
    for name in ("Assets/" + "L" * 248 + ".cs", "Assets/" + "é" * 126 + "/A.cs"):
        refused = scene.project.locate_new(name)
        assert isinstance(refused, SnippetError)
        assert "250 bytes" in refused.message


def disk_steps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is on its way to the disk from now on, what is waited for, and which names change."""
    names: dict[int, str] = {}
    steps: list[str] = []
    open_, exchange, rename_ = os.open, folders.exchange_names, os.replace

    def noted_open(path: str | Path, *args: int, **options: int | None) -> int:
        fd = open_(path, *args, **options)
        names[fd] = Path(path).name
        return fd

    def noted_exchange(folder_fd: int, one: str, other: str) -> bool:
        steps.append(f"rename {one}")
        return exchange(folder_fd, one, other)

    def noted_rename(source: str | Path, target: str | Path, **options: int | None) -> None:
        steps.append(f"rename {Path(source).name}")
        rename_(source, target, **options)

    def noting(step: str) -> Callable[[int], None]:
        return lambda fd: steps.append(f"{step} {names[fd]}")

    monkeypatch.setattr(os, "open", noted_open)
    monkeypatch.setattr(os, "replace", noted_rename)
    monkeypatch.setattr(folders, "exchange_names", noted_exchange)
    monkeypatch.setattr(change_store, "begin_write_out", noting("begin"))
    for module in (change_journal, state_folder, folders):
        monkeypatch.setattr(module, "make_durable", noting("wait for"))
    return steps


OF_FOLDERS = ["wait for Assets"] if os.name == "posix" else []  # Windows can't


def test_what_of_a_set_reaches_the_disk_before_what(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files are on their way before anything is waited for, and all of it is on the disk before
    any name changes."""
    steps = disk_steps(monkeypatch)
    ticket, player, util = "0123456789abcdef", "Assets/Player.cs", "Assets/Util.cs"
    changes = [scene.edit(player, b"// new\n"), scene.edit(util, b"// new\n")]
    applied(scene.store.apply(changes, client=None, ticket=ticket))
    one, other = f".Player.cs.{ticket}.0.tmp", f".Util.cs.{ticket}.1.tmp"
    record = f"{min(lock_key(player), lock_key(util))}-{ticket}.set"
    assert steps == [
        *(f"begin {one}", f"begin {other}"),
        f"wait for {record}",
        *(f"wait for {one}", f"wait for {other}"),
        *(f"rename {one}", f"rename {other}"),
        *OF_FOLDERS,
        f"rename {record}",
    ]


def dead_after_the_seal(scene: Scene, changes: list[FileChange]) -> str:
    """The set's id, whose writer died when it was sealed, and nothing of it waited for."""
    ticket = "0123456789abcdef"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(state_folder, "make_durable", dies)
        patch.setattr(change_store.ChangeStore, "_settled", dies)
        patch.setattr("snippet_engine.storage.files.discard", lambda *_: None)
        with pytest.raises(RuntimeError):
            scene.store.apply(changes, client=None, ticket=ticket)
    return ticket


def dies(*_: object) -> None:
    raise RuntimeError("dead")


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
        *OF_FOLDERS,
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
