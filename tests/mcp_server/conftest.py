"""The Unity project that server and command-line tests work in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from running_server import SCRIPT, SOURCE, RunningServer


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small Unity project with one script."""
    root = tmp_path / "project"
    for folder in ("Assets/Scripts", "Packages", "ProjectSettings"):
        (root / folder).mkdir(parents=True)
    (root / SCRIPT).write_bytes(SOURCE)
    return root


@pytest.fixture
def no_project(tmp_path: Path) -> Path:
    """A folder with no Unity project around it."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    return folder


@pytest.fixture
def server(project: Path) -> Iterator[RunningServer]:
    """A server that works in ``project``."""
    with RunningServer("--log-format", "json", cwd=project) as running:
        yield running


@pytest.fixture
def anyio_backend() -> str:
    """What runs the tests that are coroutines."""
    return "asyncio"
