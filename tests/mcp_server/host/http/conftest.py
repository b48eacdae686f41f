"""A server in this process, without a project."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from live_server import LiveServer


@pytest.fixture
async def live() -> AsyncIterator[LiveServer]:
    """The server."""
    async with LiveServer() as server:
        yield server
