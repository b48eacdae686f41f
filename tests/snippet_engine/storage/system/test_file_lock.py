"""One holder at a time, for as long as it holds."""

from __future__ import annotations

import errno
import os
import sys
import threading
from pathlib import Path

import filelock
import pytest
from filelock import FileLock, Timeout

from snippet_engine.storage.system import file_lock
from snippet_engine.storage.system.file_lock import HeldLock, acquire


def test_a_lock_that_is_held_is_not_had(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    # Windows tells of a path through a file that it isn't there.
    through_a_file = FileNotFoundError if sys.platform == "win32" else NotADirectoryError
    with pytest.raises(through_a_file):
        acquire(tmp_path / "file" / "a.lock", 0)
    held = acquire(tmp_path / "a.lock", 0)
    assert isinstance(held, HeldLock)
    with held as same:
        assert same is held
        assert acquire(tmp_path / "a.lock", 0) is None
        assert acquire(tmp_path / "a.lock", 20) is None
        assert isinstance(acquire(tmp_path / "b.lock", 0), HeldLock)
    again = acquire(tmp_path / "a.lock", 0)
    assert again is not None
    again.release()
    again.release()


def test_another_thread_may_release_it(tmp_path: Path) -> None:
    held = acquire(tmp_path / "a.lock", 0)
    assert held is not None
    releasing = threading.Thread(target=held.release)
    releasing.start()
    releasing.join()
    assert acquire(tmp_path / "a.lock", 0) is not None


def test_who_waits_gets_it_when_it_is_free(tmp_path: Path) -> None:
    held = acquire(tmp_path / "a.lock", 0)
    assert held is not None
    got: list[HeldLock | None] = []
    waiting = threading.Thread(target=lambda: got.append(acquire(tmp_path / "a.lock", 60_000)))
    waiting.start()
    held.release()
    waiting.join()
    assert got[0] is not None


def test_a_failure_to_unlock_undoes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: int) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(filelock, "unlock_descriptor", refused)
        held = acquire(tmp_path / "a.lock", 0)
        assert held is not None
        with held:
            pass
    assert acquire(tmp_path / "a.lock", 0) is not None


def test_it_excludes_the_locks_of_the_library(tmp_path: Path) -> None:
    """Those of an earlier version that still runs."""
    path = tmp_path / "a.lock"
    held = acquire(path, 0)
    assert held is not None
    theirs = FileLock(path)
    with pytest.raises(Timeout):
        theirs.acquire(timeout=0)
    held.release()
    with theirs:
        assert acquire(path, 0) is None
    assert acquire(path, 0) is not None


def test_it_ends_with_whoever_has_it(tmp_path: Path) -> None:
    held = acquire(tmp_path / "a.lock", 0)
    assert held is not None
    del held
    assert acquire(tmp_path / "a.lock", 0) is not None


@pytest.mark.skipif(sys.platform == "win32", reason="locks of files as POSIX has them")
class TestOnPosix:
    """A lock is of an open file, which children have, too, and which may lose its name."""

    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        return tmp_path / "a.lock"

    def test_a_child_that_was_forked_meanwhile_does_not_keep_it(self, path: Path) -> None:
        held = acquire(path, 0)
        assert held is not None
        reads, writes = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(writes)
            os.read(reads, 1)
            os._exit(0)
        try:
            held.release()
            assert acquire(path, 0) is not None
        finally:
            os.close(writes)
            os.close(reads)
            os.waitpid(child, 0)

    def test_a_child_that_ends_does_not_release_it(self, path: Path) -> None:
        held = acquire(path, 0)
        assert held is not None
        child = os.fork()
        if child == 0:
            del held
            os._exit(0)
        os.waitpid(child, 0)
        assert acquire(path, 0) is None

    def test_one_that_was_removed_in_between_is_none(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fstat, removed = os.fstat, []

        def looked_at(fd: int) -> os.stat_result:
            if not removed:
                removed.append(path.unlink())
            return fstat(fd)

        with monkeypatch.context() as patch:
            patch.setattr(os, "fstat", looked_at)
            held = acquire(path, 60_000)
        assert held is not None
        assert path.exists()
        assert acquire(path, 0) is None

    def test_a_system_that_has_none_is_told(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        closed, close = [], os.close

        def missing(fd: int, **_: bool) -> bool:
            raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

        with monkeypatch.context() as patch:
            patch.setattr(filelock, "lock_descriptor", missing)
            patch.setattr(os, "close", lambda fd: closed.append(close(fd)))
            with pytest.raises(OSError, match=os.strerror(errno.ENOLCK)):
                acquire(path, 0)
        assert closed
        assert acquire(path, 0) is not None


@pytest.mark.parametrize(("timeout_ms", "attempts"), [(0, 1), (1500, 301)])
def test_the_bound_is_in_milliseconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, timeout_ms: int, attempts: int
) -> None:
    """By a clock that only waiting moves on, a two-hundredth of a second each time."""
    made, waited = [], []

    def never(fd: int, **_: bool) -> bool:
        made.append(fd)
        return False

    monkeypatch.setattr(filelock, "lock_descriptor", never)
    monkeypatch.setattr(file_lock, "monotonic", lambda: len(waited) / 200)
    monkeypatch.setattr(file_lock, "sleep", waited.append)
    assert acquire(tmp_path / "a.lock", timeout_ms) is None
    assert (len(made), len(waited)) == (attempts, attempts - 1)
    assert set(waited) <= {0.005}
