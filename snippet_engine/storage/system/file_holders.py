"""Whether other programs have a file open, and which: questions for Windows.

Part of docs/design/systems.md "Files that others have open". ``CreateFileW`` tells whether, the
Restart Manager (``rstrtmgr.dll``) who; both are asked only after something was refused. Elsewhere
an open file is in nobody's way, and the answers are *no* and *nobody*.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from snippet_engine.storage.system.windows_handle import (
    DELETE,
    ERROR_SHARING_VIOLATION,
    FILE_SHARE_DELETE,
    FILE_SHARE_READ,
    FILE_SHARE_WRITE,
    kernel32,
    open_handle,
)

_MAX_HOLDERS = 4
"""Names are for a message; more would not be read."""

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
        """Whether ``path`` can't be renamed because it is open elsewhere."""
        share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE
        try:
            handle = open_handle(path, DELETE, share)
        except OSError as error:
            return error.winerror == ERROR_SHARING_VIOLATION
        kernel32().CloseHandle(handle)
        return False

    def names_of_holders(path: str | os.PathLike[str]) -> tuple[str, ...]:
        """What the programs that have ``path`` open are called, as far as that can be told."""
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
                manager.RmGetList(session, *told)  # of more than fit, those that fit
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
        """What the programs that have ``path`` open are called: not asked, here."""
        return ()
