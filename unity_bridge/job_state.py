"""The states of a job (docs/design/server-and-bridge.md §6).

``python -m unity_bridge.job_state`` prints the table.
"""

from __future__ import annotations

from enum import StrEnum

from unity_bridge.transitions import Transitions


class JobState(StrEnum):
    """Where a job stands, in the words of the wire and of ``get_job_status``."""

    QUEUED = "queued"
    """Accepted by Unity, not started."""
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    UNKNOWN = "unknown"
    """Unity no longer knows it, and nobody has seen its end. Only the server says so, and takes
    it back when Unity reports the job after all."""


class JobEvent(StrEnum):
    """What can happen to a job."""

    STARTED = "started"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    CANCEL_CONFIRMED = "cancel_confirmed"
    FORGOTTEN = "forgotten"
    """Unity no longer knows it, although it is the Editor that it ran in."""
    EDITOR_ENDED = "editor_ended"
    """The Editor's process in which it ran is over, and its end was never told."""


_ENDS_ANY_TIME = {
    JobEvent.TIMED_OUT: JobState.TIMEOUT,
    JobEvent.CANCEL_CONFIRMED: JobState.CANCELLED,
    JobEvent.FORGOTTEN: JobState.UNKNOWN,
    JobEvent.EDITOR_ENDED: JobState.FAILED,
}

JOB_TRANSITIONS = Transitions[JobState, JobEvent](
    {
        JobState.QUEUED: {JobEvent.STARTED: JobState.RUNNING, **_ENDS_ANY_TIME},
        JobState.RUNNING: {
            JobEvent.SUCCEEDED: JobState.SUCCEEDED,
            JobEvent.FAILED: JobState.FAILED,
            **_ENDS_ANY_TIME,
        },
        JobState.UNKNOWN: {
            JobEvent.STARTED: JobState.RUNNING,
            JobEvent.CANCEL_CONFIRMED: JobState.CANCELLED,
            JobEvent.EDITOR_ENDED: JobState.FAILED,
        },
        JobState.SUCCEEDED: {},
        JobState.FAILED: {},
        JobState.TIMEOUT: {},
        JobState.CANCELLED: {},
    }
)

_EVENTS_REPORTED: dict[JobState, tuple[JobEvent, ...]] = {
    JobState.QUEUED: (),
    JobState.RUNNING: (JobEvent.STARTED,),
    JobState.SUCCEEDED: (JobEvent.STARTED, JobEvent.SUCCEEDED),
    JobState.FAILED: (JobEvent.STARTED, JobEvent.FAILED),
    JobState.TIMEOUT: (JobEvent.TIMED_OUT,),
    JobState.CANCELLED: (JobEvent.CANCEL_CONFIRMED,),
    JobState.UNKNOWN: (),
}


def after_report(state: JobState, reported: JobState) -> JobState:
    """The state of a job in ``state`` that Unity reports to be in ``reported``.

    Between two reports a job may have gone through several states. A report that would lead
    backwards, or out of a terminal state, changes nothing.
    """
    for event in _EVENTS_REPORTED[reported]:
        state = JOB_TRANSITIONS.next(state, event) or state
    return state


if __name__ == "__main__":
    print(JOB_TRANSITIONS.as_text())
