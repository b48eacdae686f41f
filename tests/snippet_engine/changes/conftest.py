"""A script with fields that Unity keeps."""

from __future__ import annotations

import pytest
from unity_project import UnityProject
from unity_warned import PLAYER, SOURCE


@pytest.fixture
def player(project: UnityProject) -> UnityProject:
    project.write(SOURCE, PLAYER)
    project.write("guid: 1", f"{PLAYER}.meta")
    return project
