"""SIGINT, SIGTERM, SIGHUP and Windows' SIGBREAK as a wish that the server meets when it can.

Implements the first half of shutdown in docs/design/server-and-bridge.md §1. Nothing is raised
where the signal happens to arrive: while modules are being imported, an exception can get lost.
"""

from __future__ import annotations

import signal
from queue import SimpleQueue
from types import FrameType


class StopSignal:
    """Whether the process was told to end. :meth:`listen` in the main thread, once."""

    def __init__(self) -> None:
        self.received = False
        # A signal comes between any two steps, so nothing with a lock can be used; this has none.
        self._wishes: SimpleQueue[None] = SimpleQueue()

    def listen(self) -> None:
        """From now on, remember the signals instead of dying of them.

        A terminal that closes ends no server that was started below ``nohup``: there SIGHUP is
        ignored, and stays so.
        """
        for each in stop_signals():
            hangs_up = each.name == "SIGHUP"
            if not hangs_up or signal.getsignal(each) is not signal.SIG_IGN:
                signal.signal(each, self._remember)

    def receive(self) -> None:
        """Have the process end, as a signal has."""
        self.received = True
        self._wishes.put(None)

    def wait(self) -> None:
        """Wait until the process is told to end. Blocks, and is for one thread."""
        self._wishes.get()

    def _remember(self, _signal: int, _frame: FrameType | None) -> None:
        self.receive()


def stop_signals(known: object = signal) -> list[signal.Signals]:
    """The signals that tell a process of this system to end.

    SIGHUP is of a terminal that closes. On Windows nothing sends SIGTERM; Ctrl-Break, a console
    that is closed and a process group that is told to end are SIGBREAK.
    """
    names = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
    return [getattr(known, name) for name in names if hasattr(known, name)]
