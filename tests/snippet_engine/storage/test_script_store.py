"""Apply and undo in one process: docs/design/engine.md §5, and laws 2, 3 and 5 of §10."""

from __future__ import annotations

import os
import stat
import threading
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from this_system import ON_WINE, is_root, needs_posix

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.source_text import MAX_FILE_BYTES, content_hash
from snippet_engine.storage.paths.project import Project, ScriptPath
from snippet_engine.storage.state_folder import lock_key
from snippet_engine.storage.stores import script_store
from snippet_engine.storage.stores.script_store import ScriptStore, Undone
from snippet_engine.storage.system import folder as folder_module
from snippet_engine.storage.system.file_lock import acquire
from snippet_engine.storage.system.folder import Folder

EDITED = b"class Player\r\n{\r\n    int speed = 20;\r\n}"


def files(root: Path) -> dict[str, bytes]:
    """Every file below ``root``; lock files aside, which hold nothing."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and path.suffix != ".lock"
    }


def failed(answer: object, code: ErrorCode) -> SnippetError:
    assert isinstance(answer, SnippetError), answer
    assert answer.code is code, answer
    return answer


def script_named(project: Project, path: str) -> ScriptPath:
    script = project.locate(path, for_writing=True)
    assert isinstance(script, ScriptPath), script
    return script


class TestApply:
    """The new bytes, exactly, or an error and the old ones."""

    def test_writes_the_bytes(self, store: ScriptStore, player: ScriptPath, root: Path) -> None:
        old = player.real.read_bytes()
        assert store.apply(player, old, EDITED) is None
        assert player.real.read_bytes() == EDITED
        assert [path for path in files(root) if path.startswith("Assets")] == [player.relative]
        assert not any("/pending/" in path for path in files(root))

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

    def test_stale(self, store: ScriptStore, player: ScriptPath, root: Path) -> None:
        before = files(root)
        error = failed(store.apply(player, b"something else", EDITED), ErrorCode.STALE_FILE)
        assert error.retryable
        assert error.details["currentHash"] == content_hash(player.real.read_bytes())
        assert files(root) == before

    def test_saved_by_someone_else_in_the_last_moment(
        self, store: ScriptStore, player: ScriptPath, monkeypatch: pytest.MonkeyPatch, root: Path
    ) -> None:
        """An outside save while the temporary file is being written is not overwritten."""
        old = player.real.read_bytes()
        stage = script_store.stage

        def stage_then_save(folder: Folder, *rest: object) -> None:
            stage(folder, *rest)  # type: ignore[arg-type]
            player.real.write_bytes(b"saved in an editor")

        monkeypatch.setattr(script_store, "stage", stage_then_save)
        failed(store.apply(player, old, EDITED), ErrorCode.STALE_FILE)
        assert files(root) == {player.relative: b"saved in an editor"}

    def test_deleted_in_between(self, store: ScriptStore, player: ScriptPath, root: Path) -> None:
        old = player.real.read_bytes()
        player.real.unlink()
        failed(store.apply(player, old, EDITED), ErrorCode.FILE_NOT_FOUND)
        assert files(root) == {}

    def test_deleted_in_the_last_moment(
        self, store: ScriptStore, player: ScriptPath, monkeypatch: pytest.MonkeyPatch, root: Path
    ) -> None:
        stage = script_store.stage

        def stage_then_delete(folder: Folder, *rest: object) -> None:
            stage(folder, *rest)  # type: ignore[arg-type]
            player.real.unlink()

        monkeypatch.setattr(script_store, "stage", stage_then_delete)
        old = player.real.read_bytes()
        failed(store.apply(player, old, EDITED), ErrorCode.FILE_NOT_FOUND)
        assert files(root) == {}

    def test_read_only_even_for_root(self, store: ScriptStore, player: ScriptPath) -> None:
        old = player.real.read_bytes()
        player.real.chmod(0o444)
        failed(store.apply(player, old, EDITED), ErrorCode.READ_ONLY)
        assert player.real.read_bytes() == old

    def test_an_undo_of_what_is_read_only_by_now(
        self, store: ScriptStore, player: ScriptPath
    ) -> None:
        assert store.apply(player, player.real.read_bytes(), EDITED) is None
        player.real.chmod(0o444)
        failed(store.undo(player, content_hash(EDITED)), ErrorCode.READ_ONLY)
        assert player.real.read_bytes() == EDITED

    def test_too_large_afterwards(self, store: ScriptStore, player: ScriptPath) -> None:
        old = player.real.read_bytes()
        failed(store.apply(player, old, b" " * (MAX_FILE_BYTES + 1)), ErrorCode.FILE_TOO_LARGE)
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
        failed(store.apply(player, old, EDITED), ErrorCode.WRITE_FAILED)
        assert player.real.read_bytes() == old
        assert files(trap) == {}

    def test_library_deleted_while_in_use(
        self, store: ScriptStore, player: ScriptPath, root: Path
    ) -> None:
        import shutil

        original = player.real.read_bytes()
        assert store.apply(player, original, EDITED) is None
        shutil.rmtree(root / "Library")
        assert isinstance(store.undo(player, content_hash(EDITED)), Undone)
        assert store.apply(player, original, EDITED) is None
        for folder in ("Library", ".unity-snippet"):
            shutil.rmtree(root / folder)
        failed(store.undo(player, content_hash(EDITED)), ErrorCode.INVALID_REQUEST)
        assert store.apply(player, EDITED, b"class A {}") is None
        assert isinstance(store.undo(player, content_hash(b"class A {}")), Undone)


def test_what_reaches_the_disk_before_what(
    store: ScriptStore, player: ScriptPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A power cut can't be had in a test; the order that makes it harmless can."""
    names: dict[int, str] = {}
    steps: list[str] = []
    open_, fsync, replace = os.open, os.fsync, os.replace
    exchange = folder_module.exchange_names

    def noted_open(path: str | Path, *args: int, **options: int | None) -> int:
        fd = open_(path, *args, **options)
        names[fd] = Path(path).name
        return fd

    def noted_fsync(fd: int) -> None:
        fsync(fd)
        steps.append(f"fsync {names[fd]}")

    def noted_replace(source: str | Path, target: str | Path, **options: int | None) -> None:
        replace(source, target, **options)
        steps.append(f"rename {Path(source).name}")

    def noted_exchange(folder_fd: int, one: str, other: str) -> bool:
        steps.append(f"rename {one}")
        return exchange(folder_fd, one, other)

    monkeypatch.setattr(folder_module, "exchange_names", noted_exchange)
    monkeypatch.setattr(os, "open", noted_open)
    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(os, "replace", noted_replace)
    ticket = "0123456789abcdef"
    assert store.apply(player, player.real.read_bytes(), EDITED, ticket=ticket) is None
    record = f"{lock_key(player.canonical)}-{ticket}"
    temporary = f".Player.cs.{ticket}.tmp"
    of_folders = ["fsync Scripts"] if os.name == "posix" else []  # Windows can't
    assert steps == [
        f"fsync {record}",
        f"fsync {temporary}",
        f"rename {temporary}",
        f"rename {record}",
        *of_folders,
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

    def test_the_file(self, store: ScriptStore, player: ScriptPath, tmp_path: Path) -> None:
        outside = tmp_path / "outside"
        before = files(outside)
        old = player.real.read_bytes()
        player.real.unlink()
        player.real.symlink_to(outside / "Player.cs")
        failed(store.apply(player, old, EDITED), ErrorCode.PATH_NOT_ALLOWED)
        assert files(outside) == before

    def test_its_folder(self, store: ScriptStore, player: ScriptPath, tmp_path: Path) -> None:
        outside = tmp_path / "outside"
        before = files(outside)
        old = player.real.read_bytes()
        player.real.parent.rename(tmp_path / "moved")
        player.real.parent.symlink_to(outside)
        failed(store.apply(player, old, EDITED), ErrorCode.PATH_NOT_ALLOWED)
        assert files(outside) == before

    def test_assets(
        self, store: ScriptStore, player: ScriptPath, root: Path, tmp_path: Path
    ) -> None:
        (tmp_path / "other").mkdir()
        old = player.real.read_bytes()
        (root / "Assets").rename(tmp_path / "moved")
        (root / "Assets").symlink_to(tmp_path / "other")
        answer = store.apply(player, old, EDITED)
        assert isinstance(answer, SnippetError)
        assert files(tmp_path / "other") == {}

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

    def test_restores_the_bytes(self, store: ScriptStore, player: ScriptPath) -> None:
        old = player.real.read_bytes()
        assert store.apply(player, old, EDITED) is None
        undone = store.undo(player, content_hash(EDITED))
        assert undone == Undone(replaced=EDITED, restored=old)
        assert player.real.read_bytes() == old

    def test_of_a_changed_file(self, store: ScriptStore, player: ScriptPath) -> None:
        assert store.apply(player, player.real.read_bytes(), EDITED) is None
        player.real.write_bytes(b"edited by hand")
        error = failed(store.undo(player, content_hash(EDITED)), ErrorCode.STALE_FILE)
        assert error.details["currentHash"] == content_hash(b"edited by hand")
        assert player.real.read_bytes() == b"edited by hand"
        # Neither to read the file again nor to send the edit helps with that.
        assert error.details["undoable"] == []
        assert "something else than an apply changed it" in error.message
        assert len(error.message) <= 200

    @pytest.mark.parametrize(
        ("wanted", "said"),
        [
            (b"B", "Undo the 2 newer ones first"),
            (b"C", "Undo the newer one first"),
            (
                b"never",
                "already undone, pruned, or made elsewhere. For its newest apply, see undoable.",
            ),
        ],
    )
    def test_of_an_older_or_unknown_hash(
        self, store: ScriptStore, player: ScriptPath, wanted: bytes, said: str
    ) -> None:
        contents = [player.real.read_bytes(), b"B", b"C", b"D"]
        for old, new in pairwise(contents):
            assert store.apply(player, old, new) is None
        error = failed(store.undo(player, content_hash(wanted)), ErrorCode.STALE_FILE)
        assert said in error.message
        assert len(error.message) <= 200
        chain = error.details["undoable"]
        listed = {b"B": (b"D", b"C", b"B"), b"C": (b"D", b"C"), b"never": (b"D",)}[wanted]
        assert chain == [content_hash(each) for each in listed]
        for each in chain:
            assert isinstance(store.undo(player, each), Undone)
        before = {b"B": contents[0], b"C": b"B", b"never": b"C"}[wanted]
        assert player.real.read_bytes() == before

    def test_only_what_can_be_reached_is_told(self, store: ScriptStore, player: ScriptPath) -> None:
        assert store.apply(player, player.real.read_bytes(), b"B") is None
        player.real.write_bytes(b"by hand")
        assert store.apply(player, b"by hand", b"C") is None
        error = failed(store.undo(player, content_hash(b"B")), ErrorCode.STALE_FILE)
        assert error.details["undoable"] == [content_hash(b"C")]

    def test_without_a_before_image(self, store: ScriptStore, player: ScriptPath) -> None:
        old = player.real.read_bytes()
        error = failed(store.undo(player, content_hash(old)), ErrorCode.INVALID_REQUEST)
        assert error.details == {"undoable": []}
        assert store.apply(player, old, b"B") is None
        assert store.apply(player, b"B", b"C") is None
        player.real.write_bytes(b"D")
        error = failed(store.undo(player, content_hash(b"D")), ErrorCode.INVALID_REQUEST)
        assert error.details == {"undoable": []}

    def test_walks_back(self, store: ScriptStore, player: ScriptPath) -> None:
        contents = [player.real.read_bytes(), b"B", b"C", b"B", b"D"]
        for old, new in pairwise(contents):
            assert store.apply(player, old, new) is None
        for old, new in zip(contents[-2::-1], contents[:0:-1], strict=True):
            assert isinstance(store.undo(player, content_hash(new)), Undone)
            assert player.real.read_bytes() == old
        failed(store.undo(player, content_hash(contents[0])), ErrorCode.INVALID_REQUEST)

    def test_the_latest_way_to_a_content_counts(
        self, store: ScriptStore, player: ScriptPath
    ) -> None:
        a = player.real.read_bytes()
        assert store.apply(player, a, b"B") is None
        player.real.write_bytes(b"D")
        assert store.apply(player, b"D", b"B") is None
        assert store.undo(player, content_hash(b"B")) == Undone(b"B", b"D")

    def test_is_of_one_file_only(
        self, store: ScriptStore, project: Project, player: ScriptPath, root: Path
    ) -> None:
        assert store.apply(player, player.real.read_bytes(), EDITED) is None
        (root / "Assets/Scripts/player.CS.cs").write_bytes(EDITED)
        twin = script_named(project, "Assets/Scripts/player.CS.cs")
        failed(store.undo(twin, content_hash(EDITED)), ErrorCode.INVALID_REQUEST)


class TestLock:
    """One writer at a time."""

    def test_busy(self, project: Project, store: ScriptStore, player: ScriptPath) -> None:
        old = player.real.read_bytes()
        assert store.apply(player, old, EDITED) is None  # Makes the folder of locks.
        impatient = ScriptStore(project, lock_timeout_ms=0)
        name = f"Library/SnippetEngine/locks/{lock_key(player.canonical)}.lock"
        held = acquire(project.root / name, 0)
        assert held is not None
        with held:
            error = failed(impatient.apply(player, EDITED, old), ErrorCode.BUSY)
            assert error.retryable
            failed(impatient.undo(player, content_hash(EDITED)), ErrorCode.BUSY)
            failed(impatient.have_landed({player: ""}, "0" * 16), ErrorCode.BUSY)
        assert impatient.apply(player, EDITED, old) is None

    def test_threads_exclude_each_other(self, project: Project, player: ScriptPath) -> None:
        # However slow the machine: here nobody is to give up.
        store = ScriptStore(project, lock_timeout_ms=120_000)
        player.real.write_bytes(b"0")
        landed: list[int] = []

        def count_up() -> None:
            for _ in range(25):
                while True:
                    now = player.real.read_bytes()
                    answer = store.apply(player, now, str(int(now) + 1).encode())
                    if answer is None:
                        landed.append(1)
                        break
                    assert answer.code is ErrorCode.STALE_FILE

        threads = [threading.Thread(target=count_up) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(landed) == 100
        assert player.real.read_bytes() == b"100"

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
    project = Project.open(root)
    assert isinstance(project, Project)
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
                failed(answer, ErrorCode.STALE_FILE)
            elif not matching:
                failed(answer, ErrorCode.INVALID_REQUEST)
            else:
                latest = len(kept) - 1 - kept[::-1].index(matching[-1])
                current = kept.pop(latest)[0]
                assert answer == Undone(content, current)
        assert script.real.read_bytes() == current
