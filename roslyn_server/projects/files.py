"""Look at files: whether they changed, why one can't be read, and their text."""

from __future__ import annotations

import errno
import json
import os
import re
import stat
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterable
from pathlib import Path
from time import time_ns
from typing import Any, Final, Generic, TypeVar

from snippet_engine.storage.os_failure import reason_of
from snippet_engine.storage.system.plain_file import NotARegularFileError, read_plain

T = TypeVar("T")

Stamp = tuple[int, int, int, int]
"""Modification time, size, change time and inode number."""


def stamp_of(path: str | os.PathLike[str]) -> Stamp | None:
    """Return a value that changes with a file's content; ``None`` if there is no file.

    Tools can set the modification time, but not the other parts.
    """
    try:
        status = os.stat(path)  # noqa: PTH116 - asked for often, and paths are slow to make
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ctime_ns, status.st_ino


def is_missing(path: str | os.PathLike[str]) -> bool:
    """Return whether there is no such file; ``False`` if that can't be looked up."""
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116 - asked for often
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return True
    except OSError:
        return False


def why_unreadable(path: Path | str) -> str | None:
    """Return why a file can't be read; ``None`` if it can be, or doesn't exist.

    A dangling link counts as unreadable, because someone intended a file there.
    """
    try:
        read_plain(path, 0)
    except (FileNotFoundError, NotADirectoryError):
        return DANGLING_LINK if is_dangling_link(path) else None
    except (IsADirectoryError, ValueError):
        return None
    except NotARegularFileError:
        return NO_PLAIN_FILE
    except OSError as error:
        # Windows refuses to open a folder, with a permission error.
        return None if os.path.isdir(path) else reason_of(error).lower()
    return None


def is_dangling_link(path: Path | str) -> bool:
    """Return whether the path is a dangling link."""
    return os.path.lexists(path) and not os.path.exists(path)


DANGLING_LINK: Final = "its link leads nowhere"
NO_PLAIN_FILE: Final = "it is no plain file"


def is_plain_file(path: Path | str) -> bool:
    """Return whether it is a regular file; a reader may wait for a pipe or device forever."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116 - asked for often
    except (OSError, ValueError):
        return False


def bounded_text(path: Path | str, limit: int = 64 * 1024) -> str:
    """Return the first ``limit`` bytes of a file as text; ``""`` if it is no regular file.

    Decodes UTF-8, or UTF-16 with a byte order mark, as the compiler does. Lines end with LF.
    """
    try:
        data = plain_bytes(path, limit)
    except (OSError, ValueError):
        return ""
    codec = "utf-16" if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8-sig"
    return data.decode(codec, "replace").replace("\r\n", "\n")


def is_unmerged(text: str) -> bool:
    """Return whether the text has conflict markers."""
    return re.search(r"^(?:<{7}|>{7}) ", text, re.MULTILINE) is not None


def relative_to(root: Path, path: str) -> str:
    """Return a path relative to the project; as it is if it lies on another Windows drive."""
    try:
        return os.path.relpath(path, root).replace(os.sep, "/")
    except ValueError:
        return path.replace("\\", "/")


def plain_bytes(path: Path | str, limit: int) -> bytes:
    """Return the first ``limit`` bytes of a file. Raises ``OSError``, also if it is no regular
    file."""
    try:
        return read_plain(path, limit)
    except (IsADirectoryError, NotARegularFileError):
        raise OSError(errno.EINVAL, "no plain file") from None


def modified_ns(path: Path | str) -> int:
    """Return a file's modification time in nanoseconds; 0 if there is none."""
    stamp = stamp_of(path)
    return stamp[0] if stamp is not None else 0


class Remembered(Generic[T]):
    """A value for each key, made again when its inputs change."""

    def __init__(self) -> None:
        self._known: dict[object, tuple[object, T]] = {}

    def get(self, made_from: object, make: Callable[[], T], key: object = None) -> T:
        """Return the value kept for ``key`` if ``made_from`` is unchanged; else a new one."""
        known = self._known.get(key)
        if known is None or known[0] != made_from:
            known = self._known[key] = made_from, make()
        return known[1]


def json_object(text: str) -> tuple[dict[str, Any], str]:
    """Return the JSON object in a text and ``""``, or an empty object and the text's fault."""
    try:
        content: Any = json.loads(text)
    except json.JSONDecodeError as error:
        return {}, f"isn't valid JSON ({error.lineno}:{error.colno}: {error.msg})"
    except (ValueError, RecursionError):
        return {}, "isn't valid JSON"
    return (content, "") if isinstance(content, dict) else ({}, "isn't a JSON object (1:1)")


_UNSETTLED_NS = 2_000_000_000
"""A file changed this shortly before it was read may change again within its time's precision."""

_SECOND_NS = 1_000_000_000

_ARE_TIMES_OF_CHANGES = os.name == "posix"
"""On Windows ``st_ctime`` is the creation time."""

_Seen = tuple[int, int, int, int, int]


class ScriptStamps:
    """Remembers files' stamps.

    ``now_ns`` is the clock, for tests. ``is_time_enough`` trusts modification times, for libraries,
    which are slow to read.
    """

    def __init__(
        self, now_ns: Callable[[], int] = time_ns, *, is_time_enough: bool = False
    ) -> None:
        self._now_ns = now_ns
        self._is_time_enough = is_time_enough
        self._seen: dict[str, _Seen | None] = {}

    def possibly_changed(self, paths: Iterable[str]) -> list[str]:
        """Return the ``paths`` that may have changed since the last call; at first, all.

        Forgets all other paths.
        """
        seen, found = {}, []
        now_ns = self._now_ns()
        for path in paths:
            stamp = seen[path] = _seen(path, None if self._is_time_enough else now_ns)
            if stamp is None or self._seen.get(path) != stamp:
                found.append(path)
        self._seen = seen
        return found


def _seen(path: str, now_ns: int | None) -> _Seen | None:
    """Return a stamp that changes with the file; ``None`` if no stamp is reliable now."""
    try:
        status = os.stat(path)  # noqa: PTH116 - of each script, at each question
    except OSError:
        return None
    changed_ns = status.st_ctime_ns
    if now_ns is not None:
        is_fine = bool(changed_ns % _SECOND_NS) and bool(status.st_ino)
        if not is_fine or not _ARE_TIMES_OF_CHANGES or now_ns - changed_ns < _UNSETTLED_NS:
            return None
    return changed_ns, status.st_mtime_ns, status.st_size, status.st_ino, status.st_dev
