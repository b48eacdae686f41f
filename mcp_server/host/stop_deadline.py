"""The end that a server comes to, whatever hangs: some seconds after it was told to stop.

Implements docs/design/server-and-bridge.md §1. A thread that waits for a file system that has gone,
a task that won't be cancelled, an event loop that stands still: each would keep the process for
ever. What is cut off then can't be torn, as every write is atomic.
"""

from __future__ import annotations

import logging
import os
import threading
import time

from mcp_server.event_log import log_event
from mcp_server.host.stop_signal import StopSignal

STOP_LIMIT_S = 10.0
"""How long the end may take, in seconds. One that nothing keeps takes less than two."""

_LAST_WORDS_S = 0.5
"""How long it may take to say what has kept the process, in seconds: that can hang, too."""


def end_in_time(stop_signal: StopSignal) -> None:
    """Have this process end with exit code 0, :data:`STOP_LIMIT_S` seconds after ``stop_signal`` at
    the latest. Returns at once."""
    threading.Thread(target=_end, args=(stop_signal,), name="stop deadline", daemon=True).start()


def _end(stop_signal: StopSignal) -> None:
    stop_signal.wait()
    time.sleep(STOP_LIMIT_S)
    words = threading.Thread(target=_tell, name="stop overdue", daemon=True)
    words.start()
    words.join(_LAST_WORDS_S)
    os._exit(0)


def _tell() -> None:
    others = [each.name for each in threading.enumerate() if not each.name.startswith("stop ")]
    log_event(
        "stop_overdue", level=logging.WARNING, limit_s=STOP_LIMIT_S, threads=", ".join(others)
    )
