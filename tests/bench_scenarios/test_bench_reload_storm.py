"""Reloads at random moments, as many as fit into a test suite; ``dev.py reloads`` does 500."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from reload_storm import run

from tests.bench.installation import Installation

pytestmark = pytest.mark.anyio

COUNT = int(os.environ.get("UNITY_SNIPPET_RELOADS", "24"))


@pytest.mark.timeout(1800)
async def test_every_reload_leaves_nothing_behind(
    on_either: Installation, tmp_path: Path, one_in: Callable[[int], int]
) -> None:
    count = COUNT // one_in(3)
    report = await run(on_either, tmp_path, count, seed=7)
    print(report.table())
    assert report.broken_promises() == []
    assert len(report.reloads) == count
