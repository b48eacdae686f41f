"""Decide when to ask an Editor again that has stopped answering.

Implements docs/design/server-and-bridge.md §6 "Jobs". The server's own questions block other
requests until they are answered or given up. After each question without an answer, the next
question waits longer.
"""

from __future__ import annotations

import asyncio

from unity_bridge.clock import Clock

FIRST_PAUSE_MS = 5_000
LONGEST_PAUSE_MS = 60_000


class Backoff:
    """Decides when an Editor that stopped answering may be asked again. Lives on one event loop."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._pause_ms = 0.0
        self._until_ms = 0.0
        self._broken = asyncio.Event()

    def note(self, is_answered: bool) -> None:
        """Note whether a question was answered. If not, the next question has to wait."""
        if is_answered:
            return
        self._pause_ms = min(max(2 * self._pause_ms, FIRST_PAUSE_MS), LONGEST_PAUSE_MS)
        self._until_ms = self._clock.now_ms() + self._pause_ms

    def reset(self) -> None:
        """Note that the Editor answered or reconnected, so that questions may be asked again."""
        self._pause_ms = self._until_ms = 0.0
        self._broken.set()

    @property
    def is_active(self) -> bool:
        """Return whether a question has to wait now."""
        return self._clock.now_ms() < self._until_ms

    async def wait(self) -> None:
        """Wait until the next question may be asked."""
        while self.is_active:
            self._broken.clear()  # set at the end of an earlier pause
            timer = self._clock.call_at(self._until_ms, self._broken.set)
            try:
                await self._broken.wait()
            finally:
                timer.cancel()
