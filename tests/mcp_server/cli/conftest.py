"""A server that a module's tests share, an Editor connected to it, and a home folder."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from client_home import Home
from fake_editor import FakeEditor
from running_server import RunningServer


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with RunningServer(cwd=tmp_path_factory.mktemp("served")) as running:
        yield running


@pytest.fixture
async def editor(served: RunningServer) -> AsyncIterator[FakeEditor]:
    connected = await FakeEditor(f"ws://127.0.0.1:{served.port}/unity").connect()
    yield connected
    await connected.close()


@pytest.fixture
def home(tmp_path: Path, no_project: Path) -> Home:
    (tmp_path / "home").mkdir()
    return Home(tmp_path / "home", no_project)
