"""The quick lane's tables are true."""

from __future__ import annotations

import lanes
import pytest


@pytest.mark.parametrize("path", lanes.CORES)
def test_a_core_has_tests(path: str) -> None:
    folder = lanes.TESTS / path
    assert folder.is_file() or any(folder.rglob("test_*.py"))


@pytest.mark.parametrize("seam", sorted(lanes.SEAMS))
def test_a_seam_has_its_test(seam: str) -> None:
    file, _, name = lanes.SEAMS[seam].partition("::")
    assert f"def {name.partition('[')[0]}(" in (lanes.TESTS / file).read_text(encoding="utf-8")
