"""Four projects, one a worktree of another, with Editors and agents, and no port to choose.

docs/design/server-and-bridge.md §12. Whatever starts first, and whichever server dies: no call ever
reaches another project, and every Editor finds its server. ``side_by_side.py`` plays more rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from side_by_side import run

from tests.bench.installation import Installation

pytestmark = pytest.mark.anyio


@pytest.mark.timeout(1800)
async def test_four_projects_side_by_side(
    on_mono: Installation, tmp_path: Path, one_in: Callable[[int], int]
) -> None:
    rounds = 2 // one_in(2)
    report = await run(on_mono, tmp_path, rounds=rounds, seed=3)
    print(report.table())
    assert report.broken == []
    # A call that a server died under is lost to its client, whether it was done or not.
    stdio = report.outcomes["stdio: applied"] + report.outcomes["stdio: lost"]
    assert stdio == rounds * 2 * 4
    assert report.outcomes["stdio: applied"] >= rounds * 4
    # Addresses led to other projects' servers, which took nothing.
    assert report.outcomes["http: refused: the server works in another project"] > 0
    assert report.outcomes["http: applied"] >= rounds * 2
