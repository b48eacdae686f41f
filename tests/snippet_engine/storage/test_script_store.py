"""Apply and undo in one process: docs/design/engine.md §5, and laws 2, 3 and 5 of §10."""

from __future__ import annotations

import os
import stat
from itertools import pairwise
from pathlib import Path

import pytest
from answered import refusal, success
from hypothesis import given, settings
from hypothesis import strategies as st
from meddling import disk_steps, waits_for_folder
from this_system import ON_WINE, is_root, needs_posix

from snippet_engine.errors import ErrorCode
from snippet_engine.source_text import MAX_FILE_BYTES, content_hash
from snippet_engine.storage.paths.project import Project, ScriptPath
from snippet_engine.storage.state_folder import lock_key
from snippet_engine.storage.stores import script_store
from snippet_engine.storage.stores.script_store import ScriptStore, Undone
from snippet_engine.storage.system.folder import Folder

EDITED = b"class Player\r\n{\r\n    int speed = 20;\r\n}"


def files(root: Path) -> dict[str, bytes]:
    """Every file below ``root``; lock files aside, which hold nothing."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and path.suffix != ".lock"
    }


def script_named(project: Project, path: str) -> ScriptPath:
    return success(project.locate(path, for_writing=True))


class TestApply:
    """The new bytes, exactly, or an error and the old ones."""

    @needs_posix
    @pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o755, 0o666])
    def test_keeps_the_mode(self, store: ScriptStore, player: ScriptPath, mode: int) -> None:
        player.real.chmod(mode)
        assert store.apply(player, player.real.read_bytes(), EDITED) is None
        assert stat.S_IMODE(player.real.stat().st_mode) == mode
        assert isinstance(store.undo(player, content_hash(EDITED)), Undone)
        assert stat.S_IMODE(player.real.stat().st_mode) == mode

    @needs_posix
    @pytest.mark.skipif(not is_root(), reason="only root can give files away")
    def test_keeps_the_owner(self, store: ScriptStore, player: ScriptPath) -> None:
        os.chown(player.real, 1234, 5678)
        assert store.apply(player, player.real.read_bytes(), EDITED) is None
        status = player.real.stat()
        assert (status.st_uid, status.st_gid) == (1234, 5678)

    @pytest.mark.parametrize("saved", [b"saved in an editor", None])
    def test_saved_or_deleted_in_the_last_moment(
        self,
        store: ScriptStore,
        player: ScriptPath,
        monkeypatch: pytest.MonkeyPatch,
        root: Path,
        saved: bytes | None,
    ) -> None:
        """What others do while the temporary file is being written is not overwritten."""
        old = player.real.read_bytes()
        stage = script_store.stage

        def stage_then_save(folder: Folder, *rest: object) -> None:
            stage(folder, *rest)  # type: ignore[arg-type]
            player.real.unlink() if saved is None else player.real.write_bytes(saved)

        monkeypatch.setattr(script_store, "stage", stage_then_save)
        gone = ErrorCode.FILE_NOT_FOUND if saved is None else ErrorCode.STALE_FILE
        refusal(store.apply(player, old, EDITED), gone)
        assert files(root) == ({} if saved is None else {player.relative: saved})

    def test_deleted_in_between(self, store: ScriptStore, player: ScriptPath, root: Path) -> None:
        old = player.real.read_bytes()
        player.real.unlink()
        refusal(store.apply(player, old, EDITED), ErrorCode.FILE_NOT_FOUND)
        assert files(root) == {}

    def test_read_only_even_for_root(self, store: ScriptStore, player: ScriptPath) -> None:
        old = player.real.read_bytes()
        player.real.chmod(0o444)
        refusal(store.apply(player, old, EDITED), ErrorCode.READ_ONLY)
        assert player.real.read_bytes() == old

    def test_an_undo_of_what_is_read_only_by_now(
        self, store: ScriptStore, player: ScriptPath
    ) -> None:
        assert store.apply(player, player.real.read_bytes(), EDITED) is None
        player.real.chmod(0o444)
        refusal(store.undo(player, content_hash(EDITED)), ErrorCode.READ_ONLY)
        assert player.real.read_bytes() == EDITED

    def test_too_large_afterwards(self, store: ScriptStore, player: ScriptPath) -> None:
        old = player.real.read_bytes()
        refusal(store.apply(player, old, b" " * (MAX_FILE_BYTES + 1)), ErrorCode.FILE_TOO_LARGE)
        assert store.apply(player, old, b" " * MAX_FILE_BYTES) is None
        assert isinstance(store.undo(player, content_hash(b" " * MAX_FILE_BYTES)), Undone)
        assert player.real.read_bytes() == old

    @pytest.mark.skipif(ON_WINE, reason="Wine 8 tells no real path of over 260 characters")
    @pytest.mark.parametrize(
        "name", ["プレイヤー 敵.cs", "x" * 252 + ".cs", "é" * 126 + ".cs", "敵" * 84 + ".cs", ".cs"]
    )
    def test_any_name(self, store: ScriptStore, project: Project, root: Path, name: str) -> None:
        path = f"Assets/{name}"
        (root / path).write_bytes(b"class A {}")
        script = script_named(project, path)
        assert store.apply(script, b"class A {}", EDITED) is None
        assert (root / path).read_bytes() == EDITED
        assert isinstance(store.undo(script, content_hash(EDITED)), Undone)
        assert (root / path).read_bytes() == b"class A {}"

    def test_a_link_stays_a_link(self, store: ScriptStore, project: Project, root: Path) -> None:
        link = root / "Assets/Link.cs"
        link.symlink_to(root / "Assets/Scripts/Player.cs")
        script = script_named(project, "Assets/Link.cs")
        assert store.apply(script, script.real.read_bytes(), EDITED) is None
        assert link.is_symlink()
        assert (root / "Assets/Scripts/Player.cs").read_bytes() == EDITED
        # The same file by its other name: one history.
        other = script_named(project, "Assets/Scripts/Player.cs")
        assert isinstance(store.undo(other, content_hash(EDITED)), Undone)

    def test_a_hard_link_elsewhere_is_not_written_through(
        self, store: ScriptStore, player: ScriptPath, tmp_path: Path
    ) -> None:
        other = tmp_path / "outside/Other.cs"
        other.hardlink_to(player.real)
        old = player.real.read_bytes()
        assert store.apply(player, old, EDITED) is None
        assert other.read_bytes() == old

    def test_library_may_be_a_link(
        self, store: ScriptStore, player: ScriptPath, root: Path, tmp_path: Path
    ) -> None:
        (tmp_path / "fast").mkdir()
        (root / "Library").symlink_to(tmp_path / "fast")
        assert store.apply(player, player.real.read_bytes(), EDITED) is None
        assert isinstance(store.undo(player, content_hash(EDITED)), Undone)

    @pytest.mark.parametrize("part", ["", "/locks", "/pending", "/history"])
    def test_our_own_folders_may_not(
        self, store: ScriptStore, player: ScriptPath, root: Path, tmp_path: Path, part: str
    ) -> None:
        """A link committed to a repository must not make us write elsewhere."""
        trap = tmp_path / "trap"
        trap.mkdir()
        link = root / f"Library/SnippetEngine{part}"
        link.parent.mkdir(parents=True)
        link.symlink_to(trap)
        old = player.real.read_bytes()
        refusal(store.apply(player, old, EDITED), ErrorCode.WRITE_FAILED)
        assert player.real.read_bytes() == old
        assert files(trap) == {}


def test_what_reaches_the_disk_before_what(
    store: ScriptStore, player: ScriptPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A power cut can't be had in a test; the order that makes it harmless can."""
    steps = disk_steps(monkeypatch)
    ticket = "0123456789abcdef"
    assert store.apply(player, player.real.read_bytes(), EDITED, ticket=ticket) is None
    record = f"{lock_key(player.canonical)}-{ticket}"
    temporary = f".Player.cs.{ticket}.tmp"
    assert steps == [
        f"wait for {record}",
        f"wait for {temporary}",
        f"rename {temporary}",
        f"rename {record}",
        *waits_for_folder("Scripts"),
    ]


