"""The constants of the bridge (spec 02-server-and-bridge §8), and the clock they are read on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

PROTOCOL_VERSION = 1
MAX_MESSAGE_BYTES = 1_048_576
"""Largest frame either side may send, in bytes of UTF-8."""

UNITY_WS_PATH = "/unity"


@dataclass(frozen=True, slots=True)
class Timing:
    """How long things may take, in milliseconds."""

    request_reconnect_wait_ms: float = 2_500
    compile_grace_timeout_ms: float = 60_000
    heartbeat_interval_ms: float = 3_000
    heartbeat_timeout_ms: float = 4_500
    hello_timeout_ms: float = 5_000
    silence_limit_ms: float = 15_000
    """For plugins that get no pings: how long they may say nothing."""


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
