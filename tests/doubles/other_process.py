"""A process that is not our child, and its end, which each system tells in its own way."""

from __future__ import annotations

import ctypes
import os
import select
import time
from typing import Any

ENDED_WITHIN_S = 180.0
_SYNCHRONIZE = 0x0010_0000


class Watched:
    """A process that is there; its end can be waited for. A context manager.

    Linux and Windows have a handle of it, so that it stays that process. Elsewhere its number is
    asked for again and again.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._handle: Any = None
        if os.name == "nt":
            self._kernel = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined]
            self._kernel.OpenProcess.restype = ctypes.c_void_p
            self._handle = ctypes.c_void_p(self._kernel.OpenProcess(_SYNCHRONIZE, False, pid))
            assert self._handle, "it is gone too early"
        elif hasattr(os, "pidfd_open"):
            self._handle = os.pidfd_open(pid)

    def __enter__(self) -> Watched:
        return self

    def __exit__(self, *_: object) -> None:
        if os.name == "nt":
            self._kernel.CloseHandle(self._handle)
        elif self._handle is not None:
            os.close(self._handle)

    @property
    def alive(self) -> bool:
        return not self._ends_within(0)

    def wait(self) -> None:
        assert self._ends_within(ENDED_WITHIN_S), "the process goes on"

    def _ends_within(self, seconds: float) -> bool:
        if os.name == "nt":
            return bool(self._kernel.WaitForSingleObject(self._handle, int(seconds * 1000)) == 0)
        if self._handle is not None:
            poll = select.poll()
            poll.register(self._handle, select.POLLIN)
            return bool(poll.poll(seconds * 1000))
        end = time.monotonic() + seconds
        while self._runs():
            if time.monotonic() >= end:
                return False
            time.sleep(0.01)
        return True

    def _runs(self) -> bool:
        try:
            os.kill(self._pid, 0)
        except ProcessLookupError:
            return False
        return True
