"""Settings that hold for every test."""

from __future__ import annotations

import pytest
from hypothesis import settings

# No timed assertions: a busy machine must not fail a test.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture
def anyio_backend() -> str:
    """What runs the tests that are coroutines."""
    return "asyncio"
