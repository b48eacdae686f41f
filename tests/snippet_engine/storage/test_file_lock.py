"""One holder at a time, for as long as it holds."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from filelock import BaseFileLock

from snippet_engine.storage.file_lock import HeldLock, acquire


def test_a_lock_that_is_held_is_not_had(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises((NotADirectoryError, FileExistsError)):
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
    def refused(_: BaseFileLock) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(BaseFileLock, "release", refused)
        held = acquire(tmp_path / "a.lock", 0)
        assert held is not None
        with held:
            pass


@pytest.mark.parametrize("timeout_ms", [0, 1500])
def test_the_bound_is_in_milliseconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, timeout_ms: int
) -> None:
    asked = []

    def acquired(_: BaseFileLock, **options: float) -> None:
        asked.append(options)

    monkeypatch.setattr(BaseFileLock, "acquire", acquired)
    acquire(tmp_path / "a.lock", timeout_ms)
    assert asked == [{"timeout": timeout_ms / 1000, "poll_interval": 0.005}]
