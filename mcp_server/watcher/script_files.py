"""The scripts below ``Assets`` and ``Packages``, with their stamps, as Unity takes them.

Links are not followed: what they lead to within the project is found where it really is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
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
    """Return what differs once a file was written."""
    return (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)


class ScriptFiles:
    """Finds the scripts of one project. Keeps nothing but where its folders really are."""

    def __init__(self, project: Path) -> None:
        self._project = project
        self.roots = {
            root: real_path(str(project / root))
            for root in SCRIPT_ROOTS
            if (project / root).is_dir()
        }
        """The real path of each folder that is watched, by its name."""

    def folders(self, below: str | None = None) -> Iterator[list[ScriptFile]]:
        """Yield the scripts of each folder, or of those below one. Raise ``OSError`` if one can't
        be read.
        """
        waiting = [below] if below is not None else list(self.roots)
        count = 0
        while waiting and count < MAX_SCRIPTS:
            folder = waiting.pop()
            found: list[ScriptFile] = []
            try:
                listing = os.scandir(self.place(folder))
            except (FileNotFoundError, NotADirectoryError):
                continue
            with listing:
                for entry in listing:
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
        if status.st_mode & 0o170000 != 0o100000 or status.st_size > MAX_FILE_BYTES:
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
