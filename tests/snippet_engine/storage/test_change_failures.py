"""What the system refuses in the middle of a change set, and what others do then."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from collections.abc import Callable, Sequence
from functools import partial
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
from failing_system import FailingSystem, no_room_for, refused_by_the_system, small_disk
from this_system import ON_WINE

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.storage.change_sets.change_plan import FileChange
from snippet_engine.storage.change_sets.change_slots import OpenSlot
from snippet_engine.storage.state_folder import StateFolder, lock_key
from snippet_engine.storage.stores.script_locks import Recovery
from snippet_engine.storage.system import folder
from snippet_engine.storage.system.file_lock import acquire
from snippet_engine.storage.system.replace_file import FileInUseError

THEIRS = b"// saved by somebody else\n"
STRIDE = 5 if ON_WINE else 1
"""Which steps fail: under Wine, where all of them would take a quarter of an hour, each fifth."""


@pytest.mark.sampled(one_in=1_000_000)
@pytest.mark.parametrize("failure", [errno.ENOSPC, errno.EACCES, errno.EIO])
def test_each_step_can_fail(tmp_path: Path, failure: int) -> None:
    """Either an error and not a byte changed, or all of it, and it can be undone."""
    refused = 0
    for number in range(1, 400, STRIDE):
        scene = Scene.of(new_project(tmp_path / str(number)))
        before, changes = tree(scene.root), scene.everything()
        with pytest.MonkeyPatch.context() as monkeypatch:
            system = FailingSystem(monkeypatch, number, partial(refused_by_the_system, failure))
            answer = scene.store.apply(changes, client=None)
        scene.store.recover()
        assert state_files(scene.root) == []
        if isinstance(answer, str):
            assert contents(scene.root) == AFTER_EVERYTHING
            scene.undone(answer)
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


HELD = FileInUseError("/the/absolute/path", ["Unity Editor"])


@pytest.mark.parametrize("failure", [refused_by_the_system(errno.EIO), HELD], ids=["gone", "held"])
def test_all_that_fails_from_the_middle_on(
    tmp_path: Path, failure: OSError, one_in: Callable[[int], int]
) -> None:
    """What can be brought neither forward nor back is said to be unfinished, and ended later.

    As on a disk that is gone, or of files that another program keeps open, as on Windows.
    """
    unfinished = 0
    for number in range(1, 400, STRIDE * one_in(2)):
        scene = Scene.of(new_project(tmp_path / str(number)))
        before, changes = tree(scene.root), scene.everything()
        with pytest.MonkeyPatch.context() as monkeypatch:
            system = FailingSystem(monkeypatch, number, lambda: failure, from_then_on=True)
            answer = scene.store.apply(changes, client=None)
        told = contents(scene.root)
        is_unfinished = isinstance(answer, SnippetError) and "unfinished" in answer.details
        unfinished += is_unfinished
        if isinstance(answer, SnippetError):
            assert not ("Nothing was changed" in answer.message and is_unfinished)
            if answer.code is ErrorCode.BUSY:
                assert "held open by Unity Editor" in answer.message
            if not is_unfinished:
                # Said to have changed nothing, so nothing may happen later either.
                assert {name: told[name] for name in FILES} == FILES
        scene.store.recover()
        assert state_files(scene.root) == []
        if isinstance(answer, str):
            assert contents(scene.root) == AFTER_EVERYTHING
        elif is_unfinished:
            assert contents(scene.root) in (dict(FILES), dict(AFTER_EVERYTHING))
        else:
            assert tree(scene.root) == before
        if system.count < number:
            break
    else:
        pytest.fail("the write never came to its end")
    assert unfinished > 3 // (STRIDE * one_in(2))


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
        scene.undone("0123456789abcdef")
    assert contents(scene.root) == FILES


class TestTheLastInstant:
    """Somebody saves while the names change: theirs stays, and the set goes back."""

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


def test_a_full_disk(tmp_path: Path) -> None:
    with small_disk(tmp_path, "512k") as fill:
        scene = Scene.of(new_project(tmp_path / "Game"))
        before = tree(scene.root)
        large = [
            scene.edit("Assets/Player.cs", b"// large\n" * 30_000),
            scene.delete("Assets/Old.cs"),
            scene.create("Assets/New/More.cs", b"// large\n" * 30_000),
        ]
        answer = scene.refused(*large)
        assert answer.details["errno"] == "ENOSPC"
        path = answer.details["path"]
        assert path in ("Assets/Player.cs", "Assets/New/More.cs")
        assert answer.message == no_room_for("Writing the change set", path)
        assert tree(scene.root) == before
        assert state_files(scene.root) == []
        change_id = scene.applied(*scene.everything())
        fill()  # Nothing at all is left: even the undo has no room, and says so.
        answer = scene.not_undone(change_id)
        assert answer.message == no_room_for("Undoing the change set", "Library/SnippetEngine")
        assert contents(scene.root) == AFTER_EVERYTHING
        (tmp_path / "ballast").unlink()
        scene.undone(change_id)
        assert tree(scene.root) == before


def test_another_writer_of_one_file_makes_it_wait_then_give_up(tmp_path: Path) -> None:
    scene = Scene.of(new_project(tmp_path), lock_timeout_ms=20)
    changes = scene.everything()
    state = StateFolder(scene.root)
    state.ensure("locks")
    lock = acquire(state.path("locks", f"{lock_key('Assets/Old.cs')}.lock"), 0)
    assert lock is not None
    with lock:
        answer = scene.refused(*changes, code=ErrorCode.BUSY)
    assert "Assets/Old.cs" in answer.message
    assert contents(scene.root) == FILES
    scene.applied(*changes)


def test_the_history_stays_within_its_bounds(tmp_path: Path) -> None:
    """Big sets count with all that they keep; the newest always stays."""
    scene = Scene.of(new_project(tmp_path), history_bytes=60_000, history_entries=50)
    ids = []
    for number in range(8):
        changes = [
            scene.edit("Assets/Player.cs", b"// %d\n" % number * 2_000),
            scene.edit("Assets/Util.cs", b"// %d\n" % number * 2_000),
        ]
        change_id = scene.applied(*changes)
        ids.append(change_id)
    kept = list((scene.root / "Library/SnippetEngine/history").iterdir())
    assert sum(path.stat().st_size for path in kept) <= 60_000
    assert 1 < len(kept) < 8
    for change_id in reversed(ids[-len(kept) :]):
        scene.undone(change_id)
    scene.not_undone(ids[0], ErrorCode.INVALID_REQUEST)


@pytest.mark.parametrize("cut", [0, 1, 100])
def test_a_record_that_was_cut_short_is_removed(tmp_path: Path, cut: int) -> None:
    scene = Scene.of(new_project(tmp_path))
    change_id = scene.applied(*scene.everything())
    (entry,) = (scene.root / "Library/SnippetEngine/history").iterdir()
    data = entry.read_bytes()
    pending = scene.root / "Library/SnippetEngine/pending"
    (pending / f"{'0' * 32}-{change_id}.set").write_bytes(data[:cut])
    assert scene.store.recover() == Recovery()
    assert state_files(scene.root) == []
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
    change_id = scene.applied(scene.edit("Assets/Player.cs", THEIRS))
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
