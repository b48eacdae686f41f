"""Find the bundles to check: named files, bundles in folders, and the part of a shard.

Implements docs/design/command-line.md ``lint``: files ``*.snippet.json`` or folders of them, and
``--shard I/N`` with parts that are disjoint, complete and stable.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from mcp_server.bundles.bundle import BundleFile
from mcp_server.bundles.findings import (
    FILE_START,
    MISSPELT_NAME,
    NO_BUNDLES,
    NO_PROJECT,
    UNREADABLE,
    BundleReport,
    Finding,
    Level,
)
from mcp_server.calls.project import find_project
from snippet_engine.storage.os_failure import reason_of

SUFFIX = ".snippet.json"

_LEAST_LIKENESS = 0.86
"""A file's ending at least this similar to :data:`SUFFIX` counts as misspelt."""

_GENERATED = ("Library", "Temp")
"""Folders that Unity generates in a project, with very many files. They are not searched."""


@dataclass(frozen=True, slots=True)
class Shard:
    """The ``index``-th of ``count`` parts, counted from one."""

    index: int
    count: int

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    @classmethod
    def parse(cls, text: str) -> Shard | None:
        """Parse ``2/8``; return ``None`` for anything else."""
        index, slash, count = text.partition("/")
        numbers = [part for part in (index, count) if part.isascii() and part.isdigit()]
        if not slash or len(numbers) < 2 or max(map(len, numbers)) > 9:
            return None
        shard = cls(int(index), int(count))
        return shard if 1 <= shard.index <= shard.count else None

    def holds(self, bundle: BundleFile, project: Path) -> bool:
        """Return whether this part has the bundle with that path in its project.

        Only the path decides. So a bundle is in the same part on every machine, whatever other
        bundles there are.
        """
        real, base = os.path.realpath(bundle.path), os.path.realpath(project)
        try:
            name = Path(os.path.relpath(real, base)).as_posix()
        except ValueError:  # on Windows: another drive
            name = Path(real).as_posix()
        digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).digest()
        return int.from_bytes(digest[:8], "big") % self.count == self.index - 1


@dataclass(frozen=True, slots=True)
class Found:
    """The bundles and reports found at the given paths."""

    bundles: tuple[BundleFile, ...]
    """The bundles, sorted by name."""
    reports: tuple[BundleReport, ...]
    """One report for each unreadable or empty folder, and for each misspelt file name."""


def find_bundles(
    paths: Sequence[Path],
    *,
    shown_from: Path,
    as_named: bool = False,
    allow_empty: bool = False,
) -> Found:
    """Return the bundles and reports at ``paths``, each once; a named file may have any name.

    They are shown relative to ``shown_from``. With ``as_named`` they keep the order of ``paths``,
    and those of one folder are sorted by name. With ``allow_empty`` a folder without a bundle is a
    warning, not an error.
    """
    reports: list[BundleReport] = []
    by_real_path: dict[str, tuple[int, str, Path]] = {}
    for rank, path in enumerate(paths):
        search = _Search(path, shown_from, Level.WARNING if allow_empty else Level.ERROR)
        reports += search.reports
        for real_path, file in search.files.items():
            by_real_path.setdefault(real_path, (rank if as_named else 0, file.shown, file.path))
    bundles = sorted(by_real_path.values())
    found = tuple(BundleFile(file, name) for _, name, file in bundles)
    once = {(each.file, *(finding.code for finding in each.findings)): each for each in reports}
    return Found(found, tuple(once.values()))


def projects_of(bundles: Sequence[BundleFile], here: Path) -> dict[Path | None, list[BundleFile]]:
    """Group the bundles by the project around each, or else by the project around ``here``."""
    around_here = find_project(here)
    known: dict[Path, Path | None] = {}
    found: dict[Path | None, list[BundleFile]] = {}
    for bundle in bundles:
        folder = Path(os.path.normpath(here / bundle.path)).parent
        if folder not in known:
            known[folder] = find_project(folder)
        found.setdefault(known[folder] or around_here, []).append(bundle)
    return found


def not_checked(bundle: BundleFile) -> BundleReport:
    """Return the report on a bundle outside of every Unity project."""
    message = "lies in no Unity project, so it isn't checked: name its project with --project"
    finding = Finding(bundle.shown, "$", FILE_START, NO_PROJECT, message)
    return BundleReport(bundle.shown, 0, (finding,))


def shown(path: Path, start: Path) -> str:
    """Return ``path`` as messages name it: relative to ``start`` if it is below that."""
    absolute = Path(os.path.abspath(path))  # noqa: PTH100 - links keep their names
    base = Path(os.path.abspath(start))  # noqa: PTH100
    inside = absolute.is_relative_to(base)
    return _printable((absolute.relative_to(base) if inside else path).as_posix())


def _printable(name: str) -> str:
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def repository_root(start: Path) -> Path:
    """Return the nearest folder at or above ``start`` with a ``.git``; without one, ``start``."""
    return next((each for each in (start, *start.parents) if os.path.lexists(each / ".git")), start)


class _Search:
    """Collects the bundles at one path, by real path, and reports on its other files."""

    def __init__(self, path: Path, shown_from: Path, if_empty: Level) -> None:
        self._shown_from = shown_from
        self.files: dict[str, BundleFile] = {}
        self.reports: list[BundleReport] = []
        if not os.path.isdir(path):  # False also for what can't be read
            self.files[os.path.realpath(path)] = BundleFile(path, shown(path, shown_from))
            return
        for folder, inner, names in os.walk(path, onerror=self._note_failure):
            skipped = {".git", *(_GENERATED if "ProjectSettings" in inner else ())}
            inner[:] = [name for name in inner if name not in skipped]
            # Resolved once a folder: it may hold thousands of bundles.
            real_folder = Path(os.path.realpath(folder))
            shown_folder = Path(shown(Path(folder), shown_from))
            for name in sorted(names):
                if name.endswith(SUFFIX):
                    file = Path(folder, name)
                    real = os.path.realpath(file) if file.is_symlink() else str(real_folder / name)
                    found = BundleFile(file, _printable((shown_folder / name).as_posix()))
                    self.files.setdefault(real, found)
                elif _seems_misspelt(name):
                    message = f"looks like a bundle, but isn't checked: name it *{SUFFIX}"
                    self._report(Path(folder, name), MISSPELT_NAME, message, Level.WARNING)
        if not self.files:
            message = f"is a folder without any bundle (*{SUFFIX})"
            message += "; to accept that: --allow-empty" if if_empty is Level.ERROR else ""
            self._report(path, NO_BUNDLES, message, if_empty)

    def _note_failure(self, error: OSError) -> None:
        message = f"is a folder that can't be read: {reason_of(error)}"
        self._report(Path(str(error.filename)), UNREADABLE, message)

    def _report(self, path: Path, code: str, message: str, level: Level = Level.ERROR) -> None:
        name = shown(path, self._shown_from)
        finding = Finding(name, "$", FILE_START, code, message, level)
        self.reports.append(BundleReport(name, 0, (finding,)))


def _seems_misspelt(name: str) -> bool:
    """Return whether the name's ending is a misspelt :data:`SUFFIX`, such as ``.snipet.json``."""
    if name.count(".") < 2:
        return False
    end = "." + ".".join(name.rsplit(".", 2)[1:])
    return SequenceMatcher(None, end.casefold(), SUFFIX).ratio() >= _LEAST_LIKENESS
