"""The clock that everything in the bridge reads, so that tests can bring their own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol


class Timer(Protocol):
    """Something that will happen, unless it is cancelled."""

    def cancel(self) -> None:
        """Let it not happen."""


class Clock(Protocol):
    """Time in milliseconds from an arbitrary start; tests bring their own."""

    def now_ms(self) -> float:
        """The present."""

    def call_at(self, at_ms: float, callback: Callable[[], None]) -> Timer:
        """Call ``callback`` once it is ``at_ms``."""


class LoopClock:
    """The running event loop's own clock."""

    def now_ms(self) -> float:
        """The present."""
        return asyncio.get_running_loop().time() * 1000

    def call_at(self, at_ms: float, callback: Callable[[], None]) -> Timer:
        """Call ``callback`` on the event loop once it is ``at_ms``."""
        return asyncio.get_running_loop().call_at(at_ms / 1000, callback)


async def sleep_ms(clock: Clock, duration_ms: float) -> None:
    """Wait ``duration_ms`` on ``clock``."""
    over = asyncio.get_running_loop().create_future()

    def wake() -> None:
        if not over.done():
            over.set_result(None)

    timer = clock.call_at(clock.now_ms() + duration_ms, wake)
    try:
        await over
    finally:
        timer.cancel()
