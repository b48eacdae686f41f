"""The clock of the bridge, so that tests can bring their own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol


class Timer(Protocol):
    """A call that is due later."""

    def cancel(self) -> None:
        """Cancel the call."""


class Clock(Protocol):
    """Time in milliseconds from an arbitrary start."""

    def now_ms(self) -> float:
        """Return the present time."""

    def call_at(self, at_ms: float, callback: Callable[[], None]) -> Timer:
        """Call ``callback`` on the event loop at ``at_ms``."""


class LoopClock:
    """The running event loop's own clock."""

    def now_ms(self) -> float:
        """Return the present time."""
        return asyncio.get_running_loop().time() * 1000

    def call_at(self, at_ms: float, callback: Callable[[], None]) -> Timer:
        """Call ``callback`` on the event loop at ``at_ms``."""
        return asyncio.get_running_loop().call_at(at_ms / 1000, callback)


async def sleep_ms(clock: Clock, duration_ms: float) -> None:
    """Wait ``duration_ms`` on ``clock``."""
    over = asyncio.Event()
    timer = clock.call_at(clock.now_ms() + duration_ms, over.set)
    try:
        await over.wait()
    finally:
        timer.cancel()
