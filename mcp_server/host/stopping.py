"""Receive signals to end the server, and end it in time.

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
"""Most seconds for the server to end. If nothing hangs, it takes less than two."""

_LAST_WORDS_S = 0.5
"""Most seconds for the last log line, because logging may hang, too."""


class StopSignal:
    """Remembers that the process is to end, because of a signal or for another reason.

    A signal raises no exception, because an exception may get lost while modules are imported.
    """

    def __init__(self) -> None:
        self.received = False
        # A queue without locks, because a signal may arrive between any two steps.
        self._wishes: SimpleQueue[None] = SimpleQueue()

    def listen(self) -> None:
        """Note the stop signals from now on. Call it once, in the main thread.

        Under ``nohup``, SIGHUP stays ignored.
        """
        for each in ending_signals():
            hangs_up = each.name == "SIGHUP"
            if not hangs_up or signal.getsignal(each) is not signal.SIG_IGN:
                signal.signal(each, lambda _signal, _frame: self.receive())

    def receive(self) -> None:
        """Ask the process to end, as a signal does."""
        self.received = True
        self._wishes.put(None)

    def wait(self) -> None:
        """Block until the process is to end. Only one thread may wait."""
        self._wishes.get()


def end_in_time(stop_signal: StopSignal) -> None:
    """End this process with exit code 0 at most :data:`STOP_LIMIT_S` after ``stop_signal``.

    Threads that still hang are cut off. No file is left half written, because every write is
    atomic. Returns at once.
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
