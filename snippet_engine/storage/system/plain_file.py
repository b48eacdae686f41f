"""Read files without waiting: opening a FIFO waits for a writer, and a device may have no end."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

_O_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class NotARegularFileError(OSError):
    """A folder, FIFO, device, socket or link is where a file was expected."""


class UnwrittenPipeError(OSError):
    """The named FIFO has no writer."""


def require_regular(status: os.stat_result) -> None:
    """Raise :class:`NotARegularFileError` unless ``status`` is that of a regular file."""
    if not stat.S_ISREG(status.st_mode):
        raise NotARegularFileError(errno.EINVAL, "not a regular file")


def read_plain(path: str | Path, limit: int = -1) -> bytes:
    """Return the file's first ``limit`` bytes, or all; links are followed.

    Raise ``OSError``; :class:`NotARegularFileError` or ``IsADirectoryError`` if it isn't a file.
    """
    with open(_opened(path), "rb") as file:
        require_regular(os.fstat(file.fileno()))
        return file.read(limit)


def read_given(path: str | Path, limit: int) -> tuple[bytes, os.stat_result]:
    """Return the bytes and status of a file, or pipe (``<(...)``), that a person named.

    Raise ``OSError``; :class:`UnwrittenPipeError` for a pipe without a writer.
    """
    with open(_opened(path), "rb") as file:
        if hasattr(os, "O_NONBLOCK"):  # Windows can't set this for files
            os.set_blocking(file.fileno(), True)
        status = os.fstat(file.fileno())
        data = file.read(limit)
    if not data and stat.S_ISFIFO(status.st_mode):
        raise UnwrittenPipeError(errno.EINVAL, "a pipe without a writer", str(path))
    return data, status


def _opened(path: str | Path) -> int:
    descriptor = os.open(path, _O_READ)
    if stat.S_ISDIR(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    return descriptor
