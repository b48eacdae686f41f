"""A run of the size that fits into a test suite; ``chaos_run.py`` does larger ones."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from chaos_run import ROADS, run

pytestmark = pytest.mark.anyio

CALLS = {"plugin": 1_500, "pipeline": 600}
ASKED = os.environ.get("UNITY_SNIPPET_CHAOS_CALLS")


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("road", ROADS)
async def test_every_promise_is_kept(road: str, one_in: Callable[[int], int]) -> None:
    calls = int(ASKED) if ASKED else CALLS[road] // one_in(12)
    report = await run(calls=calls, clients=16, seed=7, road=road)
    print(report.summary())
    assert report.broken_promises() == []
    assert len(report.calls) == calls
    assert report.final_jobs
