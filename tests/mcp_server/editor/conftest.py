"""A live server on a held clock."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from live_server import NO_HEARTBEAT, HeldClock, LiveServer


@pytest.fixture
def clock() -> HeldClock:
    """Time stands still until a test lets it pass."""
    return HeldClock()


@pytest.fixture
async def live(clock: HeldClock) -> AsyncIterator[LiveServer]:
    """A server without heartbeat, so that time can pass in large steps."""
    async with LiveServer(clock=clock, timing=NO_HEARTBEAT) as server:
        yield server
