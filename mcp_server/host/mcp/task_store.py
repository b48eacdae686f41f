"""Tasks on disk: what a client was given a handle for outlives the server that gave it.

Implements docs/design/server-and-bridge.md §6 "Tasks". One file a task, by the server's project in
the user's state folder, readable by its user alone. Methods raise ``OSError`` and are called on
threads.
"""

from __future__ import annotations

import json
import re
import secrets
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from mcp_server.calls.private_file import write_private
from snippet_engine.storage.system.plain_file import read_plain

MAX_TASKS = 512
"""Most tasks that are kept; those that were written longest ago go first."""

MAX_BYTES = 64 * 1024 * 1024
"""Most that they may take together."""

MAX_FILE_BYTES = 2 * 1024 * 1024
"""Largest file that is read: an answer is half of that at most."""

_TASK_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Task:
    """A handle for a job of the Editor. Times are milliseconds, those of day since 1970.

    ``end`` is what ``tasks/get`` says beside the task once it is over, its ``status`` among it.
    """

    task_id: str
    tool: str
    job_id: str
    created_ms: int
    updated_ms: int
    ttl_ms: int
    notes: list[str]
    end: dict[str, Any] | None = None

    def expired(self, now_ms: float) -> bool:
        """Whether it has been kept for as long as was promised."""
        return now_ms >= self.created_ms + self.ttl_ms


def new_task_id() -> str:
    """An id that nobody can guess."""
    return secrets.token_hex(16)


class TaskStore:
    """The tasks of one project's server."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write(self, task: Task) -> None:
        """Keep ``task``, whatever becomes of this process; drop the oldest where it is too much."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._folder / f"{task.task_id}.json"
        self._make_room(path)
        write_private(path, asdict(task), durable=True)

    def read(self, task_id: str) -> Task | None:
        """The task of that id; ``None`` if there is none, or none that can be read."""
        if not _TASK_ID.fullmatch(task_id):
            return None
        return _read(self._folder / f"{task_id}.json")

    def load(self, now_ms: float) -> list[Task]:
        """Every task that is kept, and not longer than was promised; the others are removed."""
        tasks = []
        for path in self._files():
            task = _read(path)
            if task is not None and not task.expired(now_ms):
                tasks.append(task)
                continue
            with suppress(OSError):
                path.unlink()
        return tasks

    def _files(self) -> list[Path]:
        try:
            return [path for path in self._folder.iterdir() if path.is_file()]
        except FileNotFoundError:
            return []

    def _make_room(self, beside: Path) -> None:
        found = []
        for path in self._files():
            # What is being written beside this is no task yet.
            if path == beside or path.suffix != ".json":
                continue
            with suppress(OSError):
                status = path.stat()
                found.append((status.st_mtime_ns, status.st_size, path))
        found.sort(reverse=True)
        size = 0
        for number, (_, bytes_there, path) in enumerate(found, 1):
            size += bytes_there
            if number >= MAX_TASKS or size > MAX_BYTES:
                # On Windows somebody may have it open: the next write tries again.
                with suppress(OSError):
                    path.unlink()


def _read(path: Path) -> Task | None:
    try:
        document = json.loads(read_plain(path, MAX_FILE_BYTES))
        task = Task(**{each.name: document[each.name] for each in fields(Task)})
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    times = (task.created_ms, task.updated_ms, task.ttl_ms)
    texts = (task.task_id, task.tool, task.job_id)
    sound = all(type(each) is int for each in times) and all(type(each) is str for each in texts)
    named_right = path.name == f"{task.task_id}.json"
    ended = task.end is None or isinstance(task.end, dict)
    return task if sound and named_right and ended and isinstance(task.notes, list) else None
