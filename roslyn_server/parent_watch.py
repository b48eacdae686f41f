"""Ending with the process that started this one, however that one ends.

A client that ends closes our stdin, which ends the server; unless a child of that client has
inherited the pipe's other end. So the parent itself is watched.
"""

from __future__ import annotations

import os
import sys
import threading
import time

_POLL_SECONDS = 1.0


def exit_with_parent() -> None:
    """From now on, end this process when its parent has gone."""
    parent = os.getppid()
    threading.Thread(target=_outlive, args=(parent,), daemon=True, name="parent watch").start()


def exit_unless(spoken_to: threading.Event, seconds: float) -> None:
    """End this process if ``spoken_to`` isn't set within so many seconds.

    A parent that ended before it could be watched leaves nobody who would ever speak.
    """

    def wait() -> None:
        if not spoken_to.wait(seconds):
            os._exit(1)

    threading.Thread(target=wait, daemon=True, name="first word").start()


def _outlive(parent: int) -> None:
    _wait_for_end(parent)
    os._exit(1)


if sys.platform == "win32":
    import ctypes

    _SYNCHRONIZE = 0x0010_0000
    _FOREVER = 0xFFFF_FFFF

    def _wait_for_end(parent: int) -> None:
        process = ctypes.windll.kernel32.OpenProcess(_SYNCHRONIZE, False, parent)
        if process:
            ctypes.windll.kernel32.WaitForSingleObject(process, _FOREVER)

else:

    def _wait_for_end(parent: int) -> None:
        # An orphan is adopted by another process; the number of the old one may be given out anew.
        while os.getppid() == parent:
            time.sleep(_POLL_SECONDS)
