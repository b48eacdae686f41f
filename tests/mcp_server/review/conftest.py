"""A small project, its server in this process, and somebody at the review page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from live_server import LiveServer
from review_person import Person
from running_server import make_project


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A Unity project with one script."""
    return make_project(tmp_path / "Game")


@pytest.fixture
async def live(root: Path) -> AsyncIterator[LiveServer]:
    """Its server."""
    async with LiveServer(project=root) as server:
        yield server


@pytest.fixture
async def person(live: LiveServer) -> AsyncIterator[Person]:
    """Somebody who has the page."""
    async with Person(live.port) as somebody:
        yield somebody
