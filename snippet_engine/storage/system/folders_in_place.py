"""Keep folders at their paths while something is written in them, by handles, on Windows.

Implements docs/design/systems.md "Folders that stay". Windows reaches a folder by its path only. An
open handle without ``FILE_SHARE_DELETE`` prevents others from renaming or removing it, if the
handle may list the folder.
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
    """Folders that can't be renamed or removed until :meth:`let_go`."""

    def __init__(self, folders: Sequence[Path], kernel: Kernel | None = None) -> None:
        """Open handles of ``folders``; :class:`.FileInUseError` if one is being renamed."""
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
        """Allow others to rename and remove them again."""
        handles, self._handles = self._handles, []
        for handle in handles:
            self._kernel.CloseHandle(handle)


def kept_in_place(root: Path, inside: Sequence[str]) -> FoldersInPlace | None:
    """On Windows, lock the folder ``inside`` of ``root`` and each on the way to it."""
    on_the_way = [root.joinpath(*inside[:depth]) for depth in range(len(inside) + 1)]
    return FoldersInPlace(on_the_way) if sys.platform == "win32" else None
