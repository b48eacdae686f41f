"""A job over the Pipeline, in memory and as a record on disk."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from unity_bridge.states import JOB_TRANSITIONS, JobState


class JobRecords(Protocol):
    """Stores jobs so that they outlive this process. Methods block and raise ``OSError``."""

    def write(self, job_id: str, record: dict[str, Any]) -> None:
        """Store a job durably."""

    def remove(self, job_id: str) -> None:
        """Remove a job."""

    def read(self) -> list[Any]:
        """Return the stored jobs of this project."""


@dataclass(slots=True)
class EditorJob:
    """One job."""

    job_id: str
    tool: str
    params: Mapping[str, Any]
    timeout_ms: int
    editor: int | None
    began_s: float
    """As of ``time.time``."""
    state: JobState = JobState.QUEUED
    progress: Mapping[str, Any] | None = None
    result: Mapping[str, Any] | None = None
    asked: bool = False
    """Whether the Editor was asked to start it."""
    baseline: str | None = None
    """The status file's fingerprint before the run was asked for."""
    refreshes: int = 0
    look_again: bool = False
    """Whether a caller joined the compile, who may have written scripts since it began."""
    work: asyncio.Task[None] | None = field(default=None, repr=False)

    def ended(self) -> bool:
        """Return whether its state is terminal, which may change during any ``await``."""
        return JOB_TRANSITIONS.is_terminal(self.state)

    def to_json(self) -> dict[str, Any]:
        """Return the content of a ``job_status``."""
        return {
            "job_id": self.job_id,
            "tool_name": self.tool,
            "state": self.state.value,
            "progress": None if self.progress is None else dict(self.progress),
            "result": None if self.result is None else dict(self.result),
        }

    def to_record(self) -> dict[str, Any]:
        """Return the record from which the next server restores the job."""
        return {
            **self.to_json(),
            "params": dict(self.params),
            "timeout_ms": self.timeout_ms,
            "editor": self.editor,
            "began_s": self.began_s,
            "asked": self.asked,
            "baseline": self.baseline,
        }

    @classmethod
    def from_record(cls, record: Any) -> EditorJob | None:
        """Return the job that an earlier server stored; ``None`` for an invalid record."""
        try:
            job = cls(
                record["job_id"],
                record["tool_name"],
                record["params"],
                record["timeout_ms"],
                record["editor"],
                record["began_s"],
                JobState(record["state"]),
                record["progress"],
                record["result"],
                record["asked"],
                record["baseline"],
            )
        except (KeyError, TypeError, ValueError):
            return None
        sound = (
            all(isinstance(each, str) for each in (job.job_id, job.tool))
            and all(isinstance(each, int | float) for each in (job.timeout_ms, job.began_s))
            and isinstance(job.params, dict)
            and isinstance(job.editor, int | None)
            and all(isinstance(each, dict | None) for each in (job.progress, job.result))
            and isinstance(job.baseline, str | None)
        )
        return job if sound else None
