"""Jobs on disk: what goes on in the Editor is followed on by the server that comes next.

Implements docs/design/pipeline.md §9. One file a job, in a folder of the server's project that is
readable by its user alone. Methods block, and raise ``OSError``.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from mcp_server.calls.private_file import write_private
from snippet_engine.storage.system.plain_file import read_plain

MAX_RECORDS = 128
"""Most that are read; no server keeps as many."""

MAX_RECORD_BYTES = 4 * 1024 * 1024

_NAME = re.compile(r"[0-9a-z-]{1,64}")


class JobFiles:
    """The jobs of one project's server: :class:`.editor_job.JobRecords`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write(self, job_id: str, record: dict[str, Any]) -> None:
        """Keep a job, whatever becomes of this process."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_private(self._folder / f"{job_id}.json", record, durable=True)

    def remove(self, job_id: str) -> None:
        """Keep it no more."""
        (self._folder / f"{job_id}.json").unlink(missing_ok=True)

    def read(self) -> list[Any]:
        """What was kept of jobs; whatever else lies there is removed."""
        records = []
        try:
            paths = [path for path in self._folder.iterdir() if path.is_file()]
        except FileNotFoundError:
            return []
        for path in sorted(paths)[:MAX_RECORDS]:
            record = self._record(path)
            if record is not None:
                records.append(record)
                continue
            with suppress(OSError):
                path.unlink()
        return records

    def _record(self, path: Path) -> Any:
        try:
            job = json.loads(read_plain(path, MAX_RECORD_BYTES))
            named_right = path.name == f"{job['job_id']}.json" and _NAME.fullmatch(job["job_id"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        return job if named_right else None
