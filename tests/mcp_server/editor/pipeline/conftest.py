"""An Editor with Unity's Pipeline package, in each dialect, and a server that finds it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from live_server import LiveServer
from mcp import Client
from pipeline_editor import PipelineEditor
from pipeline_editor.dialects import Dialect

from mcp_server.host.config import EditorRoad
from unity_bridge.timing import Pace

QUICK = Pace(
    idle_ms=30, busy_ms=15, compile_look_ms=50, play_look_ms=40, retry_ms=10, status_file_ms=15
)


IN_EACH = [pytest.param(each, marks=pytest.mark.sampled(one_in=2), id=each) for each in Dialect]


@pytest.fixture(params=IN_EACH)
def dialect(request: pytest.FixtureRequest) -> Dialect:
    """Every dialect in turn; of all cases that differ only by it, a sample runs."""
    found: Dialect = request.param
    return found


@pytest.fixture
def unity(project: Path, dialect: Dialect) -> Iterator[PipelineEditor]:
    """An Editor that has the project open."""
    with PipelineEditor(project, dialect) as editor:
        yield editor
        editor.stop()


@pytest.fixture
def pace() -> Pace:
    """How often the server looks."""
    return QUICK


@pytest.fixture
async def live(project: Path, pace: Pace) -> AsyncIterator[LiveServer]:
    """A server that has not looked for an Editor for long."""
    async with LiveServer(project=project, editor=EditorRoad.PIPELINE, pace=pace) as server:
        yield server


@pytest.fixture
async def connected(live: LiveServer, unity: PipelineEditor) -> LiveServer:
    """The same, once it has found :func:`unity`."""
    await live.logged("editor_state", state="ready", connected=True)
    return live


@pytest.fixture
async def client(connected: LiveServer) -> AsyncIterator[Client]:
    """An MCP client of a server that has found :func:`unity`."""
    async with connected.client() as made:
        yield made
