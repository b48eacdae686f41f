"""Files that end, read without waiting for anybody.

Opening a FIFO waits for somebody to write to it, and a device may have no end. What lies where a
file is expected is therefore opened here, or held open by :mod:`.folder`.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

_O_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class NotARegularFileError(OSError):
    """A folder, FIFO, device, socket or link stands where a file was expected."""


class UnwrittenPipeError(OSError):
    """A FIFO was named, and nobody writes to it."""


def require_regular(status: os.stat_result) -> None:
    """Raise :class:`NotARegularFileError` unless ``status`` is that of a regular file."""
    if not stat.S_ISREG(status.st_mode):
        raise NotARegularFileError(errno.EINVAL, "not a regular file")


def read_plain(path: str | Path, limit: int = -1) -> bytes:
    """The file's bytes, the first ``limit`` of them if that isn't negative; links are followed.

    Raises ``OSError``: ``IsADirectoryError`` for a folder (``PermissionError`` on Windows),
    :class:`NotARegularFileError` for what else is no file.
    """
    with open(_opened(path), "rb") as file:
        require_regular(os.fstat(file.fileno()))
        return file.read(limit)


def read_given(path: str | Path, limit: int) -> tuple[bytes, os.stat_result]:
    """The same of a file that somebody named, and its status; of a pipe that somebody holds open
    (``<(...)`` of a shell), what is written to it until its end.

    Raises ``OSError``: :class:`UnwrittenPipeError` for a pipe that nobody writes to.
    """
    with open(_opened(path), "rb") as file:
        if hasattr(os, "O_NONBLOCK"):  # Windows refuses that of files
            os.set_blocking(file.fileno(), True)
        status = os.fstat(file.fileno())
        data = file.read(limit)
    if not data and stat.S_ISFIFO(status.st_mode):
        raise UnwrittenPipeError(errno.EINVAL, "a pipe that nobody writes to", str(path))
    return data, status


def _opened(path: str | Path) -> int:
    descriptor = os.open(path, _O_READ)
    if stat.S_ISDIR(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    return descriptor
