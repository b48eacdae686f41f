"""Tasks on disk, so that a client's handle survives the server that gave it.

Implements docs/design/server-and-bridge.md §6 "Tasks". Methods block and raise ``OSError``.
"""

from __future__ import annotations

import secrets
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from mcp_server.host.kept_state import RecordFolder

MAX_TASKS = 512
"""Most tasks that are kept. The oldest go first."""

MAX_BYTES = 64 * 1024 * 1024
MAX_FILE_BYTES = 2 * 1024 * 1024
"""Largest file that is read. An answer has at most half of that."""


@dataclass(frozen=True, slots=True)
class Task:
    """A client's handle for a job of the Editor.

    ``created_ms`` and ``updated_ms`` count from 1970.
    """

    task_id: str
    tool: str
    job_id: str
    created_ms: int
    updated_ms: int
    ttl_ms: int
    notes: list[str]
    end: dict[str, Any] | None = None
    """The further fields of ``tasks/get`` when the task is over, including ``status``."""

    def expired(self, now_ms: float) -> bool:
        """Return whether the promised time is over."""
        return now_ms >= self.created_ms + self.ttl_ms


def new_task_id() -> str:
    """Return an id that nobody can guess."""
    return secrets.token_hex(16)


class TaskStore(RecordFolder):
    """The tasks of one project's server."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "[0-9a-f]{32}", MAX_FILE_BYTES)

    def write(self, task: Task) -> None:
        """Store ``task`` durably, and remove the oldest tasks beyond the limits."""
        self._make_room(self.path(task.task_id))
        self.put(task.task_id, asdict(task))

    def read(self, task_id: str) -> Task | None:
        """Return the task; ``None`` if it doesn't exist or can't be read."""
        document = self.get(task_id)
        try:
            task = Task(**{each.name: (document or {})[each.name] for each in fields(Task)})
        except KeyError:
            return None
        times = (task.created_ms, task.updated_ms, task.ttl_ms)
        texts = (task.tool, task.job_id)
        valid = all(type(each) is int for each in times) and all(
            type(each) is str for each in texts
        )
        ended = task.end is None or isinstance(task.end, dict)
        named = task.task_id == task_id
        return task if valid and named and ended and isinstance(task.notes, list) else None

    def load_tasks(self, now_ms: float) -> list[Task]:
        """Return every task that hasn't expired. Other files are removed."""

        def current(task_id: str) -> Task | None:
            task = self.read(task_id)
            return None if task is None or task.expired(now_ms) else task

        return self.load(current, sys.maxsize)

    def _make_room(self, new: Path) -> None:
        found = []
        for path in self.files():
            if path == new or path.suffix != ".json":  # another file is being written
                continue
            with suppress(OSError):
                status = path.stat()
                found.append((status.st_mtime_ns, status.st_size, path))
        found.sort(reverse=True)
        size = 0
        for number, (_, file_bytes, path) in enumerate(found, 1):
            size += file_bytes
            if number >= MAX_TASKS or size > MAX_BYTES:
                # On Windows the file may be open. Then the next write tries again.
                with suppress(OSError):
                    path.unlink()
