"""Whether other programs have a file open, and which: questions for Windows.

Part of docs/design/systems.md "Files that others have open". ``CreateFileW`` tells whether, the
Restart Manager (``rstrtmgr.dll``) who; both are asked only after something was refused. Elsewhere
an open file is in nobody's way, and the answers are *no* and *nobody*.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

_MAX_HOLDERS = 4
"""Names are for a message; more would not be read."""

if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    _DELETE = 0x00010000
    _SHARE_ALL = 1 | 2 | 4
    _OPEN_EXISTING = 3
    _BACKUP_SEMANTICS = 0x02000000  # folders can be opened, too
    _INVALID = ctypes.c_void_p(-1).value
    _SHARING_VIOLATION = 32

    _kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
    _kernel32.CreateFileW.restype = ctypes.c_void_p
    _kernel32.CreateFileW.argtypes = (
        *(wintypes.LPCWSTR, wintypes.DWORD, wintypes.DWORD, ctypes.c_void_p),
        *(wintypes.DWORD, wintypes.DWORD, ctypes.c_void_p),
    )
    _kernel32.CloseHandle.argtypes = (ctypes.c_void_p,)

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
        handle = _kernel32.CreateFileW(
            os.fspath(path), _DELETE, _SHARE_ALL, None, _OPEN_EXISTING, _BACKUP_SEMANTICS, None
        )
        if handle == _INVALID:
            return ctypes.get_last_error() == _SHARING_VIOLATION
        _kernel32.CloseHandle(handle)
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
