"""One writer at a time for each script, across processes.

Implements the lock of docs/design/engine.md §5. The lock is the operating system's on an
open file (the ``filelock`` library), so it ends with its process however that dies; a lock
file left behind locks nothing.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from filelock import BaseFileLock

_POLL_SECONDS = 0.005


class HeldLock:
    """A lock that this process holds until :meth:`release`. A context manager."""

    def __init__(self, lock: BaseFileLock) -> None:
        self._lock = lock

    def release(self) -> None:
        """Let the next one in."""
        # Work done under the lock stays done if unlocking fails; the process's end unlocks.
        with suppress(OSError):
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def acquire(path: str | Path, timeout_ms: int) -> HeldLock | None:
    """Lock the file at ``path``, creating it; ``None`` if not had in ``timeout_ms``.

    Zero milliseconds make a single attempt. Locks exclude each other between threads of one
    process as well, and may be released by another thread. Raises ``OSError`` when the lock
    file can't be made.
    """
    # Not at module level: it costs 25 ms, which calls that only read need not pay.
    from filelock import FileLock, Timeout  # noqa: PLC0415

    lock = FileLock(path, thread_local=False)
    try:
        lock.acquire(timeout=timeout_ms / 1000, poll_interval=_POLL_SECONDS)
    except Timeout:
        return None
    return HeldLock(lock)
