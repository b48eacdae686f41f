"""Whose turn it is: one question at a time, and quick ones don't wait for long ones to end.

A long question that is interrupted is asked again when no quick one waits; what it has found out so
far is known by then. It is interrupted a few times at most.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition
from typing import TypeVar

from roslyn_server.compiler.calls import Cancellation, CancelledError

_Answer = TypeVar("_Answer")

MAX_INTERRUPTIONS = 20
"""How often one long question gives way."""


_NICENESS = 10


def be_nice() -> None:
    """Let this thread have what others leave, where the system knows such a thing for threads."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)


class Turns:
    """Hands out turns to questions from whatever threads."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._is_taken = False
        self._quick = 0
        """Quick questions that wait."""
        self._interrupt: Cancellation | None = None
        """Ends the long question whose turn it is, if it gives way."""

    @contextmanager
    def quick(self) -> Iterator[None]:
        """A turn as soon as can be."""
        with self._changed:
            self._quick += 1
            if self._interrupt is not None:
                self._interrupt.cancel()
            self._changed.wait_for(lambda: not self._is_taken)
            self._quick -= 1
            self._is_taken = True
        try:
            yield
        finally:
            self._end()

    def long(self, ask: Callable[[Cancellation], _Answer], cancellation: Cancellation) -> _Answer:
        """What ``ask`` answers, which ends when the cancellation says so that it is given.

        Raises ``CancelledError`` once ``cancellation`` does.
        """
        interruptions = 0
        while True:
            interrupt = cancellation.linked()
            with self._changed:
                self._changed.wait_for(lambda: not self._is_taken and not self._quick)
                self._is_taken = True
                self._interrupt = interrupt if interruptions < MAX_INTERRUPTIONS else None
            try:
                return ask(interrupt)
            except CancelledError:
                interruptions += 1
                if cancellation.is_cancelled:
                    raise
            finally:
                self._end()

    def _end(self) -> None:
        with self._changed:
            self._is_taken = False
            self._interrupt = None
            self._changed.notify_all()
