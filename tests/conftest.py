"""Settings that hold for every test."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import httpcore2
import lanes
import pytest
from hypothesis import settings
from lacking_links import skip_without_links
from user_state import set_state

# Their double of Unity's Pipeline hands sockets from process to process as POSIX does.
collect_ignore = (
    ["mcp_server/editor/pipeline", "mcp_server/doctor/test_pipeline_check.py", "chaos"]
    if os.name == "nt"
    else []
)

# No timed assertions: a busy machine must not fail a test.
settings.register_profile("untimed", deadline=None)
# What a gate says of a commit is the same each time; what else there is, is found by hand.
settings.register_profile("gate", deadline=None, derandomize=True)
settings.load_profile("gate" if os.environ.get("CI") else "untimed")

# In the background of a shell without job control SIGINT is ignored, and what the tests start would
# inherit that. A handler is not inherited: it becomes the default again.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def state_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Servers that tests start leave nothing in the user's own state folder."""
    with pytest.MonkeyPatch.context() as patch:
        set_state(patch, tmp_path_factory.mktemp("state"))
        if os.name == "nt":
            skip_without_links(patch)
        yield


@pytest.fixture(scope="session", autouse=True)
def certificates() -> Iterator[None]:
    """Read the machine's certificates once, not for each client that a test makes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(httpcore2, "default_ssl_context", cache(httpcore2.default_ssl_context))
        yield


@pytest.fixture
def anyio_backend() -> str:
    """What runs the tests that are coroutines."""
    return "asyncio"


@pytest.fixture(scope="session")
def one_in(request: pytest.FixtureRequest) -> Callable[[int], int]:
    """Of how many of its cases a test of very many runs one: so many, or with --all each."""
    runs_all = bool(request.config.getoption("all_cases"))
    return lambda number: 1 if runs_all else number


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the lanes' options."""
    lanes.add_option(parser)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out what --quick does not run; everything else is decided as usual."""
    return True if lanes.is_left_out(collection_path, config) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the lane's tests."""
    lanes.select(config, items)
    lanes.sample(config, items)


def pytest_collection_finish() -> None:
    """Keep the garbage collector from looking through 18,000 tests, which stay to the end."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Name what --quick left out."""
    if config.getoption("quick"):
        terminalreporter.section("left out by --quick")
        terminalreporter.line(", ".join(lanes.left_out()))
        terminalreporter.line("Run everything: python3 dev.py test")
