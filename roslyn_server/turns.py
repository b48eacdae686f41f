"""Take turns: one question at a time, quick ones interrupt long ones, slow assemblies delay none.

An interrupted question is asked again once no quick one waits, and keeps its results so far. It is
interrupted a limited number of times.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from threading import Condition
from typing import TypeVar

from roslyn_server.compiler.calls import Cancellation, CancelledError

_Answer = TypeVar("_Answer")

MAX_INTERRUPTIONS = 20
"""How often one long question is interrupted."""


_NICENESS = 10


def lower_priority() -> None:
    """Lower this thread's priority, on systems that allow it."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)


class Turns:
    """Hands out turns to questions from any thread."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._is_taken = False
        self._quick = 0
        """Number of waiting quick questions."""
        self._interrupt: Cancellation | None = None
        """Interrupts the current long question, if it may be interrupted."""

    @contextmanager
    def quick(self) -> Iterator[None]:
        """Take a turn as soon as possible."""
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
        """Return what ``ask`` answers, interrupting it through its cancellation.

        Raises ``CancelledError`` once ``cancellation`` is cancelled.
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


FIRST_PAUSE_S = 5.0
LONGEST_PAUSE_S = 300.0


class SlowAssemblies:
    """The assemblies that take longer than callers wait, by name, so that none waits in vain.

    An assembly is tried again after a pause, which doubles each time that it is late again. Time is
    a parameter, in seconds on a steady clock.
    """

    def __init__(self) -> None:
        self._slow: dict[str, tuple[float, float]] = {}
        """Until when each slow assembly isn't waited for, and the length of that pause."""

    def is_waited_for(self, assemblies: Collection[str], now_s: float) -> bool:
        """Return whether to wait for a verdict on all of these."""
        return not any(now_s < self._slow[each][0] for each in assemblies if each in self._slow)

    @property
    def are_any(self) -> bool:
        """Return whether any assembly is slow."""
        return bool(self._slow)

    def came(self, assembly: str, now_s: float, *, late: bool) -> None:
        """Record when a verdict on an assembly came."""
        _, last = self._slow.pop(assembly, (0.0, 0.0))
        if late:
            pause = min(LONGEST_PAUSE_S, max(FIRST_PAUSE_S, 2 * last))
            self._slow[assembly] = (now_s + pause, pause)
