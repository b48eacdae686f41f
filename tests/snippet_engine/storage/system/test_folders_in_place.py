"""Folders that stay where they are while something is written in them: docs/design/systems.md.

Windows' rules of sharing are played here as its documentation of ``CreateFileW`` has them; under
Wine, and on Windows, the last tests really try to move a folder.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from change_sets import AFTER_EVERYTHING, FILES, PLAYER, Scene, contents, new_project, state_files
from this_system import only_windows

from snippet_engine.errors import ErrorCode
from snippet_engine.storage.change_sets import change_slots
from snippet_engine.storage.stores import script_store
from snippet_engine.storage.stores.script_store import ScriptStore
from snippet_engine.storage.system import folder, replace_file
from snippet_engine.storage.system.folder import Folder, FoldersInPlace
from snippet_engine.storage.system.replace_file import FileInUseError, patiently
from snippet_engine.storage.system.windows_files import (
    DELETE,
    FILE_FLAG_BACKUP_SEMANTICS,
    FILE_LIST_DIRECTORY,
    FILE_SHARE_DELETE,
    FILE_SHARE_READ,
    FILE_SHARE_WRITE,
    INVALID_HANDLE_VALUE,
    OPEN_EXISTING,
    kernel32,
    open_handle,
)

NEEDED = {FILE_LIST_DIRECTORY: FILE_SHARE_READ, DELETE: FILE_SHARE_DELETE}
"""What others must share with whoever asks for an access."""

SHARE_ALL = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE
NOT_FOUND, SHARING_VIOLATION = 2, 32


class Kernel:
    """``kernel32`` as documented: an open is refused if it asks for what another doesn't share, or
    doesn't share what another has asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []
        self.open: dict[int, tuple[str, int, int]] = {}
        self._handles = iter(range(100, 10_000))
        self._error = 0

    def CreateFileW(self, path: str, access: int, share: int, *more: object) -> int:  # noqa: N802
        self.asked.append((path, access, share, *more))
        others = [each for each in self.open.values() if each[0] == path]
        if not Path(path).exists():
            self._error = NOT_FOUND
        elif any(NEEDED[access] & ~theirs or NEEDED[has] & ~share for _, has, theirs in others):
            self._error = SHARING_VIOLATION
        else:
            handle = next(self._handles)
            self.open[handle] = (path, access, share)
            return handle
        return INVALID_HANDLE_VALUE

    def CloseHandle(self, handle: int) -> int:  # noqa: N802
        del self.open[handle]
        return 1

    def GetLastError(self) -> int:  # noqa: N802
        return self._error

    def is_held(self, path: str) -> bool:
        return any(each[0] == path for each in self.open.values())


@pytest.fixture
def kernel() -> Kernel:
    return Kernel()


def test_what_is_asked_of_windows(tmp_path: Path, kernel: Kernel) -> None:
    held = FoldersInPlace([tmp_path], kernel)
    backup = FILE_FLAG_BACKUP_SEMANTICS
    assert kernel.asked == [(str(tmp_path), 0x0001, 0x0003, None, OPEN_EXISTING, backup, None)]
    held.let_go()
    held.let_go()
    assert not kernel.open


def test_it_is_not_renamed_until_it_is_let_go(tmp_path: Path, kernel: Kernel) -> None:
    held = FoldersInPlace([tmp_path], kernel)
    with pytest.raises(OSError, match=f"error {SHARING_VIOLATION}"):
        open_handle(tmp_path, DELETE, SHARE_ALL, kernel)
    held.let_go()
    open_handle(tmp_path, DELETE, SHARE_ALL, kernel)


def test_who_watches_or_holds_it_too_is_in_nobodys_way(tmp_path: Path, kernel: Kernel) -> None:
    open_handle(tmp_path, FILE_LIST_DIRECTORY, SHARE_ALL, kernel)
    FoldersInPlace([tmp_path], kernel)
    FoldersInPlace([tmp_path], kernel)
    assert len(kernel.open) == 3


