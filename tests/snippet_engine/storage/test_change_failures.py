"""What the system refuses in the middle of a change set, and what others do then."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

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
from snippet_engine.storage.change_sets.change_plan import FileChange
from snippet_engine.storage.change_sets.change_slots import OpenSlot
from snippet_engine.storage.state_folder import StateFolder, lock_key
from snippet_engine.storage.stores.change_store import UndoneChange
from snippet_engine.storage.stores.script_locks import Recovery
from snippet_engine.storage.system import folder
from snippet_engine.storage.system.file_lock import acquire
from snippet_engine.storage.system.replace_file import FileInUseError

THEIRS = b"// saved by somebody else\n"
STRIDE = 5 if ON_WINE else 1
"""Which steps fail: under Wine, where all of them would take a quarter of an hour, each fifth."""
STEPS = ("mkdir", "open", "write", "fsync", "fchmod", "link", "replace", "rename", "unlink")


class FailingSystem:
    """Lets the system call with the given number fail, and counts them all.

    With ``from_then_on`` all that come after it fail too, as on a disk that is gone.
    """

    def __init__(
        self,
        monkeypatch: pytest.MonkeyPatch,
        number: int,
        failure: int,
        *,
        from_then_on: bool = False,
    ) -> None:
        self.count = 0
        steps = [*((os, name) for name in STEPS), (folder, "exchange_names")]
        for module, name in steps:
            call = getattr(module, name)

            def step(*args: Any, call: Callable[..., Any] = call, **options: Any) -> Any:
                self.count += 1
                if self.count == number or (from_then_on and self.count > number):
                    raise self.refusal(failure)
                return call(*args, **options)

            monkeypatch.setattr(module, name, step)

    def refusal(self, failure: int) -> OSError:
        """As the system raises it."""
        return OSError(failure, os.strerror(failure), "/the/absolute/path")


class HeldOpen(FailingSystem):
    """The same of files that another program has open for longer than they are waited for."""

    def refusal(self, failure: int) -> OSError:
        return FileInUseError("/the/absolute/path", ["Unity Editor"])


@pytest.mark.sampled(one_in=1_000_000)
@pytest.mark.parametrize("failure", [errno.ENOSPC, errno.EACCES, errno.EIO])
def test_each_step_can_fail(tmp_path: Path, failure: int) -> None:
    """Either an error and not a byte changed, or all of it, and it can be undone."""
    refused = 0
    for number in range(1, 400, STRIDE):
        scene = Scene.of(new_project(tmp_path / str(number)))
        before, changes = tree(scene.root), scene.everything()
        with pytest.MonkeyPatch.context() as monkeypatch:
            system = FailingSystem(monkeypatch, number, failure)
            answer = scene.store.apply(changes, client=None)
        scene.store.recover()
        assert state_files(scene.root) == []
        if isinstance(answer, str):
            assert contents(scene.root) == AFTER_EVERYTHING
            assert isinstance(scene.store.undo(answer), UndoneChange)
        else:
            refused += 1
            assert "/absolute" not in str(answer.to_json())
            assert answer.code in (ErrorCode.WRITE_FAILED, ErrorCode.PATH_NOT_ALLOWED)
        assert tree(scene.root) == before, number
        if system.count < number:
            break
    else:
        pytest.fail("the write never came to its end")
    assert refused > 30 // STRIDE


@pytest.mark.parametrize("undoes", [False, True])
def test_a_file_that_may_not_be_replaced_is_named(
    tmp_path: Path, undoes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one that is marked as immutable: only the change of its name tells."""
    scene = Scene.of(new_project(tmp_path))
    first, second = scene.there("Assets/Player.cs"), scene.there("Assets/Util.cs")
    changes = [FileChange(first, PLAYER, b"class A { }\n"), FileChange(second, UTIL, b"//\n")]
    done = scene.store.apply(changes, client=None) if undoes else ""
    before = tree(scene.root)
    forward = OpenSlot.forward

    def refuse_the_second(slot: OpenSlot) -> SnippetError | None:
        if slot.slot.path == second.canonical:
            raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))
        return forward(slot)

    monkeypatch.setattr(OpenSlot, "forward", refuse_the_second)
    if undoes:
        assert isinstance(done, str)
        answer: object = scene.store.undo(done)
    else:
        answer = scene.store.apply(changes, client=None)
    assert isinstance(answer, SnippetError)
    assert answer.code is ErrorCode.WRITE_FAILED
    assert answer.details["path"] == second.canonical
    assert (
        "failed: Assets/Util.cs: the operation is not permitted; check the rights of the file and "
        "its folder Assets. Nothing was changed." in answer.message
    )
    assert tree(scene.root) == before


