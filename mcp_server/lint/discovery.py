"""Which bundles are to be checked: those named, those in folders, and a shard's share of them.

Implements docs/design/command-line.md ``lint``: files ``*.snippet.json`` or folders of them, and
``--shard I/N`` with parts that are disjoint, complete and stable.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mcp_server.lint.bundle import BundleFile
from mcp_server.lint.findings import FILE_START, BundleReport, Finding
from mcp_server.lint.rules import UNREADABLE

SUFFIX = ".snippet.json"

_GENERATED = ("Library", "Temp")
"""Folders of a Unity project that Unity makes, with very many files."""


@dataclass(frozen=True, slots=True)
class Shard:
    """The ``index``-th of ``count`` parts, counted from one."""

    index: int
    count: int

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    @classmethod
    def parse(cls, text: str) -> Shard | None:
        """``2/8``, or ``None`` for what is no shard."""
        index, slash, count = text.partition("/")
        numbers = [part for part in (index, count) if part.isascii() and part.isdigit()]
        if not slash or len(numbers) < 2 or max(map(len, numbers)) > 9:
            return None
        shard = cls(int(index), int(count))
        return shard if 1 <= shard.index <= shard.count else None

    def holds(self, name: str) -> bool:
        """Whether the bundle of that name is in this part.

        Decided by the name alone, so that a bundle that comes or goes moves no other one.
        """
        digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).digest()
        return int.from_bytes(digest[:8], "big") % self.count == self.index - 1


@dataclass(frozen=True, slots=True)
class Found:
    """Bundles in the order of their names, and reports on folders that can't be looked into."""

    bundles: tuple[BundleFile, ...]
    unreadable: tuple[BundleReport, ...]


def find_bundles(
    paths: Sequence[Path], *, shown_from: Path, named_from: Path, shard: Shard | None = None
) -> Found:
    """The bundles at ``paths``, each once; a file that is named is taken whatever its name.

    They are shown relative to ``shown_from``. A shard goes by names relative to
    ``named_from``, which are the same on every machine that has checked the same tree out.
    """
    failures: list[OSError] = []
    by_real_path: dict[str, Path] = {}
    for path in paths:
        for file in _files(path, failures):
            by_real_path.setdefault(os.path.realpath(file), file)
    base = os.path.realpath(named_from)
    bundles = sorted(
        (
            BundleFile(file, shown(file, shown_from))
            for real, file in by_real_path.items()
            if shard is None or shard.holds(_relative(real, base))
        ),
        key=lambda bundle: bundle.shown,
    )
    unreadable = [_unreadable(error, shown_from) for error in failures]
    return Found(tuple(bundles), tuple(unreadable))


def shown(path: Path, start: Path) -> str:
    """``path`` as messages name it: relative to ``start`` where that is below it."""
    absolute = Path(os.path.abspath(path))  # noqa: PTH100 - links stay as they were named
    base = Path(os.path.abspath(start))  # noqa: PTH100
    inside = absolute.is_relative_to(base)
    name = (absolute.relative_to(base) if inside else path).as_posix()
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def repository_root(start: Path) -> Path:
    """The nearest folder at or above ``start`` that holds ``.git``; else ``start``."""
    return next((each for each in (start, *start.parents) if os.path.lexists(each / ".git")), start)


def _files(path: Path, failures: list[OSError]) -> Iterator[Path]:
    if not os.path.isdir(path):  # noqa: PTH112 - False also for what may not be looked at
        yield path
        return
    for folder, inner, files in os.walk(path, onerror=failures.append):
        inner[:] = _worth_a_look(inner)
        yield from (Path(folder, name) for name in files if name.endswith(SUFFIX))


def _unreadable(error: OSError, shown_from: Path) -> BundleReport:
    folder = shown(Path(str(error.filename)), shown_from)
    message = f"is a folder that can't be looked into: {os.strerror(error.errno or 0)}"
    return BundleReport(folder, 0, (Finding(folder, "$", FILE_START, UNREADABLE, message),))


def _worth_a_look(inner: Sequence[str]) -> list[str]:
    left_out = {".git"}
    if "ProjectSettings" in inner:
        left_out.update(_GENERATED)
    return [name for name in inner if name not in left_out]


def _relative(real: str, base: str) -> str:
    try:
        return Path(os.path.relpath(real, base)).as_posix()
    except ValueError:  # on Windows: another drive
        return Path(real).as_posix()
