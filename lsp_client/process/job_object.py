"""End child processes with this one on Windows, by a job object.

Implements docs/design/systems.md "Processes". Windows ends all processes in such a job once no
handle to it is open. It closes a process's handles when the process ends in any way.
"""

from __future__ import annotations

import ctypes
import sys
from ctypes import c_int64, c_size_t, c_uint32, c_uint64
from typing import Any, cast

KILL_ON_JOB_CLOSE = 0x2000
EXTENDED_LIMIT_INFORMATION = 9
PROCESS_TERMINATE = 0x0001
PROCESS_SET_QUOTA = 0x0100
"""Names and values as documented for ``SetInformationJobObject`` and
``AssignProcessToJobObject``."""


class BasicLimits(ctypes.Structure):
    """``JOBOBJECT_BASIC_LIMIT_INFORMATION``."""

    _fields_ = (
        ("per_process_time", c_int64),
        ("per_job_time", c_int64),
        ("flags", c_uint32),
        ("minimum_working_set", c_size_t),
        ("maximum_working_set", c_size_t),
        ("active_processes", c_uint32),
        ("affinity", c_size_t),
        ("priority_class", c_uint32),
        ("scheduling_class", c_uint32),
    )


class ExtendedLimits(ctypes.Structure):
    """``JOBOBJECT_EXTENDED_LIMIT_INFORMATION``."""

    _fields_ = (
        ("basic", BasicLimits),
        ("io_counters", c_uint64 * 6),
        ("process_memory", c_size_t),
        ("job_memory", c_size_t),
        ("peak_process_memory", c_size_t),
        ("peak_job_memory", c_size_t),
    )


class JobObject:
    """Processes that end with this one, or with :meth:`close`. Safe to close twice."""

    def __init__(self, kernel: Any = None) -> None:
        """``kernel`` has functions of ``kernel32``, for tests."""
        self._kernel = kernel or _kernel32()
        self._handle = self._kernel.CreateJobObjectW(None, None)
        if self._handle:
            limits = ExtendedLimits()
            limits.basic.flags = KILL_ON_JOB_CLOSE
            size = ctypes.sizeof(limits)
            if not self._kernel.SetInformationJobObject(
                self._handle, EXTENDED_LIMIT_INFORMATION, ctypes.byref(limits), size
            ):
                self.close()

    def add(self, pid: int) -> bool:
        """Put a child into the job, with every process that it starts from now on.

        Returns ``False`` if the system refuses; the caller must then end the child. Keep its
        ``Popen``, so that its process id isn't reused meanwhile.
        """
        if not self._handle:
            return False
        process = self._kernel.OpenProcess(PROCESS_SET_QUOTA | PROCESS_TERMINATE, False, pid)
        if not process:
            return False
        try:
            return bool(self._kernel.AssignProcessToJobObject(self._handle, process))
        finally:
            self._kernel.CloseHandle(process)

    def close(self) -> None:
        """End everything in the job."""
        if self._handle:
            self._kernel.CloseHandle(self._handle)
            self._handle = None


def job_of_ours() -> JobObject | None:
    """Return a new job object on Windows, ``None`` elsewhere."""
    return JobObject() if sys.platform == "win32" else None


def _kernel32() -> Any:
    # Named so that the type checker doesn't take it for another system's.
    library: Any = cast(Any, ctypes).WinDLL("kernel32", use_last_error=True)
    handle, number, pointer = ctypes.c_void_p, c_uint32, ctypes.c_void_p
    library.CreateJobObjectW.restype = handle
    library.CreateJobObjectW.argtypes = (pointer, ctypes.c_wchar_p)
    library.SetInformationJobObject.argtypes = (handle, ctypes.c_int, pointer, number)
    library.OpenProcess.restype = handle
    library.OpenProcess.argtypes = (number, ctypes.c_int, number)
    library.AssignProcessToJobObject.argtypes = (handle, handle)
    library.CloseHandle.argtypes = (handle,)
    return library
