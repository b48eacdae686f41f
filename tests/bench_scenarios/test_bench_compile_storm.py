"""Breaking and mending, a few times; ``compile_storm.py`` does 200 turns."""

from __future__ import annotations

from pathlib import Path

import pytest
from compile_storm import run

from tests.bench.installation import Installation

pytestmark = pytest.mark.anyio

COUNT = 7


async def test_every_answer_is_what_the_scripts_are(on_mono: Installation, tmp_path: Path) -> None:
    report = await run(on_mono, tmp_path, COUNT, seed=3, kill_each=3)
    print(report.table())
    assert report.wrong == []
    assert (len(report.failed_ms), report.kills) == (COUNT, 2)
    assert report.reloads >= COUNT - report.kills
