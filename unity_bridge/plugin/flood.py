"""How much a plugin may say unasked, without I/O: what is more than that counts as garbage.

Implements docs/design/wire-protocol.md "Floods". An Editor says a few dozen things a second at
most, in all its states; what answers a request of ours is not counted.
"""

from __future__ import annotations

from dataclasses import dataclass

MAX_UNASKED_FRAMES = 200
"""Frames in one window that answer no request."""

MAX_UNASKED_LENGTH = 8 * 1024 * 1024
"""Their length together, in code points (or bytes, of binary ones)."""

WINDOW_MS = 1_000


@dataclass(frozen=True, slots=True)
class Unasked:
    """What one connection has said unasked since ``since_ms``."""

    since_ms: float = float("-inf")
    frames: int = 0
    length: int = 0

    def and_one(self, length: int, now_ms: float) -> Unasked:
        """The same with one more frame, which is ``length`` long."""
        if now_ms - self.since_ms >= WINDOW_MS:
            return Unasked(now_ms, 1, length)
        return Unasked(self.since_ms, self.frames + 1, self.length + length)

    @property
    def too_much(self) -> bool:
        """Whether this is a flood."""
        return self.frames > MAX_UNASKED_FRAMES or self.length > MAX_UNASKED_LENGTH
