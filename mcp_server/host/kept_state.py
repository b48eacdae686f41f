"""What a server leaves on disk for the next one: a folder for each project, with records.

Implements docs/design/server-and-bridge.md §12 and docs/design/pipeline.md §9. The folder belongs
to a project, because any process may get a port. A server without a project has one for its port.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from mcp_server.calls.private_file import write_private
from mcp_server.calls.server.project_server import project_key
from snippet_engine.storage.system.file_lock import HeldLock, acquire
from snippet_engine.storage.system.plain_file import read_plain

T = TypeVar("T")

MOST_AT_ONCE = 16
"""Most servers of one project that store something at the same time, each in its own folder."""

MAX_JOBS = 128
"""Most jobs that are read. No server stores as many."""


def _folder() -> Path:
    import platformdirs  # noqa: PLC0415 - not for help pages

    return platformdirs.user_state_path("unity-snippet", appauthor=False) / "kept"


def turn_file(project: Path | None) -> Path | None:
    """Return the lock file that a gated edit holds while Unity compiles it.

    Returns ``None`` without a project. Creates the file's folder. Raises ``OSError``.
    """
    if project is None:
        return None
    _folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    return _folder() / f"turn-{project_key(project)}.lock"


class KeptState:
    """A folder in the user's state folder that no other server uses until :meth:`release`.

    A project's servers use numbered folders, each the first that is free.
    """

    def __init__(self, project: Path | None, port: int) -> None:
        state = _folder()
        self._lock: HeldLock | None = None
        # If nothing can be locked, every write fails and reports that.
        self.folder = state / f"port-{port}"
        try:
            key = self.folder.name if project is None else f"project-{project_key(project)}"
            state.mkdir(mode=0o700, parents=True, exist_ok=True)
            for number in range(1, MOST_AT_ONCE + 1):
                name = f"{key}-{number}"
                self._lock = acquire(state / f"{name}.lock", 0)
                if self._lock is not None:
                    self.folder = state / name
                    return
        except OSError:
            return

    def secret(self, name: str) -> bytes:
        """Return the secret of that name.

        The next server gets the same one, if it can be stored.
        """
        kept = RecordFolder(self.folder, "[a-z-]{1,64}", 1024)
        found = (kept.get(name) or {}).get("secret")
        if isinstance(found, str) and re.fullmatch("[0-9a-f]{64}", found):
            return bytes.fromhex(found)
        made = secrets.token_bytes(32)
        with suppress(OSError):
            kept.put(name, {"secret": made.hex()})
        return made

    def release(self) -> None:
        """Leave the folder to the next server."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None


class RecordFolder:
    """JSON records, one file each, that only their user can read.

    Methods block and raise ``OSError``.
    """

    def __init__(self, folder: Path, name: str, max_bytes: int) -> None:
        """``name`` is the pattern for records' names. Files above ``max_bytes`` are ignored."""
        self._folder = folder
        self._name = re.compile(name)
        self._max_bytes = max_bytes

    def path(self, name: str) -> Path:
        """Return the path of a record."""
        return self._folder / f"{name}.json"

    def put(self, name: str, record: dict[str, Any]) -> None:
        """Store a record durably."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_private(self.path(name), record, durable=True)

    def get(self, name: str) -> dict[str, Any] | None:
        """Return the record; ``None`` if it doesn't exist, or can't be read."""
        if not self._name.fullmatch(name):
            return None
        try:
            record = json.loads(read_plain(self.path(name), self._max_bytes))
        except (OSError, ValueError, RecursionError):
            return None
        return record if isinstance(record, dict) else None

    def files(self) -> list[Path]:
        """Return every file in the folder."""
        try:
            return [path for path in self._folder.iterdir() if path.is_file()]
        except FileNotFoundError:
            return []

    def load(self, parse: Callable[[str], T | None], most: int) -> list[T]:
        """Return what ``parse`` returns for each record's name, for at most ``most`` files.

        A file for which it returns ``None`` is removed.
        """
        loaded = []
        for path in sorted(self.files())[:most]:
            found = parse(path.stem) if path.suffix == ".json" else None
            if found is not None:
                loaded.append(found)
                continue
            with suppress(OSError):
                path.unlink()
        return loaded


class JobFiles(RecordFolder):
    """The jobs of one project's server. Implements :class:`.editor_job.JobRecords`."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "[0-9a-z-]{1,64}", 4 * 1024 * 1024)

    def write(self, job_id: str, record: dict[str, Any]) -> None:
        """Store a job durably."""
        self.put(job_id, record)

    def remove(self, job_id: str) -> None:
        """Remove a job."""
        self.path(job_id).unlink(missing_ok=True)

    def read(self) -> list[Any]:
        """Return the stored jobs. Other files are removed."""
        return self.load(self._job, MAX_JOBS)

    def _job(self, job_id: str) -> dict[str, Any] | None:
        job = self.get(job_id)
        return job if job is not None and job.get("job_id") == job_id else None
