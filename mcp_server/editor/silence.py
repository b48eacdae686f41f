"""An Editor that doesn't answer what the server asks by itself: how long it is left alone.

Implements docs/design/server-and-bridge.md §6 "Jobs". Each such question keeps the Editor from
everybody else until it is answered or given up. So after one that was given up the next waits, each
time longer, however many jobs there are to be asked about.
"""

from __future__ import annotations

import asyncio

from unity_bridge.clock import Clock

FIRST_PAUSE_MS = 5_000
LONGEST_PAUSE_MS = 60_000


class Silence:
    """Lives on one event loop."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._pause_ms = 0.0
        self._until_ms = 0.0
        self._broken = asyncio.Event()

    def unanswered(self) -> None:
        """A question was given up: the next one has to wait."""
        self._pause_ms = min(max(2 * self._pause_ms, FIRST_PAUSE_MS), LONGEST_PAUSE_MS)
        self._until_ms = self._clock.now_ms() + self._pause_ms

    def broken(self) -> None:
        """The Editor has answered somebody, or is another connection: whoever waits may ask."""
        self._pause_ms = self._until_ms = 0.0
        self._broken.set()

    @property
    def lasts(self) -> bool:
        """Whether a question now would have to wait."""
        return self._clock.now_ms() < self._until_ms

    async def over(self) -> None:
        """Wait until it is worth asking again."""
        while self.lasts:
            self._broken.clear()  # as it was set by the end of a pause that was made longer since
            timer = self._clock.call_at(self._until_ms, self._broken.set)
            try:
                await self._broken.wait()
            finally:
                timer.cancel()
