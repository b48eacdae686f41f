"""Rename over a file that others may have open.

Implements docs/design/systems.md "Files that others have open". Virus scanners, indexers, Unity and
IDEs open files just after a write. So a step that Windows refuses is repeated for a bounded time.
After that, the error names the program that has the file open.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from snippet_engine.storage.system.windows_files import is_held, names_of_holders

PATIENCE_S = 1.0
"""How long to wait for a file that others have open, in seconds."""

_FIRST_PAUSE_S = 0.005
_LONGEST_PAUSE_S = 0.1

_ERROR_ACCESS_DENIED = 5
_ERROR_SHARING_VIOLATION = 32
_ERROR_LOCK_VIOLATION = 33
_ERROR_USER_MAPPED_FILE = 1224
_PASSING = frozenset({_ERROR_SHARING_VIOLATION, _ERROR_LOCK_VIOLATION, _ERROR_USER_MAPPED_FILE})
"""Windows' error codes for a file that somebody else has open."""

_EITHER = frozenset({_ERROR_ACCESS_DENIED, None})
"""Codes that can mean an open file or a file that may not be changed."""

_RELEASES = 4
"""How often the file may turn out to be closed when we look for the program that has it open."""

if sys.platform == "linux":
    import fcntl

StrPath = str | os.PathLike[str]
T = TypeVar("T")


class FileInUseError(OSError):
    """Other programs had a file open for the whole wait; ``holders`` are their names, if known."""

    def __init__(self, path: StrPath, holders: Sequence[str]) -> None:
        super().__init__(errno.EBUSY, "another program has it open", os.fspath(path))
        self.holders = tuple(holders)


def replace_file(source: StrPath, target: StrPath, **folders: Any) -> None:
    """Rename ``source`` over ``target`` atomically.

    ``folders`` are ``os.replace``'s ``src_dir_fd`` and ``dst_dir_fd``. Raise ``OSError``;
    :class:`FileInUseError` after :data:`PATIENCE_S`.
    """
    # Not Path's, which takes no open folders.
    patiently(lambda: os.replace(source, target, **folders), (target, source))  # noqa: PTH105


def rename_folder(source: StrPath, target: StrPath) -> None:
    """Rename the folder ``source`` to the new ``target``. Raise as :func:`replace_file`."""
    patiently(lambda: Path(source).rename(target), (source,))


def patiently(
    attempt: Callable[[], T],
    paths: Sequence[StrPath],
    *,
    windows: bool = sys.platform == "win32",
) -> T:
    """Repeat ``attempt`` as long as it fails because one of ``paths`` is open elsewhere."""
    pauses = _pauses()
    releases = 0
    while True:
        try:
            return attempt()
        except PermissionError as error:
            code = getattr(error, "winerror", None)
            if not windows or code not in _PASSING | _EITHER:
                raise
            if code in _EITHER and not any(map(is_held, paths)):
                releases += 1
                if releases > _RELEASES:
                    raise
            pause = next(pauses, None)
            if pause is None:
                held = next((path for path in paths if is_held(path)), paths[0])
                raise FileInUseError(held, names_of_holders(held)) from error
        time.sleep(pause)


@contextmanager
def at_rest(fd: int, name: StrPath) -> Iterator[None]:
    """Hold off other writers of the file ``name``, which ``fd`` reads; only Linux can.

    Raise :class:`FileInUseError` if it stays open, or somebody waits to open it at the end.
    """
    has_lease = sys.platform == "linux" and _take_lease(fd, name)
    yield
    if has_lease and fcntl.fcntl(fd, fcntl.F_GETLEASE) != fcntl.F_RDLCK:
        raise FileInUseError(name, ())


def _take_lease(fd: int, name: StrPath) -> bool:
    """Take a lease, which the system grants only while nobody writes the file."""
    # A signal announces a program that opens the file for writing; we use an ignored one.
    fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGURG)
    for pause in (*_pauses(), 0):
        try:
            fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        except OSError as error:
            if error.errno != errno.EAGAIN:
                return False
            time.sleep(pause)
        else:
            return True
    raise FileInUseError(name, ())


def _pauses() -> Iterator[float]:
    """Yield the pauses before further attempts, in seconds, longer and longer."""
    left, pause = PATIENCE_S, _FIRST_PAUSE_S
    while left > 0:
        yield min(pause, left)
        left -= pause
        pause = min(2 * pause, _LONGEST_PAUSE_S)