def test_what_is_about_to_go_is_waited_for_and_the_rest_let_go(
    tmp_path: Path, kernel: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    going = tmp_path / "Going"
    going.mkdir()
    pauses: list[float] = []
    monkeypatch.setattr(replace_file.time, "sleep", pauses.append)
    monkeypatch.setattr(replace_file, "is_held", lambda path: kernel.is_held(os.fspath(path)))
    monkeypatch.setattr(folder, "patiently", partial(patiently, windows=True))
    theirs = open_handle(going, DELETE, SHARE_ALL, kernel)
    with pytest.raises(FileInUseError):
        FoldersInPlace([tmp_path, going], kernel)
    assert sum(pauses) == pytest.approx(replace_file.PATIENCE_S)
    assert list(kernel.open) == [theirs]


def test_what_is_not_there_is_not_held(tmp_path: Path, kernel: Kernel) -> None:
    FoldersInPlace([tmp_path, tmp_path / "Gone"], kernel)
    assert [path for path, *_ in kernel.open.values()] == [str(tmp_path)]


@pytest.fixture
def by_paths(monkeypatch: pytest.MonkeyPatch, kernel: Kernel) -> Kernel:
    """Folders that are reached by their paths only, and whose handles are ``kernel``'s."""

    def kept(root: Path, inside: Sequence[str]) -> FoldersInPlace:
        folders = [root.joinpath(*inside[:depth]) for depth in range(len(inside) + 1)]
        return FoldersInPlace(folders, kernel)

    monkeypatch.setattr(folder, "_HAS_DIR_FD", False)
    monkeypatch.setattr(folder, "kept_in_place", kept)
    for name in ("rmdir", "rename", "replace", "unlink"):
        call = getattr(os, name)

        def refused(
            path: str, *rest: Any, call: Callable[..., Any] = call, **options: Any
        ) -> object:
            assert not kernel.is_held(os.fspath(path)), f"{path} is held"
            return call(path, *rest, **options)

        monkeypatch.setattr(os, name, refused)
    return kernel


def test_a_folder_to_read_in_is_not_held(tmp_path: Path, by_paths: Kernel) -> None:
    with Folder.open(tmp_path):
        assert not by_paths.open


def test_every_folder_on_the_way_is_held(tmp_path: Path, by_paths: Kernel) -> None:
    root = Path(os.path.realpath(tmp_path))
    (root / "Assets/Enemies").mkdir(parents=True)
    with Folder.open(root, ("Assets", "Enemies"), in_place=True):
        held = [path for path, *_ in by_paths.open.values()]
        assert held == [str(root / each) for each in ("", "Assets", "Assets/Enemies")]
    assert not by_paths.open


def test_what_can_t_be_opened_holds_nothing(tmp_path: Path, by_paths: Kernel) -> None:
    with pytest.raises(FileNotFoundError):
        Folder.open(Path(os.path.realpath(tmp_path)), ("Gone",), in_place=True)
    assert by_paths.asked
    assert not by_paths.open


def test_a_set_holds_no_folder_that_it_removes(tmp_path: Path, by_paths: Kernel) -> None:
    """What it made goes with its undo, and with a refusal; nothing is held afterwards."""
    scene = Scene.of(new_project(tmp_path / "Game"))
    made = scene.applied(*scene.everything())
    assert contents(scene.root) == AFTER_EVERYTHING
    assert by_paths.asked
    scene.undone(made)
    assert contents(scene.root) == FILES
    assert not by_paths.open
    assert {each.name for each in (scene.root / "Assets").iterdir() if each.is_dir()} == {"Enemies"}


# -- with folders that are really moved --------------------------------------------------


@contextmanager
def moved_during(
    monkeypatch: pytest.MonkeyPatch, where: object, attempt: Callable[[], object]
) -> Iterator[list[OSError]]:
    """Somebody tries to move a folder right after each script was written; why they could not."""
    real: Callable[..., object] = where.put_in_place  # type: ignore[attr-defined]
    refused: list[OSError] = []

    def put(*given: object, **named: object) -> object:
        result = real(*given, **named)
        try:
            attempt()
        except OSError as error:
            refused.append(error)
        return result

    with monkeypatch.context() as patch:
        patch.setattr(where, "put_in_place", put)
        yield refused


@only_windows
@pytest.mark.parametrize("moved", ["Assets/Enemies", "Assets"])
def test_a_folder_stays_while_a_set_is_written(
    scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moved: str
) -> None:
    place, away = scene.root / moved, tmp_path / "away"
    with moved_during(monkeypatch, change_slots, lambda: place.rename(away)) as refused:
        made = scene.applied(*scene.everything())
    assert refused
    assert {getattr(each, "winerror", None) for each in refused} <= {5, SHARING_VIOLATION}
    assert contents(scene.root) == AFTER_EVERYTHING
    scene.undone(made)
    assert contents(scene.root) == FILES
    place.rename(away)  # afterwards it can be


@only_windows
def test_a_folder_stays_while_a_script_is_written(
    scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script, away = scene.there("Assets/Enemies/Enemy.cs"), tmp_path / "away"
    old, store = scene.bytes_of(script.canonical), ScriptStore(scene.project)
    place = scene.root / "Assets/Enemies"
    with moved_during(monkeypatch, script_store, lambda: place.rename(away)) as refused:
        assert store.apply(script, old, b"// new\n") is None
    assert len(refused) == 1
    assert scene.bytes_of(script.canonical) == b"// new\n"
    place.rename(away)


@only_windows
def test_a_folder_that_somebody_is_about_to_move_is_busy(scene: Scene) -> None:
    handle = open_handle(scene.root / "Assets/Enemies", DELETE, SHARE_ALL)
    try:
        scene.refused(*scene.everything(), code=ErrorCode.BUSY)
    finally:
        kernel32().CloseHandle(handle)
    assert contents(scene.root) == FILES
    assert state_files(scene.root) == []
    scene.applied(*scene.everything())


@only_windows
def test_who_watches_a_folder_is_in_nobodys_way(scene: Scene) -> None:
    handle = open_handle(scene.root / "Assets", FILE_LIST_DIRECTORY, SHARE_ALL)
    try:
        script = scene.there("Assets/Player.cs")
        assert ScriptStore(scene.project).apply(script, PLAYER, b"// new\n") is None
    finally:
        kernel32().CloseHandle(handle)
