"""The job store: states set once, what is kept and for how long."""

from __future__ import annotations

import pytest

from mcp_server.editor.job_manager import KEEP_MS, MAX_ENDED, Job, JobManager
from unity_bridge.states import JobEvent, JobState


@pytest.fixture
def transitions() -> list[tuple[str, str, str]]:
    return []


@pytest.fixture
def jobs(transitions: list[tuple[str, str, str]]) -> JobManager:
    return JobManager(lambda job, before: transitions.append((job.job_id, before, job.state)))


def accepted(jobs: JobManager, job_id: str = "j") -> Job:
    job = jobs.accepted(job_id, "run_tests", deadline_ms=1_000)
    assert job is not None
    return job


def test_an_id_is_issued_once(jobs: JobManager) -> None:
    accepted(jobs)
    assert jobs.accepted("j", "run_tests", 0) is None


def test_a_job_goes_through_its_states(
    jobs: JobManager, transitions: list[tuple[str, str, str]]
) -> None:
    job = accepted(jobs)
    jobs.report(job, JobState.RUNNING, {"completed": 1, "total": 2}, None, 10)
    assert job.to_json() == {
        "job_id": "j",
        "state": "running",
        "progress": {"completed": 1, "total": 2},
        "result": None,
    }
    jobs.report(job, JobState.SUCCEEDED, None, {"summary": {}}, 20)
    assert transitions == [("j", "queued", "running"), ("j", "running", "succeeded")]


def test_a_job_that_has_ended_stays_as_it_ended(jobs: JobManager) -> None:
    job = accepted(jobs)
    assert jobs.happened(job, JobEvent.TIMED_OUT, 10)
    jobs.report(job, JobState.SUCCEEDED, None, {"late": True}, 20)
    assert not jobs.happened(job, JobEvent.CANCEL_CONFIRMED, 30)
    assert (job.state, job.result) == (JobState.TIMEOUT, None)


def test_a_report_from_the_past_changes_nothing(jobs: JobManager) -> None:
    job = accepted(jobs)
    jobs.report(job, JobState.RUNNING, {"completed": 1, "total": 2}, None, 10)
    jobs.report(job, JobState.QUEUED, None, None, 20)
    assert (job.state, job.progress) == (JobState.RUNNING, {"completed": 1, "total": 2})


def test_ended_jobs_are_kept_for_half_an_hour(jobs: JobManager) -> None:
    job = accepted(jobs)
    jobs.happened(job, JobEvent.TIMED_OUT, 100)
    assert jobs.find("j", 100 + KEEP_MS - 1) is job
    assert jobs.find("j", 100 + KEEP_MS) is None
    assert len(jobs) == 0


def test_unfinished_jobs_are_kept_for_ever(jobs: JobManager) -> None:
    job = accepted(jobs)
    assert jobs.find("j", 1e12) is job


def test_the_oldest_ended_jobs_go_first(jobs: JobManager) -> None:
    for number in range(MAX_ENDED + 3):
        jobs.happened(accepted(jobs, f"j{number}"), JobEvent.TIMED_OUT, number)
    assert len(jobs) == MAX_ENDED
    assert jobs.find("j2", 1_000) is None
    assert jobs.find("j3", 1_000) is not None
