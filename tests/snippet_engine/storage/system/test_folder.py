"""A folder that is held open, and one where only its path tells which it is."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from this_system import needs_posix

from snippet_engine.storage import state_folder
from snippet_engine.storage.state_folder import StateFolder, path_key
from snippet_engine.storage.system import folder, system_calls
from snippet_engine.storage.system.folder import FileTooLargeError, Folder
from snippet_engine.storage.system.plain_file import NotARegularFileError
from snippet_engine.storage.system.system_calls import exchange_names


def test_without_open_folders_one_that_became_a_link_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "_HAS_DIR_FD", False)
    real = Path(os.path.realpath(tmp_path))
    (real / "Assets").mkdir()
    opened = Folder.open(real, ("Assets",))
    opened.verify()
    (real / "Assets").rename(real / "Other")
    (real / "Assets").symlink_to(real / "Other")
    for change in (
        opened.verify,
        lambda: opened.create("A.cs"),
        lambda: opened.remove("A.cs"),
        lambda: opened.replace("A.cs", "B.cs"),
    ):
        with pytest.raises(OSError, match=os.strerror(errno.ELOOP)) as refused:
            change()
        assert refused.value.errno == errno.ELOOP


def test_what_is_no_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "A.cs").mkdir()
    with Folder.open(tmp_path) as opened, pytest.raises(NotARegularFileError) as told:
        opened.read("A.cs", 10)
    assert (told.value.errno, told.value.strerror) == (errno.EINVAL, "not a regular file")


def hide_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let open files say that they are empty, as one does that grows while it is read."""
    status = os.fstat

    def empty(fd: int) -> os.stat_result:
        told = status(fd)
        return os.stat_result((*told[:6], 0, *told[7:]))

    monkeypatch.setattr(os, "fstat", empty)


@pytest.mark.parametrize("growing", [False, True])
def test_a_file_is_read_up_to_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, growing: bool
) -> None:
    monkeypatch.setattr(folder, "_READ_BYTES", 4)
    if growing:
        hide_sizes(monkeypatch)
    file = tmp_path / "A.cs"
    with Folder.open(tmp_path) as opened:
        for size in (0, 3, 4, 10):
            file.write_bytes(b"0123456789"[:size])
            assert opened.read("A.cs", 10)[0] == b"0123456789"[:size]
        for size in (11, 12, 20):
            file.write_bytes(b"x" * size)
            why = "more than 10 bytes" if growing else f"{size} bytes"
            with pytest.raises(FileTooLargeError) as refused:
                opened.read("A.cs", 10)
            assert (refused.value.errno, refused.value.strerror) == (errno.EFBIG, why)


@pytest.mark.skipif(os.name != "posix", reason="rights are the folder's on Windows")
def test_a_new_file_is_private_whatever_the_habit(tmp_path: Path) -> None:
    habit = os.umask(0)
    try:
        with Folder.open(tmp_path) as opened:
            os.close(opened.create("A.cs"))
    finally:
        os.umask(habit)
    assert stat.S_IMODE((tmp_path / "A.cs").stat().st_mode) == 0o600


@pytest.mark.skipif(os.name != "posix", reason="folders can't be held open")
def test_names_are_not_exchanged_where_that_can_t_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "AB":
        (tmp_path / name).write_text(name, encoding="ascii")
    with Folder.open(tmp_path) as opened:
        number = 0
        monkeypatch.setattr(system_calls, "_rename_with_flags", lambda: lambda *_: number)
        for number in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP):  # noqa: B007
            assert opened.exchange("A", "B") is False
        monkeypatch.setattr(system_calls, "_rename_with_flags", lambda: None)
        assert opened.exchange("A", "B") is False
        monkeypatch.setattr(system_calls, "_rename_with_flags", lambda: lambda *_: errno.EIO)
        with pytest.raises(OSError, match=os.strerror(errno.EIO)) as failed:
            opened.exchange("A", "B")
        assert failed.value.errno == errno.EIO
    assert (tmp_path / "A").read_text(encoding="ascii") == "A"


def test_a_system_that_can_t_exchange_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "plan9")
    system_calls._rename_with_flags.cache_clear()
    try:
        assert exchange_names(0, "A", "B") is False
    finally:
        system_calls._rename_with_flags.cache_clear()


def test_any_path_has_its_key() -> None:
    assert path_key("Assets/\ud800.cs") == "dc7ffd6bba87ac3ef1fec61378503b6b"
    assert path_key("Assets/é.cs") == "44bbf5f69831c0fae606e2f9d4ae6a3f"


def test_what_a_folder_renames_and_drops_is_waited_for_and_made_durable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[str] = []
    durable: list[int] = []

    def patiently(attempt: Callable[[], object], paths: Sequence[str | Path]) -> None:
        waited.extend(Path(each).name for each in paths)
        attempt()

    monkeypatch.setattr(folder, "patiently", patiently)
    monkeypatch.setattr(folder, "make_durable", durable.append)
    with Folder.open(tmp_path) as opened:
        opened.make("emptied")
        opened.drop("emptied")
        os.close(opened.create("gone"))
        opened.remove("gone")
        opened.sync()
    # Where a file is reached by its folder, nobody who has it open is in the way.
    assert waited == (["emptied"] if folder._HAS_DIR_FD else ["emptied", "gone"])
    assert list(tmp_path.iterdir()) == []
    assert len(durable) == (1 if folder._HAS_DIR_FD else 0)


def test_what_is_written_over_is_made_durable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []
    monkeypatch.setattr(state_folder, "make_durable", made.append)
    state = StateFolder(tmp_path)
    state.create("pending", "a", b"begun", durable=False)
    for file in (state.begin("pending", "b", b"begun"), state.open("pending", "a")):
        with file:
            file.write(1, b"a")
            file.make_durable()
    assert [state.path("pending", name).read_bytes() for name in "ab"] == [b"bagun", b"bagun"]
    assert len(made) == 2


@needs_posix
def test_what_is_written_into_a_file_that_is_gone_is_told(tmp_path: Path) -> None:
    state = StateFolder(tmp_path)
    state.ensure("pending")
    with state.begin("pending", "a", b"begun") as file:
        state.remove("pending", "a")
        with pytest.raises(FileNotFoundError) as told:
            file.write(0, b"ended")
    assert told.value.filename == state.file("pending", "a")
