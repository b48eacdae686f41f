"""Handles of files and folders, as Windows gives them: with each it is said what others may do
meanwhile.

Part of docs/design/systems.md "Files that others have open". The names and values are those that
Microsoft documents for ``CreateFileW``.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from functools import cache
from typing import Any, Protocol, cast

DELETE = 0x00010000
FILE_LIST_DIRECTORY = 0x0001
FILE_SHARE_READ = 1
FILE_SHARE_WRITE = 2
FILE_SHARE_DELETE = 4
OPEN_EXISTING = 3
FILE_FLAG_BACKUP_SEMANTICS = 0x02000000
"""Without it no folder is opened."""

ERROR_SHARING_VIOLATION = 32
INVALID_HANDLE_VALUE = 2 * sys.maxsize + 1
"""-1 as an address."""


class Kernel(Protocol):
    """What is used of ``kernel32``. ``GetLastError``: why the last call of this thread failed."""

    CreateFileW: Callable[..., int | None]
    CloseHandle: Callable[..., int]
    GetLastError: Callable[[], int]


def open_handle(
    path: str | os.PathLike[str], access: int, share: int, kernel: Kernel | None = None
) -> int:
    """A handle of the file or folder that has ``path``, for whoever closes it.

    Raises ``OSError`` with Windows' own code as ``winerror``.
    """
    kernel = kernel or kernel32()
    handle = kernel.CreateFileW(
        os.fspath(path), access, share, None, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, None
    )
    if handle is None or handle == INVALID_HANDLE_VALUE:
        code = kernel.GetLastError()
        # Windows itself makes the number of the code, and the kind of error of that.
        raise OSError(errno.EACCES, f"Windows' error {code}", os.fspath(path), code)
    return handle


@cache
def kernel32() -> Kernel:
    """Windows' own."""
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
