"""A call that comes to a halt in the middle of a write, until it is let go on."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Paused:
    """Such a call; where it is, is told."""

    def __init__(self, real: Callable[..., object]) -> None:
        self.is_there, self.go_on = threading.Event(), threading.Event()
        self._real = real

    def __call__(self, *given: object, **named: object) -> object:
        self.is_there.set()
        assert self.go_on.wait(60)
        return self._real(*given, **named)