def test_a_disk_that_is_gone_in_the_middle(tmp_path: Path) -> None:
    """What can be brought neither forward nor back is said to be unfinished, and ended later."""
    unfinished = 0
    for number in range(1, 400, STRIDE):
        scene = Scene.of(new_project(tmp_path / str(number)))
        before, changes = tree(scene.root), scene.everything()
        with pytest.MonkeyPatch.context() as monkeypatch:
            system = FailingSystem(monkeypatch, number, errno.EIO, from_then_on=True)
            answer = scene.store.apply(changes, client=None)
        told = contents(scene.root)
        if isinstance(answer, SnippetError) and "unfinished" not in answer.details:
            # Said to have changed nothing, so nothing may happen later either.
            assert {name: told[name] for name in FILES} == FILES
        unfinished += isinstance(answer, SnippetError) and "unfinished" in answer.details
        scene.store.recover()
        assert state_files(scene.root) == []
        if isinstance(answer, str):
            assert contents(scene.root) == AFTER_EVERYTHING
        elif "unfinished" in answer.details:
            assert "Nothing was changed" not in answer.message
            assert contents(scene.root) in (dict(FILES), dict(AFTER_EVERYTHING))
        else:
            assert tree(scene.root) == before
        if system.count < number:
            break
    else:
        pytest.fail("the write never came to its end")
    assert unfinished > 3 // STRIDE


def test_files_that_others_keep_open_from_the_middle_on(tmp_path: Path) -> None:
    """As on Windows: what can't go back either is unfinished, and says who has a file open."""
    unfinished = 0
    for number in range(1, 400, STRIDE):
        scene = Scene.of(new_project(tmp_path / str(number)))
        changes = scene.everything()
        with pytest.MonkeyPatch.context() as monkeypatch:
            system = HeldOpen(monkeypatch, number, errno.EBUSY, from_then_on=True)
            answer = scene.store.apply(changes, client=None)
        if isinstance(answer, SnippetError) and answer.code is ErrorCode.BUSY:
            assert "held open by Unity Editor" in answer.message
            is_unfinished = "unfinished" in answer.details
            assert ("Nothing was changed" in answer.message) != is_unfinished
            unfinished += is_unfinished
        scene.store.recover()
        assert state_files(scene.root) == []
        assert contents(scene.root) in (dict(FILES), dict(AFTER_EVERYTHING))
        if system.count < number:
            break
    else:
        pytest.fail("the write never came to its end")
    assert unfinished > 3 // STRIDE


@pytest.mark.parametrize("number", range(1, 12))
def test_an_interrupt_while_names_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """Ctrl-C leaves all or nothing, and it can be undone."""
    scene = Scene.of(new_project(tmp_path))
    changes, count = scene.everything(), 0

    def interrupted(call: Callable[..., Any]) -> Callable[..., Any]:
        def step(*args: Any, **options: Any) -> Any:
            nonlocal count
            result = call(*args, **options)
            count += 1
            if count == number:
                raise KeyboardInterrupt
            return result

        return step

    with monkeypatch.context() as patch:
        patch.setattr(folder, "exchange_names", interrupted(folder.exchange_names))
        for name in ("replace", "link", "rename"):
            patch.setattr(os, name, interrupted(getattr(os, name)))
        try:
            scene.store.apply(changes, client=None, ticket="0123456789abcdef")
        except KeyboardInterrupt:
            pass
        else:
            assert count < number
    assert contents(scene.root) in (dict(FILES), dict(AFTER_EVERYTHING))
    scene.store.recover()
    assert state_files(scene.root) == []
    if contents(scene.root) == AFTER_EVERYTHING:
        assert isinstance(scene.store.undo("0123456789abcdef"), UndoneChange)
    assert contents(scene.root) == FILES


