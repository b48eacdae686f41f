"""A folder that is verified once and stays the same, even if its path is changed.

Implements a part of docs/design/engine.md §6. Any folder of a path may be replaced by a link at any
time. So each folder is opened from its parent without following links, and its files are reached
through it. Windows reaches a folder by its path only (docs/design/systems.md "Folders that stay").
An open handle that may list the folder, without ``FILE_SHARE_DELETE``, keeps others from renaming
or removing it.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Self

from snippet_engine.storage.system.names import real_path, within_reach
from snippet_engine.storage.system.plain_file import require_regular
from snippet_engine.storage.system.replace_file import (
    FileInUseError,
    at_rest,
    patiently,
    replace_file,
)
from snippet_engine.storage.system.system_calls import exchange_names, make_durable
from snippet_engine.storage.system.windows_files import (
    FILE_LIST_DIRECTORY,
    FILE_SHARE_READ,
    FILE_SHARE_WRITE,
    Kernel,
    kernel32,
    open_handle,
)

_HAS_DIR_FD = {os.open, os.rename, os.stat, os.unlink} <= os.supports_dir_fd
"""Not on Windows, which verifies the real path again before each change."""

_O_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_O_BINARY = getattr(os, "O_BINARY", 0)
_O_READ = os.O_RDONLY | _O_BINARY | _O_NOFOLLOW | getattr(os, "O_NONBLOCK", 0)
_O_WRITTEN = _O_READ | os.O_RDWR
"""Windows flushes to disk only files that are open for writing."""
_O_FOLDER = os.O_RDONLY | _O_NOFOLLOW | getattr(os, "O_DIRECTORY", 0)
_O_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _O_BINARY | _O_NOFOLLOW

_READ_BYTES = 1024 * 1024
_LINE_BYTES = 16 * 1024
_PRIVATE = 0o600

_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})
"""Errors of file systems without hard links."""


FolderIdentity = tuple[int, int]
"""Device and number of a folder. A renamed folder keeps them; a copy has others."""


class FileTooLargeError(OSError):
    """The file is larger than the caller's limit."""


