"""Keep a second name of each history entry in ``.unity-snippet/history``, in case ``Library`` is
deleted.

Implements docs/design/engine.md §5 "Storage". Deleting ``Library`` is a common remedy in Unity. So
each entry has a hard link next to ``Library``, if the file system allows it. The names in
``Library`` are used as long as they exist. An error here never fails a write.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from snippet_engine.storage.system.links import leads_elsewhere
from snippet_engine.storage.system.long_paths import within_reach

FOLDER = ".unity-snippet"
PART = "history"

_IGNORED = "# Kept by unity-snippet for undo, in case Library is deleted. Not to be committed.\n*\n"


class SecondNames:
    """The second names of the entries in the folder ``first``."""

    def __init__(self, project_root: Path, first: str) -> None:
        self._base = str(project_root / FOLDER)
        self.folder = str(project_root / FOLDER / PART)
        self._first = first
        user = os.getuid() if os.name == "posix" else 0
        self._mark = str(Path(first).with_name("locks") / f"history-{user}.kept")
        self._is_synced = False

    @property
    def stand_in(self) -> bool:
        """Return whether only the second names exist: the first are gone, with their folder."""
        return not os.path.lexists(within_reach(self._first)) and self._are_there()

    def names(self) -> list[str]:
        """Return the existing second names."""
        if not self._are_there():
            return []
        with suppress(OSError):
            return os.listdir(within_reach(self.folder))  # noqa: PTH208 - names only
        return []

    def keep(self, name: str) -> None:
        """Give the entry with that name a second name."""
        if self._made():
            self._link(self._first, self.folder, name)

    def forget(self, name: str) -> None:
        """Take the second name away, before the first one goes."""
        if self._are_there():
            with suppress(OSError):
                os.unlink(within_reach(self._path(self.folder, name)))  # noqa: PTH108 - as strings

    def sync(self, *, anew: bool) -> None:
        """Give each entry both names, once, or again if the folder was recreated (``anew``).

        A mark next to the locks disappears with ``Library``. If the mark exists, an entry without
        its first name was undone, and loses its second one. If it doesn't, ``Library`` was deleted,
        and the entry gets its first name again. Each user has a mark, because other users' entries
        are left alone.
        """
        if self._is_synced and not anew:
            return
        with suppress(OSError):
            second, first = set(self.names()), set(os.listdir(within_reach(self._first)))  # noqa: PTH208
            if not (second or first):
                return
            self._is_synced = True
            if not self._made():
                return
            is_marked = os.path.lexists(within_reach(self._mark))
            for name in second - first:
                if not is_marked:
                    self._link(self.folder, self._first, name)
                elif self._is_gone(name):
                    self.forget(name)
            for name in first - second:
                self._link(self._first, self.folder, name)
            with suppress(FileExistsError), Path(within_reach(self._mark)).open("xb"):
                pass

    def _is_gone(self, name: str) -> bool:
        """Return whether that entry of this user no longer has a first name."""
        if os.path.lexists(within_reach(self._path(self._first, name))):
            return False
        status = os.lstat(within_reach(self._path(self.folder, name)))
        return os.name != "posix" or status.st_uid == os.getuid()

    def _link(self, source: str, target: str, name: str) -> None:
        with suppress(OSError):
            one, other = (within_reach(self._path(each, name)) for each in (source, target))
            if stat.S_ISREG(os.lstat(one).st_mode):
                os.link(one, other)

    @staticmethod
    def _path(folder: str, name: str) -> str:
        return f"{folder}{os.sep}{name}"

    def _made(self) -> bool:
        if self._are_there():
            return True
        with suppress(OSError):
            Path(within_reach(self._base)).mkdir(exist_ok=True)
            if is_folder(self._base):
                ignored = Path(within_reach(self._path(self._base, ".gitignore")))
                with suppress(FileExistsError), ignored.open("x", encoding="utf-8") as file:
                    file.write(_IGNORED)
                Path(within_reach(self.folder)).mkdir(exist_ok=True)
        return self._are_there()

    def _are_there(self) -> bool:
        return is_folder(self._base) and is_folder(self.folder)


def is_folder(path: str) -> bool:
    """Return whether the path is a folder, not a link or junction to one."""
    try:
        status = os.lstat(within_reach(path))
        return stat.S_ISDIR(status.st_mode) and not leads_elsewhere(status)
    except (FileNotFoundError, NotADirectoryError):
        return False
