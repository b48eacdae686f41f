"""Store the Editor's jobs, so that they survive its reloads.

Implements docs/design/server-and-bridge.md §6 "Jobs". No I/O. Only the transition table sets a
job's state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from unity_bridge.states import JOB_TRANSITIONS, JobEvent, JobState, after_report

KEEP_MS = 30 * 60 * 1000
"""How long an ended job is kept, in milliseconds."""

MAX_ENDED = 512
"""Most ended jobs that are kept. The oldest are dropped first."""

MAX_OPEN = 64
"""Most open jobs that are kept. The Editor runs one and queues 16."""


@dataclass(slots=True)
class Job:
    """One job of the Editor. Times are milliseconds of the clock."""

    job_id: str
    tool: str
    deadline_ms: float
    """When the job times out."""
    editor: str | None = None
    """The id of the Editor process that runs the job; ``None`` if unknown."""
    issued: bool = False
    """Whether a call was given the job's id. Otherwise only the Editor reported it."""
    state: JobState = JobState.QUEUED
    progress: Mapping[str, Any] | None = None
    result: Mapping[str, Any] | None = None
    ended_ms: float | None = None
    cancel_sent: int | None = None
    """The connection on which the last cancel was sent."""
    on_change: list[Callable[[], None]] = field(default_factory=list)

    @property
    def ended(self) -> bool:
        """Return whether the job's state is terminal."""
        return JOB_TRANSITIONS.is_terminal(self.state)

    @property
    def settled(self) -> bool:
        """Return whether no further report is expected. One may still come."""
        return self.ended or self.state is JobState.UNKNOWN

    def to_json(self) -> dict[str, Any]:
        """Return the result of ``get_job_status``."""
        return {
            "job_id": self.job_id,
            "state": self.state.value,
            "progress": dict(self.progress) if self.progress is not None else None,
            "result": dict(self.result) if self.result is not None else None,
        }


class JobManager:
    """All kept jobs, by id."""

    def __init__(self, on_transition: Callable[[Job, JobState], None]) -> None:
        """``on_transition`` is called for every change, with the job and its previous state."""
        self._jobs: dict[str, Job] = {}
        self._ended: dict[str, None] = {}
        self._on_transition = on_transition

    def accepted(
        self, job_id: str, tool: str, deadline_ms: float, editor: str | None = None
    ) -> Job | None:
        """Give the job to a call, and return it; ``None`` if another call has it already."""
        job = self._jobs.get(job_id) or self.known(job_id, tool, deadline_ms, editor)
        if job.issued:
            return None
        job.issued = True
        return job

    def known(self, job_id: str, tool: str, deadline_ms: float, editor: str | None) -> Job:
        """Add a job that only the Editor knew."""
        job = self._jobs[job_id] = Job(job_id, tool, deadline_ms, editor)
        return job

    @property
    def open(self) -> list[Job]:
        """Return the jobs that have not ended."""
        return [job for job in self._jobs.values() if not job.settled]

    def kept(self, now: float) -> list[Job]:
        """Return all kept jobs, the newest first."""
        self._drop_old(now)
        return list(reversed(self._jobs.values()))

    def find(self, job_id: str, now: float) -> Job | None:
        """Return the job of that id; ``None`` if it is unknown."""
        self._drop_old(now)
        return self._jobs.get(job_id)

    def report(
        self,
        job: Job,
        state: JobState,
        progress: Mapping[str, Any] | None,
        result: Mapping[str, Any] | None,
        now: float,
    ) -> None:
        """Apply the Editor's report. An ended job stays as it is."""
        if job.ended:
            return
        following = after_report(job.state, state)
        if JOB_TRANSITIONS.is_terminal(following) or following is state:
            job.progress = progress if progress is not None else job.progress
            job.result = result
        self._enter(job, following, now)

    def happened(
        self, job: Job, event: JobEvent, now: float, result: Mapping[str, Any] | None = None
    ) -> bool:
        """Apply an event. Return whether it changed the job's state."""
        following = JOB_TRANSITIONS.next(job.state, event)
        if following is None:
            return False
        if result is not None:
            job.result = result
        self._enter(job, following, now)
        return True

    def __len__(self) -> int:
        return len(self._jobs)

    def _enter(self, job: Job, state: JobState, now: float) -> None:
        previous, job.state = job.state, state
        if not job.settled:
            job.ended_ms = None
            self._ended.pop(job.job_id, None)
        elif job.ended_ms is None:
            job.ended_ms = now
            self._ended[job.job_id] = None
            self._drop_old(now)
        if previous is not state:
            self._on_transition(job, previous)
        for changed in list(job.on_change):
            changed()

    def _drop_old(self, now: float) -> None:
        surplus = len(self._ended) - MAX_ENDED
        for index, job_id in enumerate(list(self._ended)):
            ended_ms = self._jobs[job_id].ended_ms
            assert ended_ms is not None
            if index >= surplus and now - ended_ms < KEEP_MS:
                break
            del self._ended[job_id], self._jobs[job_id]


def are_two_editors(one: str | None, other: str | None) -> bool:
    """Return whether these are certainly two different Editors."""
    return None not in (one, other) and one != other
