"""One writer at a time for each script, across processes (docs/design/engine.md §5).

The system's lock on an open file ends with its process; a leftover lock file locks nothing. A
change set of hundreds of files holds a lock on each. Systems allow a process 256 or 1024 open files
by default, and more on request.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Self

from snippet_engine.storage.system.replace_file import patiently

_POLL_SECONDS = 0.005
_O_LOCK = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class HeldLock:
    """A lock that this process holds until :meth:`release`. A context manager."""

    def __init__(self, path: str | Path) -> None:
        self._fd = -1
        self._fd = patiently(lambda: os.open(path, _O_LOCK, 0o644), (path,))

    def _is_had(self) -> bool:
        from filelock import lock_descriptor  # noqa: PLC0415 - 25 ms, which reading need not pay

        # A lock on a file that was removed after it was opened excludes nobody.
        return lock_descriptor(self._fd, blocking=False) and os.fstat(self._fd).st_nlink > 0

    def release(self) -> None:
        """Release the lock."""
        from filelock import unlock_descriptor  # noqa: PLC0415 - as above

        # If unlocking fails, the work under the lock is still valid, and the process's end unlocks.
        # Closing alone doesn't unlock if a child forked meanwhile has the file open, too.
        with suppress(OSError, ValueError):
            unlock_descriptor(self._fd)
        self._close()

    def _close(self) -> None:
        fd, self._fd = self._fd, -1
        if fd >= 0:
            with suppress(OSError):
                os.close(fd)

    def __del__(self) -> None:
        self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def acquire(path: str | Path, timeout_ms: int) -> HeldLock | None:
    """Lock the file at ``path``, creating it; return ``None`` if it isn't free in ``timeout_ms``.

    Zero makes one attempt. Locks exclude threads, too. Raise ``OSError`` if the file can't be made.
    """
    deadline = monotonic() + timeout_ms / 1000
    while True:
        lock = HeldLock(path)
        if lock._is_had():
            return lock
        del lock
        if monotonic() >= deadline:
            return None
        sleep(_POLL_SECONDS)


_OTHERS = 512
"""Files that a process has open apart from its locks."""


def allow_open_files(count: int) -> None:
    """Let this process open ``count`` more files, if the system permits it."""
    try:
        import resource  # noqa: PLC0415 - not on Windows, which allows 8,192
    except ImportError:
        return
    wanted = count + _OTHERS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
