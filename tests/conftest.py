"""Settings that hold for every test."""

from __future__ import annotations

import signal

import pytest
from hypothesis import settings

# No timed assertions: a busy machine must not fail a test.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

# In the background of a shell without job control SIGINT is ignored, and what the tests start would
# inherit that. A handler is not inherited: it becomes the default again.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def anyio_backend() -> str:
    """What runs the tests that are coroutines."""
    return "asyncio"
