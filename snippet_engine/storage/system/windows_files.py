"""Windows' view of files: handles, and the programs that have a file open.

Part of docs/design/systems.md "Files that others have open". ``CreateFileW`` shows whether a file
is open, the Restart Manager (``rstrtmgr.dll``) who opened it; both are called only after a refusal.
On other systems an open file blocks nothing, so no file counts as held.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Protocol, cast

DELETE = 0x00010000
FILE_LIST_DIRECTORY = 0x0001
FILE_SHARE_READ = 1
FILE_SHARE_WRITE = 2
FILE_SHARE_DELETE = 4
OPEN_EXISTING = 3
FILE_FLAG_BACKUP_SEMANTICS = 0x02000000
"""Needed to open a folder."""

ERROR_SHARING_VIOLATION = 32
INVALID_HANDLE_VALUE = 2 * sys.maxsize + 1
"""-1 as an address."""


class Kernel(Protocol):
    """The functions of ``kernel32`` that we use."""

    CreateFileW: Callable[..., int | None]
    CloseHandle: Callable[..., int]
    GetLastError: Callable[[], int]
    """Returns why this thread's last call failed."""


def open_handle(
    path: str | os.PathLike[str], access: int, share: int, kernel: Kernel | None = None
) -> int:
    """Return a handle of the file or folder ``path``. Raise ``OSError`` with its ``winerror``."""
    kernel = kernel or kernel32()
    handle = kernel.CreateFileW(
        os.fspath(path), access, share, None, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, None
    )
    if handle is None or handle == INVALID_HANDLE_VALUE:
        code = kernel.GetLastError()
        # From ``winerror`` Python's ``OSError`` derives ``errno``, and from that its subclass.
        raise OSError(errno.EACCES, f"Windows' error {code}", os.fspath(path), code)
    return handle


@cache
def kernel32() -> Kernel:
    """Return Windows' own functions."""
    import ctypes  # noqa: PLC0415 - other systems needn't load it
    from ctypes import c_uint32, c_void_p, c_wchar_p  # noqa: PLC0415

    # Named so that the type checker doesn't take it for another system's.
    windows: Any = cast(Any, ctypes)
    library: Any = windows.WinDLL("kernel32", use_last_error=True)
    library.CreateFileW.restype = c_void_p
    library.CreateFileW.argtypes = (
        *(c_wchar_p, c_uint32, c_uint32, c_void_p),
        *(c_uint32, c_uint32, c_void_p),
    )
    library.CloseHandle.argtypes = (c_void_p,)
    library.GetLastError = windows.get_last_error  # another call may come between the two
    return cast(Kernel, library)


_MAX_HOLDERS = 4
"""Most programs that are named, because the names go into a message."""

if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    class _UniqueProcess(ctypes.Structure):
        _fields_ = (("pid", wintypes.DWORD), ("started", wintypes.FILETIME))

    class _ProcessInfo(ctypes.Structure):
        _fields_ = (
            ("process", _UniqueProcess),
            ("name", wintypes.WCHAR * 256),
            ("service", wintypes.WCHAR * 64),
            ("type", ctypes.c_int),
            ("status", wintypes.ULONG),
            ("session", wintypes.DWORD),
            ("restartable", wintypes.BOOL),
        )

    def is_held(path: str | os.PathLike[str]) -> bool:
        """Return whether ``path`` can't be renamed because it is open elsewhere."""
        share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE
        try:
            handle = open_handle(path, DELETE, share)
        except OSError as error:
            return error.winerror == ERROR_SHARING_VIOLATION
        kernel32().CloseHandle(handle)
        return False

    def names_of_holders(path: str | os.PathLike[str]) -> tuple[str, ...]:
        """Return the names of the programs that have ``path`` open, as far as known."""
        try:
            manager = ctypes.WinDLL("rstrtmgr")
            session = wintypes.DWORD()
            key = ctypes.create_unicode_buffer(33)
            if manager.RmStartSession(ctypes.byref(session), 0, key):
                return ()
            try:
                files = (wintypes.LPCWSTR * 1)(str(Path(path).absolute()))
                if manager.RmRegisterResources(session, 1, files, 0, None, 0, None):
                    return ()
                needed, reasons = wintypes.UINT(), wintypes.DWORD()
                count = wintypes.UINT(_MAX_HOLDERS)
                found = (_ProcessInfo * _MAX_HOLDERS)()
                told = (ctypes.byref(needed), ctypes.byref(count), found, ctypes.byref(reasons))
                manager.RmGetList(session, *told)  # if there are more, the first ones
                return tuple(each.name for each in found[: count.value] if each.name)
            finally:
                manager.RmEndSession(session)
        except (OSError, AttributeError):
            return ()
else:

    def is_held(path: str | os.PathLike[str]) -> bool:  # noqa: ARG001 - the other system's
        """Whether ``path`` can't be renamed because it is open elsewhere: never, here."""
        return False

    def names_of_holders(path: str | os.PathLike[str]) -> tuple[str, ...]:  # noqa: ARG001
        """Return the names of the programs that have ``path`` open: none, here."""
        return ()