class TestSwappedForALink:
    """Between the check of the path and the write, something on the way becomes a link."""

    @pytest.fixture(params=["open folders", "paths"], autouse=True)
    def way(self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
        if request.param == "paths":  # As on Windows.
            monkeypatch.setattr("snippet_engine.storage.system.folder._HAS_DIR_FD", False)

    def test_the_ordinary_case(self, store: ScriptStore, player: ScriptPath, root: Path) -> None:
        assert store.apply(player, player.real.read_bytes(), EDITED) is None
        assert isinstance(store.undo(player, content_hash(EDITED)), Undone)
        assert [path for path in files(root) if path.startswith("Assets")] == [player.relative]

    @pytest.mark.parametrize(
        ("swapped", "to"),
        [
            ("Assets/Scripts/Player.cs", "outside/Player.cs"),
            ("Assets/Scripts", "outside"),
            ("Assets", "other"),
        ],
    )
    def test_before_the_write(
        self, store: ScriptStore, player: ScriptPath, root: Path, swapped: str, to: str
    ) -> None:
        tmp_path = root.parent
        (tmp_path / "other").mkdir()
        old, before = player.real.read_bytes(), files(tmp_path / "outside")
        (root / swapped).rename(tmp_path / "moved")
        (root / swapped).symlink_to(tmp_path / to)
        error = refusal(store.apply(player, old, EDITED))
        assert swapped == "Assets" or error.code is ErrorCode.PATH_NOT_ALLOWED
        assert (files(tmp_path / "outside"), files(tmp_path / "other")) == (before, {})

    @pytest.mark.parametrize("moment", ["stage", "temporary_name"])
    def test_its_folder_during_the_write(
        self,
        store: ScriptStore,
        player: ScriptPath,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        moment: str,
    ) -> None:
        """Whatever the verdict, nothing arrives outside, and the file is whole."""
        outside, moved = tmp_path / "outside", tmp_path / "moved"
        before = files(outside)
        old = player.real.read_bytes()
        step = getattr(script_store, moment)

        def swap_after(*args: object) -> object:
            result = step(*args)
            player.real.parent.rename(moved)
            player.real.parent.symlink_to(outside)
            return result

        monkeypatch.setattr(script_store, moment, swap_after)
        answer = store.apply(player, old, EDITED)
        assert files(outside) == before
        if answer is None:
            assert files(moved) == {"Player.cs": EDITED}
        else:
            assert (moved / "Player.cs").read_bytes() == old


class TestUndo:
    """Restores the bytes if, and only if, the file still has the hash."""

    def test_only_what_can_be_reached_is_told(self, store: ScriptStore, player: ScriptPath) -> None:
        assert store.apply(player, player.real.read_bytes(), b"B") is None
        player.real.write_bytes(b"by hand")
        assert store.apply(player, b"by hand", b"C") is None
        error = refusal(store.undo(player, content_hash(b"B")), ErrorCode.STALE_FILE)
        assert error.details["undoable"] == [content_hash(b"C")]

    def test_walks_back(self, store: ScriptStore, player: ScriptPath) -> None:
        contents = [player.real.read_bytes(), b"B", b"C", b"B", b"D"]
        for old, new in pairwise(contents):
            assert store.apply(player, old, new) is None
        for old, new in zip(contents[-2::-1], contents[:0:-1], strict=True):
            assert isinstance(store.undo(player, content_hash(new)), Undone)
            assert player.real.read_bytes() == old
        refusal(store.undo(player, content_hash(contents[0])), ErrorCode.INVALID_REQUEST)

    def test_is_of_one_file_only(
        self, store: ScriptStore, project: Project, player: ScriptPath, root: Path
    ) -> None:
        assert store.apply(player, player.real.read_bytes(), EDITED) is None
        (root / "Assets/Scripts/player.CS.cs").write_bytes(EDITED)
        twin = script_named(project, "Assets/Scripts/player.CS.cs")
        refusal(store.undo(twin, content_hash(EDITED)), ErrorCode.INVALID_REQUEST)


class TestLock:
    """One writer at a time."""

    @pytest.mark.parametrize(
        ("one", "other"),
        [("Assets/Player.cs", "Assets/player.cs"), ("Assets/\u00e9.cs", "Assets/e\u0301.cs")],
    )
    def test_names_that_may_be_one_file_share_a_lock(self, one: str, other: str) -> None:
        assert lock_key(one) == lock_key(other)
        assert lock_key(one) != lock_key("Assets/Enemy.cs")


CONTENTS = st.sampled_from([b"A", b"B", b"C"])


@settings(max_examples=60, deadline=None)
@given(steps=st.lists(st.tuples(st.sampled_from(["apply", "save", "undo"]), CONTENTS), max_size=12))
def test_any_sequence_of_applies_saves_and_undos(
    steps: list[tuple[str, bytes]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The store agrees with a stack of (before, after) pairs, most recent match first."""
    root = tmp_path_factory.mktemp("project")
    (root / "Assets").mkdir()
    (root / "Assets/A.cs").write_bytes(b"A")
    project = success(Project.open(root))
    script = script_named(project, "Assets/A.cs")
    store = ScriptStore(project)
    kept: list[tuple[bytes, bytes]] = []
    current = b"A"
    for step, content in steps:
        if step == "save":
            script.real.write_bytes(content)
            current = content
        elif step == "apply" and content != current:
            assert store.apply(script, current, content) is None
            kept.append((current, content))
            current = content
        elif step == "undo":
            matching = [pair for pair in kept if pair[1] == content]
            answer = store.undo(script, content_hash(content))
            if content != current:
                refusal(answer, ErrorCode.STALE_FILE)
            elif not matching:
                refusal(answer, ErrorCode.INVALID_REQUEST)
            else:
                latest = len(kept) - 1 - kept[::-1].index(matching[-1])
                current = kept.pop(latest)[0]
                assert answer == Undone(content, current)
        assert script.real.read_bytes() == current
