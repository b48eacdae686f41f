"""Folders that stay at their paths while something is written in them: by handles, on Windows.

Implements docs/design/systems.md "Folders that stay". On Linux and macOS a folder that is held open
is reached wherever it is moved. Windows reaches it by its path only; but there who has a folder
open says what others may do to it meanwhile: without ``FILE_SHARE_DELETE`` it can be neither
renamed nor removed. That holds for a handle that may do more than ask for attributes, so it is one
to list the folder with.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from snippet_engine.storage.system.long_paths import within_reach
from snippet_engine.storage.system.replace_file import FileInUseError, patiently
from snippet_engine.storage.system.windows_files import (
    FILE_LIST_DIRECTORY,
    FILE_SHARE_READ,
    FILE_SHARE_WRITE,
    Kernel,
    kernel32,
    open_handle,
)


class FoldersInPlace:
    """Folders that nobody renames or removes until :meth:`let_go`, which may be called twice."""

    def __init__(self, folders: Sequence[Path], kernel: Kernel | None = None) -> None:
        """Hold the ``folders``, each as far as the system lets us: one that is none, or that may
        not be listed, is not held.

        Raises :class:`.FileInUseError` where somebody else is about to rename or remove one, and
        still is after the time for which an open file is waited for.
        """
        self._kernel = kernel or kernel32()
        self._handles: list[int] = []
        try:
            for folder in folders:
                self._hold(within_reach(folder))
        except BaseException:
            self.let_go()
            raise

    def _hold(self, path: str) -> None:
        share = FILE_SHARE_READ | FILE_SHARE_WRITE

        def attempt() -> None:
            self._handles.append(open_handle(path, FILE_LIST_DIRECTORY, share, self._kernel))

        try:
            patiently(attempt, (path,))
        except FileInUseError:
            raise
        except OSError:
            return  # Whoever goes on by the path learns what is wrong with it.

    def let_go(self) -> None:
        """Let others rename and remove them again."""
        handles, self._handles = self._handles, []
        for handle in handles:
            self._kernel.CloseHandle(handle)


def kept_in_place(root: Path, inside: Sequence[str]) -> FoldersInPlace | None:
    """The folder ``inside`` of ``root`` and each on the way to it, held; ``None`` but on Windows.

    Raises as :class:`FoldersInPlace`.
    """
    on_the_way = [root.joinpath(*inside[:depth]) for depth in range(len(inside) + 1)]
    return FoldersInPlace(on_the_way) if sys.platform == "win32" else None
