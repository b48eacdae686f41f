"""Look up the project's files by word and by GUID."""

from __future__ import annotations

import hashlib
import os
import time
from typing import TYPE_CHECKING

from unity_assets.index import kept
from unity_assets.index.contents import (
    DIGEST,
    LARGEST_FILE,
    TOO_LARGE,
    UNREADABLE,
    Content,
    read_content,
    words_of,
)
from unity_assets.index.kept import Record
from unity_assets.index.project_files import (
    META,
    OUTSIDE,
    ProjectFile,
    packages_outside,
    project_files,
)
from unity_assets.results import StoppedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

RACY = 2_000_000_000
"""Nanoseconds: a file read so soon after a write may change without new times."""


class ProjectIndex:
    """The files of a project, as they were at the last ``refresh``."""

    def __init__(
        self, root: Path, cache_folder: Path | None, clock: Callable[[], int] = time.time_ns
    ) -> None:
        self._clock = clock
        self._root = root
        self._cache_folder = cache_folder
        self._records: dict[str, Record] | None = None
        self.paths_by_guid: dict[str, list[str]] = {}
        self.guids: dict[str, str] = {}

    def refresh(
        self,
        progress: Callable[[int, int], None] = lambda _done, _all: None,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """Read the files that have changed; ``progress`` gets the bytes done and the total."""
        first = self._records is None
        before = kept.load(self._cache_folder) if self._records is None else self._records
        files = list(project_files(os.fspath(self._root), should_stop))
        if should_stop():
            raise StoppedError
        changed = [each for each in files if not _is_same(before.get(each.path), each)]
        if not first and not changed and len(files) == len(before):
            return
        total = sum(max(0, each.size) for each in changed)
        done = 0
        records = {each.path: before[each.path] for each in files if each.path in before}
        for each in changed:
            if should_stop():
                break
            records[each.path] = self._read(each, before.get(each.path))
            done += max(0, each.size)
            progress(done, total)
        self._records = records
        is_new = records.keys() != before.keys() or any(
            records[each.path] != before[each.path] for each in changed if each.path in records
        )
        if is_new:
            kept.save(self._cache_folder, records)
        if first or is_new:
            self._arrange(records)
        if should_stop():
            raise StoppedError

    def problems(self) -> list[tuple[str, str]]:
        """Return the files and packages that can't be searched, each with the reason."""
        outside = [(folder, OUTSIDE) for folder in packages_outside(self._root)]
        records = self._all_records().items()
        return [*outside, *((path, each.problem) for path, each in records if each.problem)]

    def paths(self) -> list[str]:
        """Return every file that is known."""
        return list(self._all_records())

    def with_word(self, word: bytes) -> set[str]:
        """Return all files whose bytes have ``word``, and perhaps some others."""
        found = list(self._all_records().items())
        for part in words_of(word):
            sought = b"\n" + part + b"\n"
            found = [(path, each) for path, each in found if sought in each.words]
        return {path for path, _ in found}

    def with_any(self, words: Iterable[bytes]) -> set[str]:
        """Return the files that may have one of the words."""
        return set().union(*(self.with_word(each) for each in words))

    def with_guid(self, guid: str) -> set[str]:
        """Return the files that may name a GUID."""
        return self.with_word(guid.encode())

    def _all_records(self) -> dict[str, Record]:
        return self._records or {}

    def _arrange(self, records: dict[str, Record]) -> None:
        self.guids = {
            path.removesuffix(META): each.guid for path, each in records.items() if each.guid
        }
        self.paths_by_guid = {}
        for path, guid in self.guids.items():
            self.paths_by_guid.setdefault(guid, []).append(path)

    def _read(self, file: ProjectFile, before: Record | None) -> Record:
        now = self._clock()
        content = self._content(file, before)
        is_racy = now - max(file.times) < RACY
        times = (0, 0) if is_racy else file.times
        return Record(
            file.size, times, content.digest, content.problem, content.guid, content.words
        )

    def _content(self, file: ProjectFile, before: Record | None) -> Content:
        if file.size < 0:
            return Content(b"", b"\n", UNREADABLE)
        if file.size > LARGEST_FILE:
            return Content(b"", b"\n", TOO_LARGE)
        try:
            with (self._root / file.path).open("rb") as opened:
                if before is not None and before.size == file.size:
                    # Often only the times are new: after a checkout, or just after a write.
                    if hashlib.file_digest(opened, DIGEST).digest() == before.digest:
                        return Content(before.digest, before.words, before.problem, before.guid)
                    opened.seek(0)
                return read_content(opened, file.path)
        except OSError as error:
            return Content(b"", b"\n", f"{UNREADABLE}: {error.strerror}")


def _is_same(record: Record | None, file: ProjectFile) -> bool:
    return record is not None and (record.size, record.times) == (file.size, file.times)
