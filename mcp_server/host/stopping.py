"""How a server is told to end, and how it ends in time.

Implements docs/design/server-and-bridge.md §1.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from queue import SimpleQueue

from mcp_server.event_log import log_event
from mcp_server.interrupt_signals import ending_signals

STOP_LIMIT_S = 10.0
"""For the server to end, in seconds. Without a hang it takes less than two."""

_LAST_WORDS_S = 0.5
"""For the last log line, in seconds: that can hang, too."""


class StopSignal:
    """Remembers whether the process is to end, because of a signal or otherwise.

    No exception is raised when a signal arrives, because one can get lost while modules are
    imported.
    """

    def __init__(self) -> None:
        self.received = False
        # Without locks, because a signal arrives between any two steps.
        self._wishes: SimpleQueue[None] = SimpleQueue()

    def listen(self) -> None:
        """Note the stop signals from now on. Call it in the main thread, once.

        Under ``nohup`` SIGHUP stays ignored.
        """
        for each in ending_signals():
            hangs_up = each.name == "SIGHUP"
            if not hangs_up or signal.getsignal(each) is not signal.SIG_IGN:
                signal.signal(each, lambda _signal, _frame: self.receive())

    def receive(self) -> None:
        """End the process, as a signal does."""
        self.received = True
        self._wishes.put(None)

    def wait(self) -> None:
        """Block until the process is to end. Only one thread may wait."""
        self._wishes.get()


def end_in_time(stop_signal: StopSignal) -> None:
    """End this process with exit code 0 within :data:`STOP_LIMIT_S` after ``stop_signal``.

    Whatever hangs by then is cut off. Nothing is torn, because every write is atomic. Returns at
    once.
    """
    threading.Thread(target=_end, args=(stop_signal,), name="stop deadline", daemon=True).start()


def _end(stop_signal: StopSignal) -> None:
    stop_signal.wait()
    time.sleep(STOP_LIMIT_S)
    words = threading.Thread(target=_log_overdue, name="stop overdue", daemon=True)
    words.start()
    words.join(_LAST_WORDS_S)
    os._exit(0)


def _log_overdue() -> None:
    others = [each.name for each in threading.enumerate() if not each.name.startswith("stop ")]
    log_event(
        "stop_overdue", level=logging.WARNING, limit_s=STOP_LIMIT_S, threads=", ".join(others)
    )
