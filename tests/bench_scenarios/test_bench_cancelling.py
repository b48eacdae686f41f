"""Cancelling test runs, in every state that a job can have."""

from __future__ import annotations

import pytest
from stage import Stage

pytestmark = pytest.mark.anyio


@pytest.mark.sampled(one_in=1_000_000)
async def test_cancel_a_running_job(anywhere: Stage) -> None:
    stage = anywhere
    await stage.do("test edit Game.E.One passed 1", "test edit Game.E.Two passed 60000")
    job = (await stage.result("run_tests", mode="edit"))["job_id"]
    await stage.wait("test_started", name="Game.E.Two")
    assert (await stage.job(job, "running"))["state"] == "running"
    asked = await stage.result("cancel_job", job_id=job)
    assert asked["status"] == "cancel_requested"
    assert (await stage.job(job, "cancelled"))["state"] == "cancelled"
    assert (await stage.wait("run_finished"))["cancelled"] is True
    again = await stage.result("cancel_job", job_id=job)
    assert again["status"] == "rejected"


async def test_cancel_a_job_that_waits_for_another(stage: Stage) -> None:
    await stage.do("test edit Game.E.One passed 600")
    first = (await stage.result("run_tests", mode="edit"))["job_id"]
    second = (await stage.result("run_tests", mode="edit"))["job_id"]
    asked = await stage.result("cancel_job", job_id=second)
    assert asked["status"] == "cancelled"
    assert (await stage.job(second, "cancelled"))["state"] == "cancelled"
    assert (await stage.job(first, "succeeded"))["result"]["summary"]["passed"] == 1


async def test_cancel_across_a_reload(stage: Stage) -> None:
    await stage.do("test edit Game.E.One passed 60000")
    job = (await stage.result("run_tests", mode="edit"))["job_id"]
    await stage.wait("test_started")
    stage.editor.tell("reload")
    await stage.wait("reloaded")
    await stage.ready()
    assert (await stage.result("cancel_job", job_id=job))["status"] == "cancel_requested"
    assert (await stage.job(job, "cancelled"))["state"] == "cancelled"


async def test_cancel_play_mode_tests(stage: Stage) -> None:
    """The runner can't end a PlayMode run; leaving play mode does."""
    await stage.do("test play Game.P.One passed 60000")
    job = (await stage.result("run_tests", mode="play"))["job_id"]
    await stage.wait("test_started")
    assert (await stage.result("cancel_job", job_id=job))["status"] == "cancel_requested"
    assert (await stage.job(job, "cancelled"))["state"] == "cancelled"


async def test_cancel_a_finished_and_an_unknown_job(stage: Stage) -> None:
    await stage.do("test edit Game.E.One passed 1")
    job = (await stage.result("run_tests", mode="edit"))["job_id"]
    await stage.job(job, "succeeded")
    assert (await stage.result("cancel_job", job_id=job))["status"] == "rejected"
    unknown = await stage.error("cancel_job", job_id="job-unknown")
    assert unknown["code"] == "ERR_JOB_NOT_FOUND"


async def test_the_jobs_own_timeout_cancels_it_in_the_editor(stage: Stage) -> None:
    await stage.do("test edit Game.E.One passed 60000")
    job = (await stage.result("run_tests", mode="edit", timeout_ms=700))["job_id"]
    await stage.wait("test_started")
    assert (await stage.job(job, "timeout"))["state"] == "timeout"
    assert (await stage.wait("run_finished"))["cancelled"] is True
