"""``Library/SnippetEngine``: the folder for data that must outlive a process.

Implements docs/design/engine.md §5 "Storage". Unity's ``Library`` belongs to one checkout, and is
never imported or committed. People delete it when Unity misbehaves, and with it this folder. So
each history entry has a hard link in ``.unity-snippet/history``, if the file system allows it; the
names in ``Library`` are used as long as they exist. Reading creates nothing (law 1): the first
write makes the folders.

======== ==========================================================================
locks    one lock file for each script ever written, named by a hash of its path
pending  one record for each write under way: what to clean up if the process dies
history  before-images, for undo
requests results of requests with a ``client_request_id``
texts    the text of each script when a server last read it
======== ==========================================================================
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Self

from snippet_engine.storage.os_failure import Noting, UnusableStateError, unreadable
from snippet_engine.storage.system.folder import Folder
from snippet_engine.storage.system.names import leads_elsewhere, real_path, within_reach
from snippet_engine.storage.system.replace_file import patiently
from snippet_engine.storage.system.system_calls import make_durable

_O_CREATE = (
    os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
)
# Without O_NONBLOCK the opening of a FIFO would wait for somebody to read from it.
_O_OVERWRITE = _O_CREATE & ~os.O_EXCL | getattr(os, "O_NONBLOCK", 0)
_KEY_LENGTH = 32


def path_key(canonical: str) -> str:
    """Return a file's name within the state folder: 32 hex digits, by its canonical path."""
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()[:_KEY_LENGTH]


@lru_cache(maxsize=1024)  # Each write needs the keys of its files many times.
def lock_key(canonical: str) -> str:
    """Return the key of a path's lock, equal for paths that may be one file on macOS or Windows.

    A ``.meta`` has the lock of its file, which it moves with.
    """
    return path_key(unicodedata.normalize("NFC", canonical).casefold().removesuffix(".meta"))


class StateFolder:
    """The folders below ``Library/SnippetEngine``. Methods raise ``OSError``."""

    def __init__(self, project_root: Path) -> None:
        self._library = project_root / "Library"
        self._base = self._library / "SnippetEngine"
        self._parts = {
            part: self._base / part for part in ("locks", "pending", "history", "requests", "texts")
        }
        # Strings: every write calls this a dozen times, and path objects are several times slower.
        self._base_folder = str(self._base)
        self._folders = {part: str(path) for part, path in self._parts.items()}
        self.second_names = SecondNames(project_root, self._folders[HISTORY])

    def path(self, part: str, name: str) -> Path:
        """Return the path of the file ``name`` in the folder ``part``; neither need exist."""
        return Path(self.file(part, name))

    def file(self, part: str, name: str) -> str:
        """Return :meth:`path` as text, which every write needs."""
        return within_reach(f"{self._folders[part]}{os.sep}{name}")

    def folder(self, part: str) -> Folder:
        """Open the folder ``part``."""
        if part == HISTORY and self.second_names.stand_in:
            project = Path(real_path(str(self._library.parent)))
            return Folder.open(project, (SECOND_FOLDER, HISTORY))
        return Folder.open(Path(real_path(str(self._library))), ("SnippetEngine", part))

    def ensure(self, *parts: str) -> None:
        """Create the folders ``parts``. ``Library`` may be a link; links below aren't followed."""
        made_anew = False
        if not is_folder(self._base_folder) or not all(is_folder(self._folders[p]) for p in parts):
            made_anew = self._make(parts)
        if HISTORY in parts:
            self.second_names.sync(anew=made_anew)

    def _make(self, parts: Sequence[str]) -> bool:
        made_anew = False
        with suppress(FileExistsError):
            self._library.mkdir()
        if not self._library.is_dir():
            raise _no_folder(self._library)
        for path in (self._base, *(self._parts[part] for part in parts)):
            with suppress(FileExistsError):
                Path(within_reach(path)).mkdir()
                made_anew |= path == self._parts[HISTORY]
            if not is_folder(str(path)):
                raise _no_folder(path)
        return made_anew

    def names(self, part: str) -> list[str]:
        """Return the names in the folder ``part``, if it exists.

        Raises :class:`.UnusableStateError`.
        """
        try:
            return os.listdir(within_reach(self._folders[part]))  # noqa: PTH208 - names only, and fast
        except OSError as error:
            if isinstance(error, FileNotFoundError) and self._library.parent.is_dir():
                return self.second_names.names() if part == HISTORY else []
            raise self._unreadable(error, part) from error

    def look(self, part: str) -> None:
        """Raise :class:`.UnusableStateError` if ``part`` can't be read, or isn't a folder."""
        for path in (self._base_folder, self._folders[part]):
            try:
                os.lstat(within_reach(path))
            except FileNotFoundError:
                break
            except OSError as error:
                raise self._unreadable(error, part) from error
            if not is_folder(path):
                raise UnusableStateError(_no_folder(Path(path)))
        self.names(part)

    def check_usable(self, part: str) -> None:
        """Raise ``PermissionError`` if the folder ``part`` exists and can't be read or written."""
        path = within_reach(self._folders[part])
        if not os.access(path, os.R_OK | os.W_OK | os.X_OK) and os.path.lexists(path):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), self.file(part, "entry"))

    def _unreadable(self, error: OSError, part: str) -> UnusableStateError:
        library = str(self._library)
        return unreadable(
            error, self._library.parent, (library, self._base_folder, self._folders[part])
        )

    def overwrite(self, part: str, name: str, data: bytes) -> None:
        """Overwrite the beginning of the file ``name``: fast, neither durable nor atomic.

        The file isn't truncated first, because ext4 would then write it to the disk.
        """
        path = self.file(part, name)
        fd = os.open(path, _O_OVERWRITE, 0o600)
        try:
            with _naming(path):
                write_all(fd, data)
        finally:
            os.close(fd)

    def open(self, part: str, name: str) -> StateFile:
        """Return the file ``name`` for overwriting; it is opened at its first use."""
        return StateFile(self.file(part, name))

    def begin(self, part: str, name: str, data: bytes) -> StateFile:
        """Write the new, private file ``name``; remove it on failure. Needs :meth:`ensure`."""
        path = self.file(part, name)
        fd = os.open(path, _O_CREATE, 0o600)
        file = StateFile(path, fd)
        try:
            with _naming(path):
                write_all(fd, data)
        except BaseException:
            file.discard()
            raise
        return file

    def create(self, part: str, name: str, data: bytes, *, durable: bool) -> None:
        """Write and close the new file ``name``; a ``durable`` one is on the disk afterwards.

        Its folder isn't synced: journaling file systems write a new name to the disk with its
        content.
        """
        self.ensure(part)
        file = self.begin(part, name, data)
        try:
            if durable:
                file.make_durable()
            file.close()
        except BaseException:
            file.discard()
            raise

    def remove(self, part: str, name: str) -> None:
        """Remove the file ``name``; if others have it open, wait for a second at most."""
        path = self.file(part, name)
        patiently(lambda: os.unlink(path), (path,))  # noqa: PTH108 - as strings, as above


