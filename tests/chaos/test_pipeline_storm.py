"""A few turns of what ``pipeline_storm.py`` does 200 times."""

from __future__ import annotations

from pathlib import Path

import pytest
from pipeline_storm import run

pytestmark = pytest.mark.anyio


@pytest.mark.timeout(600)
async def test_broken_and_mended_over_and_over(tmp_path: Path) -> None:
    report = await run(tmp_path, count=6, seed=1, kill_each=3)
    print(report.table())
    assert report.wrong == []
    assert (report.kills, len(report.mended_ms)) == (2, 6)
    assert report.reloads >= 6
