"""Look at files: what tells their contents apart, why one can't be read, and their text."""

from __future__ import annotations

import errno
import os
import re
import stat
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterable
from pathlib import Path
from time import time_ns
from typing import Final

from snippet_engine.storage.os_failure import reason_of
from snippet_engine.storage.system.plain_file import NotARegularFileError, read_plain

Stamp = tuple[int, int, int, int]
"""When a file was written, its size, when it was changed at all, and its number."""


def stamp_of(path: str | os.PathLike[str]) -> Stamp | None:
    """What tells one content of a file from another, cheaply; ``None`` where there is no file.

    A tool can set the time of writing; the other ones it can't.
    """
    try:
        status = os.stat(path)  # noqa: PTH116 - asked for often, and paths are slow to make
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ctime_ns, status.st_ino


def is_gone(path: str | os.PathLike[str]) -> bool:
    """Whether there is no such file; what can't be looked at may be there."""
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116 - asked for often
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return True
    except OSError:
        return False


def why_unreadable(path: Path | str) -> str | None:
    """Why a file can't be read, in words; ``None`` if it can, or there is none.

    What a link should lead to is none: somebody meant it to be there.
    """
    try:
        read_plain(path, 0)
    except (FileNotFoundError, NotADirectoryError):
        return NOWHERE if leads_nowhere(path) else None
    except (IsADirectoryError, ValueError):
        return None
    except NotARegularFileError:
        return NO_PLAIN_FILE
    except OSError as error:
        # Windows opens no folder, and says that it may not.
        return None if os.path.isdir(path) else reason_of(error).lower()
    return None


def leads_nowhere(path: Path | str) -> bool:
    """Whether a link is there, and nothing that it leads to."""
    return os.path.lexists(path) and not os.path.exists(path)


NOWHERE: Final = "its link leads nowhere"
NO_PLAIN_FILE: Final = "it is no plain file"


def is_plain_file(path: Path | str) -> bool:
    """Whether there is a file that ends: no pipe and no device, which readers wait for."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116 - asked for often
    except (OSError, ValueError):
        return False


def bounded_text(path: Path | str, limit: int = 64 * 1024) -> str:
    """The first ``limit`` bytes of a file's text; nothing where there is no plain file.

    UTF-8, or UTF-16 with its mark, as the compiler reads it, and some shells write it. A checkout
    on Windows has CRLF: lines end with LF here, whatever they end with there.
    """
    try:
        data = plain_bytes(path, limit)
    except (OSError, ValueError):
        return ""
    codec = "utf-16" if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8-sig"
    return data.decode(codec, "replace").replace("\r\n", "\n")


def is_unmerged(text: str) -> bool:
    """Whether a merge that met conflicts has left its marks."""
    return re.search(r"^(?:<{7}|>{7}) ", text, re.MULTILINE) is not None


def relative_to(root: Path, path: str) -> str:
    """A path as it is told from the project's folder; one on another drive of Windows as it is."""
    try:
        return os.path.relpath(path, root).replace(os.sep, "/")
    except ValueError:
        return path.replace("\\", "/")


def plain_bytes(path: Path | str, limit: int) -> bytes:
    """The first ``limit`` bytes of a file. Raises ``OSError``, also for what is no plain file."""
    try:
        return read_plain(path, limit)
    except (IsADirectoryError, NotARegularFileError):
        raise OSError(errno.EINVAL, "no plain file") from None


def modified_ns(path: Path | str) -> int:
    """When a file was last written, in nanoseconds; 0 where there is none."""
    stamp = stamp_of(path)
    return stamp[0] if stamp is not None else 0


_UNSETTLED_NS = 2_000_000_000
"""What changed so shortly before it was looked at may change again without a newer time."""

_SECOND_NS = 1_000_000_000

_ARE_TIMES_OF_CHANGES = os.name == "posix"
"""Windows tells here when a file was made."""

_Seen = tuple[int, int, int, int, int]


class ScriptStamps:
    """What was seen of files, and when. ``now_ns`` is the clock, for tests.

    ``is_time_enough`` is for libraries, which take too long to read for each question.
    """

    def __init__(
        self, now_ns: Callable[[], int] = time_ns, *, is_time_enough: bool = False
    ) -> None:
        self._now_ns = now_ns
        self._is_time_enough = is_time_enough
        self._seen: dict[str, _Seen | None] = {}

    def doubtful(self, paths: Iterable[str]) -> list[str]:
        """Those of ``paths`` that may have changed since they were last asked about; at first all.

        Of the others nothing is known any more.
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
    """What tells that a file is as it was, with the time now: what proves it. ``None`` if nothing
    does, or there is none."""
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