class StateFile:
    """A file of the state folder, overwritten in place, open from its first use.

    Its methods raise ``OSError``.
    """

    def __init__(self, path: str, fd: int = -1) -> None:
        self._path = path
        self._fd = fd

    def write(self, offset: int, data: bytes) -> None:
        """Write ``data`` at ``offset`` bytes; ``FileNotFoundError`` if the file was removed."""
        with _naming(self._path):
            os.lseek(self._opened(), offset, os.SEEK_SET)
            write_all(self._fd, data)
            if not os.fstat(self._fd).st_nlink:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))

    def make_durable(self) -> None:
        """Flush everything that any process wrote to the file to the disk."""
        with _naming(self._path):
            make_durable(self._opened())

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    def discard(self) -> None:
        """Close the file and remove it, as far as the system allows."""
        with suppress(OSError):
            self.close()
        with suppress(OSError):
            patiently(lambda: os.unlink(self._path), (self._path,))  # noqa: PTH108 - as strings

    def _opened(self) -> int:
        if self._fd < 0:
            self._fd = os.open(self._path, _O_OVERWRITE & ~os.O_CREAT)
        return self._fd

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _naming(path: str) -> Noting:
    return Noting("filename", path)


def write_all(fd: int, data: bytes) -> None:
    """Write every byte of ``data``; a full disk raises ``OSError`` midway."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


def _no_folder(path: Path) -> NotADirectoryError:
    return NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))


SECOND_FOLDER = ".unity-snippet"
HISTORY = "history"

_IGNORED = "# Kept by unity-snippet for undo, in case Library is deleted. Not to be committed.\n*\n"


class SecondNames:
    """Hard links to the history entries of ``first``, in a second folder.

    Through them undo survives deleting ``Library``. Errors here never make a write fail.
    """

    def __init__(self, project_root: Path, first: str) -> None:
        self._base = str(project_root / SECOND_FOLDER)
        self.folder = str(project_root / SECOND_FOLDER / HISTORY)
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
        """Link the entry into the second folder."""
        if self._made():
            self._link(self._first, self.folder, name)

    def forget(self, name: str) -> None:
        """Remove the second name, before the caller removes the first."""
        if self._are_there():
            with suppress(OSError):
                os.unlink(within_reach(self._path(self.folder, name)))  # noqa: PTH108 - as strings

    def sync(self, *, anew: bool) -> None:
        """Give each entry both names, once, or again if the folder was recreated (``anew``).

        A mark next to the locks disappears with ``Library``. If the mark exists, an entry without
        its first name was undone, and loses its second name. If the mark is missing, ``Library``
        was deleted, and the entry gets its first name again. Each user has a mark, because other
        users' entries are left alone.
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
        """Return whether the entry ``name`` is this user's and no longer has a first name."""
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
