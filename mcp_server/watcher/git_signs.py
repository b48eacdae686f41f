"""Find out whether git changes the files: ``HEAD`` has moved, or ``index.lock`` exists.

Git's index has the size and time of each file as git wrote it. So it shows whether git wrote a
file.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from struct import Struct

from snippet_engine.storage.system.names import real_path
from snippet_engine.storage.system.plain_file import read_plain

STALE_LOCK_S = 60.0
"""A lock older than this many seconds was left behind by a killed git."""

_CLOCK_STEP_S = 1.0
_MAX_BYTES = 64 * 1024
_TAIL_BYTES = 8 * 1024
_MAX_WORDS = 100
_MAX_INDEX_BYTES = 64 * 1024 * 1024
_NUMBERS = Struct(">10I")
"""The start of an index entry: change and modification time (s, ns each), ..., size."""
_STARTS = (62, 64, 74, 76)
"""Bytes from the start of an index entry to its name.

They are for hashes of 20 or 32 bytes, each without and with the extended flags.
"""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_CHANGES_NO_FILES = re.compile(r"commit(?! \(merge\))|branch|clone")


@dataclass(frozen=True, slots=True)
class Moved:
    """A move of ``HEAD`` that changes files. ``words`` is git's description."""

    words: str


class GitSigns:
    """The signs in one project's repository. Without a repository there are none."""

    def __init__(self, project: Path) -> None:
        self._top, self._folder = _git_folder(project)
        self._seen = self._head()

    @property
    def head(self) -> str:
        """Return what ``HEAD`` was at the last look, to be compared after a restart."""
        return self._seen

    def is_busy(self) -> bool:
        """Return whether git is writing now."""
        if self._folder is None:
            return False
        try:
            age_s = time.time() - os.lstat(self._folder / "index.lock").st_mtime
        except OSError:
            return False
        return -_CLOCK_STEP_S < age_s < STALE_LOCK_S

    def moved(self, since: float, before: str | None = None) -> Moved | None:
        """Return how ``HEAD`` moved since the last call, if files changed with it.

        A move before ``since`` (``time.time``) doesn't count. ``before`` is the :attr:`head` that
        an earlier process saw. If given, it replaces the last call and ``since``.
        """
        seen, now = self._seen if before is None else before, self._head()
        self._seen = now
        if self._folder is None or seen == now or not now:
            return None
        lines = self._log_lines()
        if not lines:
            is_near = self._changed_s("HEAD") >= since
            return Moved("HEAD moved") if is_near or before is not None else None
        if before is None and self._changed_s("logs/HEAD") < since:
            return None
        known = seen.rpartition(" ")[2]
        newer: list[_Line] = []
        for line in reversed(lines):
            if known and line.after == known and newer:
                break
            newer.append(line)
            if known and line.before == known and line.before != line.after:
                break
        for line in newer:
            if line.before != line.after and _CHANGES_NO_FILES.match(line.words) is None:
                return Moved(f"git {line.words}")
        return None

    def wrote(self, files: Mapping[str, os.stat_result | None]) -> set[str]:
        """Return the files that git was the last to write or remove, according to its index.

        ``files`` has each file's status by its absolute path, ``None`` if the file is gone. If the
        index can't be read, all files are returned.
        """
        index = b""
        if self._folder is not None:
            with suppress(OSError):
                index = read_plain(self._folder / "index", _MAX_INDEX_BYTES)
        if index[:4] != b"DIRC" or index[4:8] not in (b"\0\0\0\2", b"\0\0\0\3"):
            return set(files)
        assert self._top is not None
        top = real_path(str(self._top))
        return {
            place
            for place, status in files.items()
            if _is_as_in(index, os.path.relpath(place, top).replace(os.sep, "/"), status)
        }

    def _head(self) -> str:
        """Return the content of ``HEAD``, and the last commit in its log."""
        if self._folder is None:
            return ""
        text = _text(self._folder / "HEAD").strip()
        lines = self._log_lines()
        return f"{text} {lines[-1].after}" if lines else text

    def _log_lines(self) -> list[_Line]:
        assert self._folder is not None
        text = _text(self._folder / "logs" / "HEAD", tail=True)
        return [line for each in text.splitlines() if (line := _read_line(each)) is not None]

    def _changed_s(self, name: str) -> float:
        assert self._folder is not None
        try:
            return os.lstat(self._folder / name).st_mtime
        except OSError:
            return 0.0


@dataclass(frozen=True, slots=True)
class _Line:
    before: str
    after: str
    words: str


def _read_line(line: str) -> _Line | None:
    hashes, tab, words = line.partition("\t")
    before, _, rest = hashes.partition(" ")
    after = rest.partition(" ")[0]
    if not tab or not after:
        return None
    return _Line(before, after, _CONTROL.sub(" ", words)[:_MAX_WORDS].strip())


def _is_as_in(index: bytes, name: str, status: os.stat_result | None) -> bool:
    """Return whether a file is as the index records it, or is missing in both."""
    path = os.fsencode(name)
    at = index.find(path + b"\0")
    while at >= 0:
        if status is None:
            lengths = (int.from_bytes(index[at - each : at - each + 2]) & 0xFFF for each in (2, 4))
            if min(len(path), 0xFFF) in lengths:
                return False
        else:
            seconds, nanoseconds = divmod(status.st_mtime_ns, 1_000_000_000)
            for start in [each for each in _STARTS if each <= at]:
                found = _NUMBERS.unpack_from(index, at - start)
                is_time = found[2] == seconds & 0xFFFFFFFF and found[3] in (0, nanoseconds)
                if is_time and found[9] == status.st_size & 0xFFFFFFFF:
                    return True
        at = index.find(path + b"\0", at + 1)
    return status is None


def _git_folder(project: Path) -> tuple[Path | None, Path | None]:
    """Return the top of the work tree and its git folder; outside a repository ``None`` twice."""
    for folder in (project, *project.parents):
        place = folder / ".git"
        if place.is_dir():
            return folder, place
        if place.is_file():
            named = _text(place).partition("gitdir:")[2].strip()
            return (folder, folder / named) if named else (None, None)
    return None, None


def _text(path: Path, *, tail: bool = False) -> str:
    try:
        if not tail:
            data = read_plain(path, _MAX_BYTES)
        else:
            with path.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - _TAIL_BYTES))
                data = file.read(_TAIL_BYTES)
    except OSError:
        return ""
    return data.decode("utf-8", "replace")
