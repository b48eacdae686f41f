"""A live server on a held clock, an Editor that is connected to it, and a client."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from fake_editor import FakeEditor
from live_server import NO_HEARTBEAT, HeldClock, LiveServer
from mcp import Client


@pytest.fixture
def clock() -> HeldClock:
    """Time stands still until a test lets it pass."""
    return HeldClock()


@pytest.fixture
async def live(clock: HeldClock) -> AsyncIterator[LiveServer]:
    """A server without heartbeat, so that time can pass in large steps."""
    async with LiveServer(clock=clock, timing=NO_HEARTBEAT) as server:
        yield server


@pytest.fixture
async def editor(live: LiveServer) -> FakeEditor:
    """A connected Editor that answers what it is asked."""
    return await live.editor().connect()


@pytest.fixture
async def silent(live: LiveServer) -> FakeEditor:
    """A connected Editor that answers only what a test answers for it."""
    return await live.editor(held=True).connect()


@pytest.fixture
async def client(live: LiveServer) -> AsyncIterator[Client]:
    """An MCP client of the server."""
    async with live.client() as connected:
        yield connected
