"""The text of each script at the last look, kept in ``Library/SnippetEngine/texts``.

One SQLite file has a row for each script, and each text once, compressed. It is written between
looks, so a killed process loses only what the next look finds again. A text is returned only if it
has the expected hash. So a damaged file makes texts unknown, never wrong.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from snippet_engine.source_text import MAX_FILE_BYTES, content_hash
from snippet_engine.storage.state_folder import StateFolder

PART = "texts"
FILE = "texts.db"

MAX_BYTES = 200 * 1024 * 1024
_LEVEL = 3
_BUSY_S = 2.0
_FORMAT = 1

Stamp = tuple[int, int, int, int]
"""A file's modification time and change time (ns), size (bytes) and inode number."""


@dataclass(frozen=True, slots=True)
class Known:
    """A script's hash and stamp at the last read."""

    hash: str
    stamp: Stamp
    is_sure: bool
    """Whether every later write changes the stamp. In the clock step after a write it may not."""
    status: tuple[int, int, int]
    """The file's mode, user and group."""
    learnt_s: float
    """When this hash was first read, as of ``time.time``."""


class KnownTexts:
    """The known texts of one project. Used on one thread only."""

    def __init__(self, project: Path, max_bytes: int = MAX_BYTES) -> None:
        self._state = StateFolder(project)
        self._library = project / "Library"
        self._max_bytes = max_bytes
        self._known: dict[str, Known] = {}
        self._uses: Counter[str] = Counter()
        self._sizes: dict[str, int] = {}
        self._total = 0
        self._changed: dict[str, bytes | None] = {}
        """The paths to write, each with its new text; ``None`` if there is no new text."""
        self._meta: dict[str, str] = {}
        self._meta_changed = False
        self.problem = ""
        """Why nothing can be stored on disk; empty if it can."""

    def load(self) -> None:
        """Read what an earlier process stored. An unreadable file is removed."""
        try:
            self._load()
        except (sqlite3.DatabaseError, OSError, ValueError, TypeError):
            self.forget_all()
            with suppress(OSError):
                self._state.remove(PART, FILE)

    def _load(self) -> None:
        if not os.path.lexists(self._file):
            return
        with _Closing(self._open()) as db:
            if db.execute("PRAGMA user_version").fetchone()[0] != _FORMAT:
                raise ValueError(FILE)
            for path, hashed, stamp, sure, status, changed in db.execute("SELECT * FROM files"):
                numbers = tuple(map(int, stamp.split()))
                mode, user, group = map(int, status.split())
                if len(numbers) != 4 or not isinstance(path, str):
                    raise ValueError(path)
                self._known[path] = Known(
                    str(hashed), numbers, bool(sure), (mode, user, group), float(changed)
                )
            self._uses = Counter(each.hash for each in self._known.values())
            self._sizes = dict(db.execute("SELECT hash, length(data) FROM texts"))
            self._total = sum(self._sizes.values())
            self._meta = dict(db.execute("SELECT * FROM meta"))

    @property
    def is_there(self) -> bool:
        """Return whether the file with the stored texts still exists."""
        return not self._sizes or os.path.lexists(self._file)

    def forget_all(self) -> None:
        """Forget all scripts and texts."""
        self._changed.clear()
        self._known.clear()
        self._uses.clear()
        self._sizes.clear()
        self._meta.clear()
        self._total = 0

    # -- what is known ---------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._known)

    def __contains__(self, path: str) -> bool:
        return path in self._known

    @property
    def paths(self) -> Iterator[str]:
        """Yield the paths of the known scripts."""
        return iter(self._known)

    @property
    def total_bytes(self) -> int:
        """Return the compressed size of all stored texts."""
        return self._total

    def get(self, path: str) -> Known | None:
        """Return the hash and stamp of a script; ``None`` if it isn't known."""
        return self._known.get(path)

    def text(self, path: str) -> bytes | None:
        """Return the last known text of a script; ``None`` if it isn't stored."""
        known = self._known.get(path)
        if known is None:
            return None
        data = self._changed.get(path)
        if data is None and known.hash in self._sizes:
            with suppress(sqlite3.Error, OSError), _Closing(self._open()) as db:
                data = _kept(db, known.hash)
        return data if data is not None and content_hash(data) == known.hash else None

    def texts(self, paths: Iterable[str], most_bytes: int) -> dict[str, bytes]:
        """Return the stored texts of scripts, up to ``most_bytes`` in all.

        Opens the file once for all of them: opening takes longer than reading one text.
        """
        found: dict[str, bytes] = {}
        with suppress(sqlite3.Error, OSError), ExitStack() as stack:
            db = stack.enter_context(_Closing(self._open())) if self._sizes else None
            for path in paths:
                known, data = self._known.get(path), self._changed.get(path)
                if data is None and known is not None and known.hash in self._sizes and db:
                    data = _kept(db, known.hash)
                if data is None or known is None or content_hash(data) != known.hash:
                    continue
                most_bytes -= len(data)
                if most_bytes < 0:
                    break
                found[path] = data
        return found

    def meta(self, key: str) -> str | None:
        """Return the note with a key; ``None`` if there is none."""
        return self._meta.get(key)

    def note(self, key: str, value: str) -> None:
        """Store a note with a key, over restarts."""
        if self._meta.get(key) != value:
            self._meta[key] = value
            self._meta_changed = True

    # -- what is learnt --------------------------------------------------------------------------

    def learn(self, path: str, known: Known, data: bytes | None) -> None:
        """Remember what was read of a script. ``data`` is its text if that is new."""
        before = self._known.get(path)
        if before is None or before.hash != known.hash:
            self._uses[known.hash] += 1
            if before is not None:
                self._uses[before.hash] -= 1
        self._known[path] = known
        if data is not None or path not in self._changed:
            self._changed[path] = data

    def forget(self, path: str) -> None:
        """Forget a script, because it is gone."""
        known = self._known.pop(path, None)
        if known is not None:
            self._uses[known.hash] -= 1
            self._changed[path] = None

    @property
    def unsaved_bytes(self) -> int:
        """Return the size of the texts that wait to be written."""
        return sum(len(each) for each in self._changed.values() if each is not None)

    def save(self) -> None:
        """Write what was learnt. If that fails, it stays in memory, with a limited size of texts.

        Nothing is written without a folder ``Library``. If the file was removed, all is forgotten.
        """
        is_new = bool(self._changed) or self._meta_changed
        if not is_new or not self._library.is_dir():  # Looking must not create ``Library``.
            self._bound()
            return
        if not self.is_there:
            self.forget_all()  # Somebody removed ``Library``: read all scripts again.
            return
        try:
            self._state.ensure(PART)
            with _Closing(self._open()) as db, db:
                self._write(db)
            self.problem = ""
        except (sqlite3.Error, OSError) as error:
            self.problem = str(error)
            self._bound()
            return
        self._changed.clear()
        self._meta_changed = False

    def _bound(self) -> None:
        """If too many bytes of texts wait to be written, forget these texts."""
        if self.unsaved_bytes > self._max_bytes // 8:
            self._changed = dict.fromkeys(self._changed)

    def _write(self, db: sqlite3.Connection) -> None:
        db.execute(f"PRAGMA user_version = {_FORMAT}")
        db.execute(
            "CREATE TABLE IF NOT EXISTS files (path TEXT PRIMARY KEY, hash TEXT, stamp TEXT,"
            " sure INTEGER, status TEXT, changed REAL) WITHOUT ROWID"
        )
        db.execute("CREATE TABLE IF NOT EXISTS texts (hash TEXT PRIMARY KEY, data BLOB)")
        db.execute("CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT)")
        for path, data in self._changed.items():
            known = self._known.get(path)
            if known is None:
                db.execute("DELETE FROM files WHERE path = ?", (path,))
                continue
            db.execute(
                "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?)",
                (
                    *(path, known.hash, " ".join(map(str, known.stamp)), known.is_sure),
                    *(" ".join(map(str, known.status)), known.learnt_s),
                ),
            )
            if data is not None and known.hash not in self._sizes:
                packed = zlib.compress(data, _LEVEL)
                db.execute("INSERT OR REPLACE INTO texts VALUES (?, ?)", (known.hash, packed))
                self._sizes[known.hash] = len(packed)
                self._total += len(packed)
        db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", self._meta.items())
        for hashed in [each for each, uses in self._uses.items() if uses <= 0]:
            del self._uses[hashed]
            self._drop(db, hashed)
        if self._total > self._max_bytes:
            self._make_room(db)

    def _make_room(self, db: sqlite3.Connection) -> None:
        """Drop the texts of the scripts that have not changed for longest."""
        latest: dict[str, float] = {}
        for each in self._known.values():
            latest[each.hash] = max(latest.get(each.hash, 0.0), each.learnt_s)
        for hashed in sorted(self._sizes, key=lambda each: latest.get(each, 0.0)):
            if self._total <= self._max_bytes - self._max_bytes // 16:
                return
            self._drop(db, hashed)

    def _drop(self, db: sqlite3.Connection, hashed: str) -> None:
        size = self._sizes.pop(hashed, None)
        if size is not None:
            self._total -= size
            db.execute("DELETE FROM texts WHERE hash = ?", (hashed,))

    @property
    def _file(self) -> str:
        return self._state.file(PART, FILE)

    def _open(self) -> sqlite3.Connection:
        with suppress(FileNotFoundError):
            status = os.lstat(self._file)
            if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
                raise OSError(f"{FILE} is not a plain file")
        db = sqlite3.connect(self._file, timeout=_BUSY_S)
        # Anybody who can write into the project can write this file, so don't trust its schema.
        db.execute("PRAGMA trusted_schema = OFF")
        db.execute("PRAGMA journal_mode = TRUNCATE")
        # A power cut may damage the file. Then texts are unknown, which does no other harm.
        db.execute("PRAGMA synchronous = OFF")
        return db


def _kept(db: sqlite3.Connection, hashed: str) -> bytes | None:
    row = db.execute("SELECT data FROM texts WHERE hash = ?", (hashed,)).fetchone()
    with suppress(zlib.error, TypeError):
        return None if row is None else zlib.decompressobj().decompress(row[0], MAX_FILE_BYTES + 1)
    return None


class _Closing:
    """Closes a connection at the end. An open one would lock the file, and so ``Library``."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def __enter__(self) -> sqlite3.Connection:
        return self._db

    def __exit__(self, *_: object) -> None:
        self._db.close()
