"""A server in this process, whose clock stands still, and sees no heartbeat in it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from live_server import NO_HEARTBEAT, HeldClock, LiveServer


@pytest.fixture
def clock() -> HeldClock:
    """Its clock."""
    return HeldClock()


@pytest.fixture
async def live(clock: HeldClock) -> AsyncIterator[LiveServer]:
    """The server, without a project."""
    async with LiveServer(clock=clock, timing=NO_HEARTBEAT) as server:
        yield server
