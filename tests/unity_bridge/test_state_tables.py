"""The whole request and job tables: every transition there is, and that no other can happen."""

from __future__ import annotations

import itertools

import pytest
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


@pytest.mark.parametrize(
    ("state", "event"), list(itertools.product(RequestState, RequestEvent)), ids=str
)
def test_a_request_only_moves_as_the_table_says(state: RequestState, event: RequestEvent) -> None:
    rows = {(a, b): c for a, b, c in (line.split() for line in REQUEST_TABLE.strip().splitlines())}
    assert REQUEST_TRANSITIONS.next(state, event) == rows.get((state.value, event.value))


@pytest.mark.parametrize(("state", "event"), list(itertools.product(JobState, JobEvent)), ids=str)
def test_a_job_only_moves_as_the_table_says(state: JobState, event: JobEvent) -> None:
    rows = {(a, b): c for a, b, c in (line.split() for line in JOB_TABLE.strip().splitlines())}
    assert JOB_TRANSITIONS.next(state, event) == rows.get((state.value, event.value))


def test_what_was_sent_is_never_cancelled_or_put_back() -> None:
    after = {REQUEST_TRANSITIONS.next(RequestState.RUNNING, event) for event in RequestEvent}
    assert after - {None} == {"succeeded", "failed", "timeout"}


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
