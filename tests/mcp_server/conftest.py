"""The Unity projects and servers that server and command-line tests work with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import running_server
from running_server import SCRIPT, SOURCE, RunningServer, make_project


@pytest.fixture(scope="session", autouse=True)
def started_ones(one_in: Callable[[int], int]) -> None:
    """How many servers are started and not forked."""
    running_server.START_ONE_IN = one_in(running_server.START_ONE_IN)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A Unity project of the test's own."""
    return make_project(tmp_path / "project")


@pytest.fixture
def no_project(tmp_path: Path) -> Path:
    """A folder with no Unity project around it."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    return folder


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server that the module's tests share, as starting one takes a second."""
    with RunningServer(cwd=make_project(tmp_path_factory.mktemp("served") / "project")) as running:
        yield running


@pytest.fixture
def script(server: RunningServer) -> Path:
    """The script of the shared server's project, as new."""
    path = server.cwd / SCRIPT
    path.write_bytes(SOURCE)
    return path