class TestTheLastInstant:
    """Somebody saves while the names change: theirs stays, and the set goes back."""

    @pytest.fixture
    def scene(self, tmp_path: Path) -> Scene:
        return Scene.of(new_project(tmp_path / "Game"))

    def save_at(
        self,
        monkeypatch: pytest.MonkeyPatch,
        scene: Scene,
        at: int,
        act: Callable[[Sequence[Any]], object],
    ) -> None:
        """Do ``act`` right before the change of names with that number; it is told which ones."""
        count = 0

        def step(call: Callable[..., Any]) -> Callable[..., Any]:
            def counted(*args: Any, **options: Any) -> Any:
                nonlocal count
                count += 1
                if count == at:
                    act(args)
                return call(*args, **options)

            return counted

        monkeypatch.setattr(folder, "exchange_names", step(folder.exchange_names))
        monkeypatch.setattr(folder.Folder, "replace", step(folder.Folder.replace))
        monkeypatch.setattr(folder.Folder, "give_name", step(folder.Folder.give_name))

    @pytest.mark.parametrize("at", range(1, 10))
    @pytest.mark.parametrize(
        "name",
        [
            "Assets/Player.cs",
            "Assets/Old.cs",
            "Assets/Util.cs",
            "Assets/Core/Deep/Util.cs",
            "Assets/Health/Health.cs",
        ],
    )
    def test_a_save(
        self, scene: Scene, monkeypatch: pytest.MonkeyPatch, at: int, name: str
    ) -> None:
        changes = scene.everything()

        def save(names: Sequence[Any]) -> None:
            # A name that is only given is refused where somebody has taken it.
            is_over = names[-1] == Path(name).name and (scene.root / name).exists()
            if os.name == "nt" and is_over:
                pytest.skip("Windows can't exchange names: who saves in the last instant loses")
            (scene.root / name).write_bytes(THEIRS)

        with monkeypatch.context() as patch:
            self.save_at(patch, scene, at, save)
            answer = scene.store.apply(changes, client=None)
        now = contents(scene.root)
        assert now[name] == THEIRS
        assert state_files(scene.root) == []
        without = {key: text for key, text in now.items() if key != name}
        if isinstance(answer, SnippetError):
            assert answer.code is ErrorCode.STALE_FILE, answer
            assert without == {key: text for key, text in FILES.items() if key != name}
        else:
            # Saved over what the set had written already.
            assert without == {key: text for key, text in AFTER_EVERYTHING.items() if key != name}

    @pytest.mark.parametrize("at", range(1, 10))
    def test_a_folder_that_is_deleted(
        self, scene: Scene, monkeypatch: pytest.MonkeyPatch, at: int
    ) -> None:
        changes = scene.everything()
        with monkeypatch.context() as patch:
            self.save_at(patch, scene, at, lambda _: shutil.rmtree(scene.root / "Assets/Enemies"))
            answer = scene.store.apply(changes, client=None)
        assert state_files(scene.root) == []
        files = FILES if isinstance(answer, SnippetError) else AFTER_EVERYTHING
        assert contents(scene.root) == {
            name: text for name, text in files.items() if "Assets/Enemies/" not in name
        }


def test_a_folder_that_cant_be_made_is_told_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = Scene.of(new_project(tmp_path))

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(folder.Folder, "make", refuse)
    answer = scene.store.apply([scene.create("Assets/New/A.cs", b"class A { }\n")], client=None)
    assert isinstance(answer, SnippetError)
    assert answer.message == (
        "Writing the change set failed: Assets/New: permission denied; check the rights of the "
        "folder Assets. Nothing was changed."
    )


