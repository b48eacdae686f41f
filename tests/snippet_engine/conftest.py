"""The Unity project that engine tests work in."""

from __future__ import annotations

from pathlib import Path

import pytest
from unity_project import UnityProject


@pytest.fixture
def project(tmp_path: Path) -> UnityProject:
    return UnityProject(tmp_path / "project")
