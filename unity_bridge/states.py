"""The states of requests and jobs, as tables.

Implements docs/design/server-and-bridge.md §6. Code names what happened; the table says which state
follows. An event without a row changes nothing, so a terminal state is set once.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Generic, TypeVar

S = TypeVar("S", bound=StrEnum)
E = TypeVar("E", bound=StrEnum)


class Transitions(Generic[S, E]):
    """Which state follows which after which event."""

    def __init__(self, table: Mapping[S, Mapping[E, S]]) -> None:
        """``table`` has a row for every state; a state with an empty row is terminal."""
        self._table = table

    def next(self, state: S, event: E) -> S | None:
        """Return the state after ``event``; ``None`` if it changes nothing."""
        return self._table[state].get(event)

    def is_terminal(self, state: S) -> bool:
        """Return whether no state can follow."""
        return not self._table[state]


class RequestState(StrEnum):
    """The state of one request to the Editor."""

    RECEIVED = "received"
    WAITING_EDITOR_READY = "waiting_editor_ready"
    """The Editor is away or busy. Nothing was sent."""
    QUEUED = "queued"
    """The Editor is ready and answers another request. Nothing was sent."""
    RUNNING = "running"
    """Sent; its effect is unknown until the answer comes."""
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"


class RequestEvent(StrEnum):
    """What can happen to a request."""

    EDITOR_AWAY = "editor_away"
    EDITOR_READY = "editor_ready"
    SENT = "sent"
    ANSWERED_OK = "answered_ok"
    ANSWERED_ERROR = "answered_error"
    REFUSED = "refused"
    """It can't start: the queue is full, the window is over, or the server stops."""
    LOST = "lost"
    """It was sent, and no answer came within the windows."""
    CALLER_TIMEOUT = "caller_timeout"
    CANCEL = "cancel"


_UNSENT = {
    RequestEvent.REFUSED: RequestState.FAILED,
    RequestEvent.CALLER_TIMEOUT: RequestState.TIMEOUT,
    RequestEvent.CANCEL: RequestState.CANCELLED,
}

REQUEST_TRANSITIONS = Transitions[RequestState, RequestEvent](
    {
        RequestState.RECEIVED: {
            RequestEvent.EDITOR_AWAY: RequestState.WAITING_EDITOR_READY,
            RequestEvent.EDITOR_READY: RequestState.QUEUED,
            RequestEvent.REFUSED: RequestState.FAILED,
        },
        RequestState.WAITING_EDITOR_READY: {
            RequestEvent.EDITOR_READY: RequestState.QUEUED,
            **_UNSENT,
        },
        RequestState.QUEUED: {
            RequestEvent.SENT: RequestState.RUNNING,
            RequestEvent.EDITOR_AWAY: RequestState.WAITING_EDITOR_READY,
            **_UNSENT,
        },
        RequestState.RUNNING: {
            RequestEvent.ANSWERED_OK: RequestState.SUCCEEDED,
            RequestEvent.ANSWERED_ERROR: RequestState.FAILED,
            RequestEvent.LOST: RequestState.FAILED,
            RequestEvent.CALLER_TIMEOUT: RequestState.TIMEOUT,
        },
        RequestState.SUCCEEDED: {},
        RequestState.FAILED: {},
        RequestState.TIMEOUT: {},
        RequestState.CANCELLED: {},
    }
)


class JobState(StrEnum):
    """The state of a job, as the wire and ``get_job_status`` name it."""

    QUEUED = "queued"
    """Accepted by Unity, not started."""
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    UNKNOWN = "unknown"
    """Unity no longer knows the job, and its end was never seen.

    Only the server uses this state; a later report from Unity replaces it.
    """


class JobEvent(StrEnum):
    """What can happen to a job."""

    STARTED = "started"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    CANCEL_CONFIRMED = "cancel_confirmed"
    FORGOTTEN = "forgotten"
    """The Editor that ran it no longer knows it."""
    EDITOR_ENDED = "editor_ended"
    """The Editor's process is over, and the job's end was never reported."""


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
    """Return the state of a job in ``state`` that Unity reports as ``reported``.

    A job may have passed several states between two reports. A report that leads backwards, or out
    of a terminal state, changes nothing.
    """
    for event in _EVENTS_REPORTED[reported]:
        state = JOB_TRANSITIONS.next(state, event) or state
    return state
