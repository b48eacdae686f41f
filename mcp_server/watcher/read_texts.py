"""Find the scripts below ``Assets`` and ``Packages``, and keep their texts as they were read.

Links are not followed. Their targets within the project are found at their real paths. A changed
stamp means that a script may have another text. A hook may have read an earlier text. Lives on the
watcher's thread.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from mcp_server.watcher.known_texts import Known, KnownTexts, Stamp
from snippet_engine.source_text import MAX_FILE_BYTES, content_hash
from snippet_engine.storage.paths.project import FileSnapshot, Project
from snippet_engine.storage.paths.request_path import SCRIPT_ROOTS
from snippet_engine.storage.stores.outside_changes import OutsideChanges
from snippet_engine.storage.system.names import real_path, within_reach

SUFFIX = ".cs"

MAX_SCRIPTS = 100_000


@dataclass(frozen=True, slots=True)
class ScriptFile:
    """A script's project-relative path and its stamp."""

    path: str
    stamp: Stamp


def stamp_of(status: os.stat_result) -> Stamp:
    """Return a file's stamp. Every write changes at least one of its values."""
    return (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)


class ScriptFiles:
    """Finds the scripts of one project. Keeps only the real paths of the watched folders."""

    def __init__(self, project: Path) -> None:
        self._project = project
        self.roots: dict[str, str] = {}
        """The real path of each watched folder, by its name."""
        self._found: dict[str, tuple[int, int]] = {}
        self.find_roots()

    def find_roots(self) -> bool:
        """Look up the watched folders. Return whether one is new or was replaced by another."""
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
        """Return whether the watched folder of a script is missing, as on a removed drive."""
        return not os.path.isdir(self.place(path.partition("/")[0]))

    def folders(self, below: str | None = None) -> Iterator[list[ScriptFile]]:
        """Yield the scripts of each readable folder, or only of those at or below ``below``.

        Stops after :data:`MAX_SCRIPTS` scripts.
        """
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
                    # The listing's status won't do: on Windows it has no inode.
                    stamp = self.stamp(path)
                    if stamp is not None:
                        found.append(ScriptFile(path, stamp))
            count += len(found)
            yield found

    def stamp(self, path: str) -> Stamp | None:
        """Return a script's stamp; ``None`` if it is missing, not a plain file, or too large."""
        try:
            status = os.lstat(self.place(path))
        except (OSError, ValueError):
            return None
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_FILE_BYTES:
            return None
        return stamp_of(status)

    def place(self, path: str) -> str:
        """Return the real path of a project-relative path."""
        root, _, inside = path.partition("/")
        base = self.roots.get(root, str(self._project / root))
        return within_reach(f"{base}{os.sep}{inside.replace('/', os.sep)}" if inside else base)

    def relative(self, place: str) -> str | None:
        """Return the project-relative path of a real path; ``None`` if the path isn't watched."""
        for root, base in self.roots.items():
            if place.startswith(base) and place[len(base) : len(base) + 1] in ("/", os.sep):
                names = place[len(base) + 1 :].replace(os.sep, "/").split("/")
                return None if any(map(is_ignored, names)) else "/".join((root, *names))
        return None


def is_ignored(name: str) -> bool:
    """Return whether Unity ignores a file or folder of this name."""
    return name.startswith(".") or name.endswith("~")


_SURE_NS = 2_000_000_000
_MODE = 0o100644
_COMPLETE = "complete"


class ReadTexts:
    """The texts of one project's scripts as they were last read."""

    def __init__(
        self, project: Project, texts: KnownTexts, files: ScriptFiles, outside: OutsideChanges
    ) -> None:
        self._project = project
        self._texts = texts
        self._files = files
        self._outside = outside
        self._first_read: dict[str, str] = {}
        """The hash of each script at its first read. A hook may have read it earlier."""
        self._seen_s: dict[str, float] = {}
        self.all_seen_s = 0.0
        """When the last look at all stamps began, as of ``time.time``."""

    @property
    def knows_all(self) -> bool:
        """Return whether every script was read once, by this process or an earlier one."""
        return self._texts.meta(_COMPLETE) is not None

    def end_scan(self) -> None:
        """Note that every script was read."""
        self._texts.note(_COMPLETE, "1")

    def differs(self, path: str, stamp: Stamp | None = None) -> bool:
        """Return whether a script may have another text than the known one, judged by its stamp."""
        stamp = stamp or self._files.stamp(path)
        known = self._texts.get(path)
        if known is not None and stamp is not None:
            is_other = known.stamp != stamp or not known.is_sure
        else:
            is_other = (known is None) != (stamp is None)
        if is_other:
            # Store the time now, because the next look at all stamps would change it.
            self._seen_s.setdefault(path, self.seen_at(path))
        return is_other

    def read_first(self, path: str) -> None:
        """Read a script for the first time. Its text before is unknown."""
        at_s, script = time.time(), self._project.named(path)
        now = None if script is None else script.read()
        if isinstance(now, FileSnapshot):
            self.learn(path, now, at_s)
            self._first_read[path] = content_hash(now.data)

    def learn_noted(self, path: str, before: bytes | None, call_s: float) -> None:
        """Learn the text that a hook read before this process first read the script.

        Does nothing if the script was known earlier, or has changed since the first read.
        """
        known = self._texts.get(path)
        is_later = known is not None and self._first_read.get(path) == known.hash
        is_later = is_later and call_s < self.seen_at(path)
        if before is not None and (is_later or (known is None and not self.knows_all)):
            self._first_read.pop(path, None)
            never = (0, 0, len(before), 0)
            known = Known(content_hash(before), never, False, (_MODE, 0, 0), call_s)
            self._texts.learn(path, known, before)
            self._seen_s[path] = 0.0  # The hook doesn't say when the text was last there.

    def seen_at(self, path: str) -> float:
        """Return when a script was last seen with its known text, as of ``time.time``.

        Until all stamps were looked at once, this is when an earlier process learnt the text.
        """
        if path in self._seen_s:
            return self._seen_s[path]
        known = self._texts.get(path)
        return max(self.all_seen_s, 0.0 if known is None else known.learnt_s)

    def learn(self, path: str, snapshot: FileSnapshot, at_s: float) -> None:
        """Learn a script's text and stamp, which were read at ``at_s`` or later."""
        stamp, hashed, now = stamp_of(snapshot.status), content_hash(snapshot.data), time.time()
        known = self._texts.get(path)
        is_new = known is None or known.hash != hashed
        status = snapshot.status
        # A stamp with a time in the future is sure, too: a later write has another time.
        is_sure = abs(now * 1e9 - max(stamp[0], stamp[1])) > _SURE_NS
        learnt_s = at_s if is_new or known is None else known.learnt_s
        learnt = Known(
            hashed, stamp, is_sure, (status.st_mode, status.st_uid, status.st_gid), learnt_s
        )
        self._seen_s[path] = at_s
        if learnt != known:
            self._texts.learn(path, learnt, snapshot.data if is_new else None)
        self._outside.seen(path, hashed, at_s)

    def forget(self, path: str, at_s: float) -> None:
        """Note that a script was missing at ``at_s`` or later."""
        self._texts.forget(path)
        self._seen_s[path] = at_s
        self._outside.seen(path, None, at_s)

    def no_longer_first(self, path: str) -> None:
        """Note that a script has changed since its first read."""
        self._first_read.pop(path, None)
