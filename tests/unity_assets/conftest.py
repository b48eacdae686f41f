from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from assets_project import SmallProject


@pytest.fixture
def project(tmp_path: Path) -> SmallProject:
    """A Unity project without files, in a folder of its own."""
    root = tmp_path / "project"
    root.mkdir()
    return SmallProject(root)
