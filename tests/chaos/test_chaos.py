"""A run of the size that fits into a test suite; ``chaos_run.py`` does larger ones."""

from __future__ import annotations

import os

import pytest
from chaos_run import run

pytestmark = pytest.mark.anyio

CALLS = int(os.environ.get("UNITY_SNIPPET_CHAOS_CALLS", "1500"))


@pytest.mark.timeout(1800)
async def test_every_promise_is_kept() -> None:
    report = await run(calls=CALLS, clients=16, seed=7)
    print(report.summary())
    assert report.broken_promises() == []
    assert len(report.calls) == CALLS
    assert report.final_jobs