def test_a_full_disk(tmp_path: Path) -> None:
    mount, umount = shutil.which("mount"), shutil.which("umount")
    mounted = (
        mount
        and umount
        and subprocess.run(
            [mount, "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(tmp_path)],
            capture_output=True,
            check=False,
        ).returncode
        == 0
    )
    if not mounted:
        pytest.skip("mounting a small tmpfs needs root; each step was made to fail above")
    assert umount is not None
    try:
        scene = Scene.of(new_project(tmp_path / "Game"))
        before = tree(scene.root)
        large = [
            scene.edit("Assets/Player.cs", b"// large\n" * 30_000),
            scene.delete("Assets/Old.cs"),
            scene.create("Assets/New/More.cs", b"// large\n" * 30_000),
        ]
        answer = scene.store.apply(large, client=None)
        assert isinstance(answer, SnippetError)
        assert answer.details["errno"] == "ENOSPC"
        assert answer.message == (
            f"Writing the change set failed: no room for {answer.details['path']}: "
            "the disk is full; free some space. Nothing was changed."
        )
        assert answer.details["path"] in ("Assets/Player.cs", "Assets/New/More.cs")
        assert tree(scene.root) == before
        assert state_files(scene.root) == []
        change_id = scene.store.apply(scene.everything(), client=None)
        assert isinstance(change_id, str)
        # Nothing at all is left: even the undo has no room, and says so.
        (tmp_path / "ballast").write_bytes(b"x" * shutil.disk_usage(tmp_path).free)
        answer = scene.store.undo(change_id)
        assert isinstance(answer, SnippetError)
        assert answer.details["errno"] == "ENOSPC"
        assert answer.message == (
            "Undoing the change set failed: no room for Library/SnippetEngine: "
            "the disk is full; free some space. Nothing was changed."
        )
        assert contents(scene.root) == AFTER_EVERYTHING
        (tmp_path / "ballast").unlink()
        assert isinstance(scene.store.undo(change_id), UndoneChange)
        assert tree(scene.root) == before
    finally:
        subprocess.run([umount, str(tmp_path)], check=True)


def test_another_writer_of_one_file_makes_it_wait_then_give_up(tmp_path: Path) -> None:
    scene = Scene.of(new_project(tmp_path), lock_timeout_ms=20)
    changes = scene.everything()
    state = StateFolder(scene.root)
    state.ensure("locks")
    lock = acquire(state.path("locks", f"{lock_key('Assets/Old.cs')}.lock"), 0)
    assert lock is not None
    with lock:
        answer = scene.store.apply(changes, client=None)
    assert isinstance(answer, SnippetError)
    assert answer.code is ErrorCode.BUSY
    assert "Assets/Old.cs" in answer.message
    assert contents(scene.root) == FILES
    assert isinstance(scene.store.apply(changes, client=None), str)


def test_the_history_stays_within_its_bounds(tmp_path: Path) -> None:
    """Big sets count with all that they keep; the newest always stays."""
    scene = Scene.of(new_project(tmp_path), history_bytes=60_000, history_entries=50)
    ids = []
    for number in range(8):
        changes = [
            scene.edit("Assets/Player.cs", b"// %d\n" % number * 2_000),
            scene.edit("Assets/Util.cs", b"// %d\n" % number * 2_000),
        ]
        change_id = scene.store.apply(changes, client=None)
        assert isinstance(change_id, str)
        ids.append(change_id)
    kept = list((scene.root / "Library/SnippetEngine/history").iterdir())
    assert sum(path.stat().st_size for path in kept) <= 60_000
    assert 1 < len(kept) < 8
    for change_id in reversed(ids[-len(kept) :]):
        assert isinstance(scene.store.undo(change_id), UndoneChange)
    gone = scene.store.undo(ids[0])
    assert isinstance(gone, SnippetError)
    assert gone.code is ErrorCode.INVALID_REQUEST


@pytest.mark.parametrize("cut", [0, 1, 100])
def test_a_record_that_was_cut_short_is_removed(tmp_path: Path, cut: int) -> None:
    scene = Scene.of(new_project(tmp_path))
    change_id = scene.store.apply(scene.everything(), client=None)
    assert isinstance(change_id, str)
    (entry,) = (scene.root / "Library/SnippetEngine/history").iterdir()
    data = entry.read_bytes()
    pending = scene.root / "Library/SnippetEngine/pending"
    (pending / f"{'0' * 32}-{change_id}.set").write_bytes(data[:cut])
    assert scene.store.recover() == Recovery()
    assert state_files(scene.root) == []
    assert contents(scene.root) == AFTER_EVERYTHING


def test_a_record_that_tells_of_a_set_which_has_begun_is_kept(tmp_path: Path) -> None:
    """It lacks its end alone, and has what the files held before."""
    scene = Scene.of(new_project(tmp_path))
    change_id = scene.store.apply(scene.everything(), client=None)
    assert isinstance(change_id, str)
    (entry,) = (scene.root / "Library/SnippetEngine/history").iterdir()
    record = scene.root / f"Library/SnippetEngine/pending/{'0' * 32}-{change_id}.set"
    record.write_bytes(entry.read_bytes()[:-1])
    (waiting,) = scene.store.recover().waiting
    assert "its record is damaged" in str(waiting)
    assert record.exists()
    assert contents(scene.root) == AFTER_EVERYTHING


def names_below(folder: Path) -> list[str]:
    """Every name but those of locks."""
    names = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*"))]
    return [name for name in names if not name.endswith(".lock")]


@pytest.mark.parametrize(
    "path", ["../outside.cs", "Assets/../../x.cs", "/etc/x.cs", "Library/x.cs"]
)
def test_a_record_of_other_files_does_nothing(tmp_path: Path, path: str) -> None:
    """Whoever can write into the project may leave one; it reaches scripts of the project only."""
    scene = Scene.of(new_project(tmp_path / "Game"))
    change_id = scene.store.apply([scene.edit("Assets/Player.cs", THEIRS)], client=None)
    assert isinstance(change_id, str)
    (entry,) = (scene.root / "Library/SnippetEngine/history").iterdir()
    header, rest = entry.read_bytes().split(b"\n", 1)
    body = header.replace(b"Assets/Player.cs", path.encode()) + b"\n" + rest[:-66]
    forged = body + b"\n" + hashlib.sha256(body).hexdigest().encode() + b"d"
    pending = scene.root / "Library/SnippetEngine/pending"
    (pending / f"{'0' * 32}-{change_id}.set").write_bytes(forged)
    before = names_below(tmp_path)
    scene.store.recover()
    assert names_below(tmp_path) == [name for name in before if "/pending/" not in name]
    assert scene.bytes_of("Assets/Player.cs") == THEIRS


def test_an_edit_alone(tmp_path: Path) -> None:
    """The smallest set."""
    scene = Scene.of(new_project(tmp_path))
    only = [FileChange(scene.there("Assets/Player.cs"), PLAYER, THEIRS)]
    change_id = scene.store.apply(only, client=None)
    assert isinstance(change_id, str)
    assert scene.bytes_of("Assets/Player.cs") == THEIRS
    assert isinstance(scene.store.undo(change_id), UndoneChange)
    assert contents(scene.root) == FILES
