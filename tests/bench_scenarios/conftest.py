"""A bench on Mono for every scenario; on a machine without Mono they are skipped, and say so."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from running_server import free_port
from stage import Stage, on_stage

from tests.bench import assemblies
from tests.bench.installation import Installation, Runtime, install
from tests.bench.toolchains import MissingToolError


def installed(runtime: Runtime, **options: object) -> Installation:
    try:
        return install(runtime, **options)  # type: ignore[arg-type]
    except MissingToolError as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="session")
def on_mono() -> Installation:
    """The package on Mono."""
    return installed(Runtime.MONO)


@pytest.fixture(scope="session", params=list(Runtime), ids=lambda runtime: runtime.value)
def on_either(request: pytest.FixtureRequest) -> Installation:
    """The package on Mono, and on .NET."""
    return installed(request.param)


@pytest.fixture(scope="session")
def probe() -> Installation:
    """The probe on Mono."""
    return installed(Runtime.MONO, package=assemblies.PROBE)


@pytest.fixture
def unused_tcp_port() -> int:
    """A port that nobody listens on."""
    return free_port()


@pytest.fixture
async def stage(on_mono: Installation, tmp_path: Path) -> AsyncIterator[Stage]:
    """A server, a bench on Mono that is connected to it, and an MCP client."""
    async with on_stage(on_mono, tmp_path) as found:
        yield found


@pytest.fixture
async def anywhere(on_either: Installation, tmp_path: Path) -> AsyncIterator[Stage]:
    """The same with the bench on Mono, and on .NET."""
    async with on_stage(on_either, tmp_path) as found:
        yield found