class Folder:
    """An open folder. A context manager; all methods raise ``OSError``."""

    def __init__(
        self,
        root: Path,
        inside: Sequence[str],
        fd: int | None = None,
        kept: FoldersInPlace | None = None,
    ) -> None:
        """Without an ``fd`` the folder is reached by its path."""
        self._root = root
        self._inside = inside
        self._fd = fd
        self._kept = kept

    @classmethod
    def open(cls, root: Path, inside: Sequence[str] = (), *, in_place: bool = False) -> Folder:
        """Open the folder ``inside`` of the real path ``root`` without following links.

        ``in_place`` opens it for writing. On Windows others can then neither rename nor remove it,
        or a folder on the way.
        """
        if not _HAS_DIR_FD:
            kept = kept_in_place(root, inside) if in_place else None
            with ExitStack() as undone:
                folder = undone.enter_context(cls(root, inside, None, kept))
                folder.verify()  # after it is held: from here on nobody can replace it
                undone.pop_all()
            return folder
        fd = os.open(root, _O_FOLDER)
        for segment in inside:
            try:
                deeper = os.open(segment, _O_FOLDER, dir_fd=fd)
            finally:
                os.close(fd)
            fd = deeper
        return cls(root, inside, fd)

    @property
    def _path(self) -> Path:
        return self._root.joinpath(*self._inside)

    def make(self, name: str) -> None:
        """Make the folder ``name`` in this one, unless it exists."""
        self.verify()
        with suppress(FileExistsError):
            os.mkdir(self._name(name), dir_fd=self._fd)

    def drop(self, name: str) -> None:
        """Remove the folder ``name``, which must be empty."""
        self.verify()
        path = self._name(name)
        patiently(lambda: os.rmdir(path, dir_fd=self._fd), (path,))

    def verify(self) -> None:
        """Raise ``OSError`` if the folder is reached by its path and the path leads elsewhere."""
        if self._fd is not None:
            return
        if Path(real_path(str(self._path))) != self._path:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        if not stat.S_ISDIR(os.lstat(within_reach(self._path)).st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))

    def identity(self) -> FolderIdentity:
        """Return the folder's identity."""
        return identity_of(self._path if self._fd is None else self._fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.let_go()
        if self._fd is not None:
            os.close(self._fd)

    def let_go(self) -> None:
        """Allow others to rename and remove it again, if it was opened ``in_place``."""
        if self._kept is not None:
            self._kept.let_go()

    def _name(self, name: str) -> str:
        return within_reach(self._path / name) if self._fd is None else name

    def names(self) -> list[str]:
        """Return the names in the folder, as they are spelled there."""
        return os.listdir(within_reach(self._path) if self._fd is None else self._fd)  # noqa: PTH208

    def status(self, name: str) -> os.stat_result:
        """Return the ``lstat`` of the entry ``name``."""
        return os.stat(self._name(name), dir_fd=self._fd, follow_symlinks=False)

    def read(self, name: str, limit: int) -> tuple[bytes, os.stat_result]:
        """Return the regular file's bytes and status; never wait for a FIFO or follow a link.

        Raise :class:`.NotARegularFileError`, or :class:`FileTooLargeError` above ``limit`` bytes.
        """
        with self._reading(name) as fd:
            status = os.fstat(fd)
            if status.st_size > limit:
                raise FileTooLargeError(errno.EFBIG, f"{status.st_size} bytes")
            first = os.read(fd, status.st_size + 1)
            if len(first) == status.st_size:
                return first, status  # The read asked for one byte more, and got none.
            data = first + _read(fd, limit + 1 - len(first))
            if len(data) > limit:
                raise FileTooLargeError(errno.EFBIG, f"more than {limit} bytes")
            return data, status

    @contextmanager
    def _reading(self, name: str) -> Iterator[int]:
        """Open a regular file."""
        # Checked before the open, because opening a device can have effects.
        require_regular(self.status(name))
        fd = self.opened(name)
        try:
            require_regular(os.fstat(fd))
            yield fd
        finally:
            os.close(fd)

    def read_at_rest(self, name: str, limit: int) -> tuple[bytes, os.stat_result]:
        """Do the same as :meth:`read` while no other program writes: see :func:`.at_rest`."""
        with self._reading(name) as fd, at_rest(fd, name):
            return self.read(name, limit)

    def first_line(self, name: str, limit: int) -> bytes | None:
        """Return the regular file's first line without its end; ``None`` above ``limit`` bytes."""
        with self._reading(name) as fd:
            read = b""
            while len(read) < limit and (piece := os.read(fd, _LINE_BYTES)):
                read += piece
                line, ended, _ = read.partition(b"\n")
                if ended:
                    return line
            return None

    def beginning(self, name: str, most: int) -> bytes:
        """Return at most the first ``most`` bytes of the regular file."""
        with self._reading(name) as fd:
            return _read(fd, most)

    def create(self, name: str, mode: int = _PRIVATE) -> int:
        """Return a descriptor of the new file ``name``; ``mode`` is subject to the ``umask``."""
        self.verify()
        return os.open(self._name(name), _O_CREATE, mode, dir_fd=self._fd)

    def replace(self, source: str, target: str) -> None:
        """Rename ``source`` over ``target``, atomically."""
        self.verify()
        replace_file(
            self._name(source),
            self._name(target),
            src_dir_fd=self._fd,
            dst_dir_fd=self._fd,
        )

    def give_name(self, source: str, target: str) -> None:
        """Rename ``source`` to ``target``; raise ``FileExistsError`` if that exists.

        On file systems without hard links, another file could take the name in between.
        """
        self.verify()
        if self._fd is not None:
            try:
                os.link(
                    source,
                    target,
                    src_dir_fd=self._fd,
                    dst_dir_fd=self._fd,
                    follow_symlinks=False,
                )
            except OSError as error:
                if error.errno not in _NO_LINKS:
                    raise
                self._refuse_taken(target)
            else:
                os.unlink(source, dir_fd=self._fd)
                return
        # On Windows a rename fails if the name exists.
        old, new, fd = self._name(source), self._name(target), self._fd
        patiently(lambda: os.rename(old, new, src_dir_fd=fd, dst_dir_fd=fd), (old,))

    def _refuse_taken(self, name: str) -> None:
        try:
            self.status(name)
        except FileNotFoundError:
            return
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))

    def exchange(self, one: str, other: str) -> bool:
        """Swap two files' names in one step; return ``False``, with nothing done, if impossible."""
        return self._fd is not None and exchange_names(self._fd, one, other)

    def opened(self, name: str, flags: int = _O_READ) -> int:
        """Return a descriptor of the file; on Windows, wait up to a second for one in use."""
        if self._fd is not None:
            return os.open(name, flags, dir_fd=self._fd)
        path = self._name(name)
        return patiently(lambda: os.open(path, flags), (path,))

    def remove(self, name: str) -> None:
        """Unlink ``name``."""
        if self._fd is not None:
            os.unlink(name, dir_fd=self._fd)
            return
        self.verify()
        path = self._name(name)
        patiently(lambda: os.unlink(path), (path,))  # noqa: PTH108 - as the other names

    def make_durable(self, name: str) -> None:
        """Flush what any process wrote to the file ``name`` to the disk."""
        fd = self.opened(name, _O_WRITTEN)
        try:
            make_durable(fd)
        finally:
            os.close(fd)

    def sync(self) -> None:
        """Make renames in the folder durable, where the system can."""
        if self._fd is not None:
            # Some file systems (CIFS, some FUSE) refuse it; the rename is done all the same.
            with suppress(OSError):
                make_durable(self._fd)


def _read(fd: int, most: int) -> bytes:
    pieces: list[bytes] = []
    while most and (piece := os.read(fd, min(most, _READ_BYTES))):
        pieces.append(piece)
        most -= len(piece)
    return b"".join(pieces)


def identity_of(folder: str | Path | int) -> FolderIdentity:
    """Return the identity of a path or a file descriptor. Raise ``OSError``."""
    status = os.stat(folder if isinstance(folder, int) else within_reach(folder))  # noqa: PTH116
    return status.st_dev, status.st_ino


class FoldersInPlace:
    """Folders that can't be renamed or removed until :meth:`let_go`."""

    def __init__(self, folders: Sequence[Path], kernel: Kernel | None = None) -> None:
        """Open handles of the ``folders`` that can be listed.

        Raise :class:`.FileInUseError` if somebody else is about to rename or remove one.
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
        access, share = FILE_LIST_DIRECTORY, FILE_SHARE_READ | FILE_SHARE_WRITE
        try:
            handle = patiently(lambda: open_handle(path, access, share, self._kernel), (path,))
            self._handles.append(handle)
        except FileInUseError:
            raise
        except OSError:
            return  # The next step that uses the path reports the error.

    def let_go(self) -> None:
        """Allow others to rename and remove them again."""
        handles, self._handles = self._handles, []
        for handle in handles:
            self._kernel.CloseHandle(handle)


def kept_in_place(root: Path, inside: Sequence[str]) -> FoldersInPlace | None:
    """On Windows, lock the folder ``inside`` of ``root`` and each on the way to it.

    On other systems, return ``None``.
    """
    on_the_way = [root.joinpath(*inside[:depth]) for depth in range(len(inside) + 1)]
    return FoldersInPlace(on_the_way) if sys.platform == "win32" else None
