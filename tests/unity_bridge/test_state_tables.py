"""The whole request and job tables: every transition there is, and that no other can happen."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from unity_bridge.states import (
    JOB_TRANSITIONS,
    REQUEST_TRANSITIONS,
    JobEvent,
    JobState,
    RequestEvent,
    RequestState,
    after_report,
)

REQUEST_TABLE = """
received             editor_away        waiting_editor_ready
received             editor_ready       queued
received             refused            failed
waiting_editor_ready editor_ready       queued
waiting_editor_ready refused            failed
waiting_editor_ready caller_timeout     timeout
waiting_editor_ready cancel             cancelled
queued               sent               running
queued               editor_away        waiting_editor_ready
queued               refused            failed
queued               caller_timeout     timeout
queued               cancel             cancelled
running              answered_ok        succeeded
running              answered_error     failed
running              lost               failed
running              caller_timeout     timeout
"""

JOB_TABLE = """
queued               started            running
queued               timed_out          timeout
queued               cancel_confirmed   cancelled
queued               forgotten          unknown
queued               editor_ended       failed
running              succeeded          succeeded
running              failed             failed
running              timed_out          timeout
running              cancel_confirmed   cancelled
running              forgotten          unknown
running              editor_ended       failed
unknown              started            running
unknown              cancel_confirmed   cancelled
unknown              editor_ended       failed
"""

ENDED = ("succeeded", "failed", "timeout", "cancelled")


def rows(table: str) -> dict[tuple[str, str], str]:
    return {(a, b): c for a, b, c in (line.split() for line in table.strip().splitlines())}


def test_requests_and_jobs_only_move_as_the_tables_say() -> None:
    for state, event in itertools.product(RequestState, RequestEvent):
        expected = rows(REQUEST_TABLE).get((state.value, event.value))
        assert REQUEST_TRANSITIONS.next(state, event) == expected, (state, event)
    for job, happened in itertools.product(JobState, JobEvent):
        expected = rows(JOB_TABLE).get((job.value, happened.value))
        assert JOB_TRANSITIONS.next(job, happened) == expected, (job, happened)


def test_terminal_states_are_the_four() -> None:
    for states, table in ((RequestState, REQUEST_TRANSITIONS), (JobState, JOB_TRANSITIONS)):
        assert {s.value for s in states if table.is_terminal(s)} == set(ENDED)  # type: ignore[arg-type,attr-defined]


@given(st.lists(st.sampled_from(list(JobState))))
def test_a_job_ends_once_whatever_is_reported(reports: list[JobState]) -> None:
    state, ends = JobState.QUEUED, []
    for reported in reports:
        state = after_report(state, reported)
        if JOB_TRANSITIONS.is_terminal(state):
            ends.append(state)
    assert len(set(ends)) <= 1


def test_a_report_may_skip_states_but_not_go_back() -> None:
    assert after_report(JobState.QUEUED, JobState.SUCCEEDED) is JobState.SUCCEEDED
    assert after_report(JobState.QUEUED, JobState.FAILED) is JobState.FAILED
    assert after_report(JobState.RUNNING, JobState.QUEUED) is JobState.RUNNING
