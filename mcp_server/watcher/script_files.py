"""The scripts below ``Assets`` and ``Packages``, with their stamps, as Unity takes them.

Links are not followed: their targets within the project are found where they really are.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from mcp_server.watcher.known_texts import Stamp
from snippet_engine.source_text import MAX_FILE_BYTES
from snippet_engine.storage.paths.request_path import SCRIPT_ROOTS
from snippet_engine.storage.system.long_paths import real_path, within_reach

SUFFIX = ".cs"

MAX_SCRIPTS = 100_000
"""Most scripts that are watched."""


@dataclass(frozen=True, slots=True)
class ScriptFile:
    """A script's project-relative path and its stamp."""

    path: str
    stamp: Stamp


def stamp_of(status: os.stat_result) -> Stamp:
    """Return the values of a file's status that differ once it was written."""
    return (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)


class ScriptFiles:
    """Finds the scripts of one project. Keeps nothing but where its folders really are."""

    def __init__(self, project: Path) -> None:
        self._project = project
        self.roots: dict[str, str] = {}
        """The real path of each folder that is watched, by its name."""
        self._found: dict[str, tuple[int, int]] = {}
        self.find_roots()

    def find_roots(self) -> bool:
        """Look where the folders are; return whether one is new, or another than before."""
        before, self._found = self._found, {}
        for root in SCRIPT_ROOTS:
            with suppress(OSError):
                status = (self._project / root).stat()
                if stat.S_ISDIR(status.st_mode):
                    self._found[root] = status.st_dev, status.st_ino
                    if self._found[root] != before.get(root):
                        self.roots[root] = real_path(str(self._project / root))
        return not self._found.items() <= before.items()

    def is_away(self, path: str) -> bool:
        """Return whether the watched folder of a script is not there."""
        return not os.path.isdir(self.place(path.partition("/")[0]))

    def folders(self, below: str | None = None) -> Iterator[list[ScriptFile]]:
        """Yield the scripts of each readable folder; with ``below``, only of that folder and those
        in it."""
        waiting = [below] if below is not None else list(self.roots)
        count = 0
        while waiting and count < MAX_SCRIPTS:
            folder = waiting.pop()
            found: list[ScriptFile] = []
            try:
                with os.scandir(self.place(folder)) as listing:
                    entries = list(listing)
            except OSError:
                continue
            for entry in entries:
                if is_ignored(entry.name):
                    continue
                path = f"{folder}/{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(path)
                elif entry.name.endswith(SUFFIX) and entry.is_file(follow_symlinks=False):
                    # Not from the listing, which on Windows has no number.
                    stamp = self.stamp(path)
                    if stamp is not None:
                        found.append(ScriptFile(path, stamp))
            count += len(found)
            yield found

    def stamp(self, path: str) -> Stamp | None:
        """Return a script's stamp; ``None`` if it is gone, no plain file, or too large."""
        try:
            status = os.lstat(self.place(path))
        except (OSError, ValueError):
            return None
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_FILE_BYTES:
            return None
        return stamp_of(status)

    def place(self, path: str) -> str:
        """Return the real place of a project-relative path."""
        root, _, inside = path.partition("/")
        base = self.roots.get(root, str(self._project / root))
        return within_reach(f"{base}{os.sep}{inside.replace('/', os.sep)}" if inside else base)

    def relative(self, place: str) -> str | None:
        """Return the project-relative path of a real place; ``None`` if nothing there is
        watched.
        """
        for root, base in self.roots.items():
            if place.startswith(base) and place[len(base) : len(base) + 1] in ("/", os.sep):
                names = place[len(base) + 1 :].replace(os.sep, "/").split("/")
                return None if any(map(is_ignored, names)) else "/".join((root, *names))
        return None


def is_ignored(name: str) -> bool:
    """Return whether Unity imports nothing of that name."""
    return name.startswith(".") or name.endswith("~")
