"""Extended attributes and access control lists, carried over from one open file to another.

Implements docs/design/systems.md "Attributes". On Linux both are extended attributes, which Python
reads and sets. On macOS ``fcopyfile(3)`` copies them, lists of access control included, of which
Python knows nothing. On Windows a file takes its rights from its folder.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache

_COPYFILE_ACL = 1 << 0
_COPYFILE_XATTR = 1 << 2
"""From macOS' ``copyfile.h``."""

CopyFile = Callable[[int, int, None, int], int]
"""``fcopyfile``: from, to, a state, flags; below zero if it failed."""


def copy_attributes(
    source: int, target: int, system: str = sys.platform, copy: CopyFile | None = None
) -> None:
    """Give the open file ``target`` what ``source`` has, as far as the system lets us.

    ``copy`` is the system's ``fcopyfile``. Raises ``OSError`` if not even the names are told.
    """
    if system == "darwin":
        copy = copy or _fcopyfile()
        # In two calls: a list that may not be set keeps no attribute from being set.
        copy(source, target, None, _COPYFILE_XATTR)
        copy(source, target, None, _COPYFILE_ACL)
    elif hasattr(os, "listxattr"):
        for name in os.listxattr(source):
            with suppress(OSError):  # some of them only the system can set
                os.setxattr(target, name, os.getxattr(source, name))


@cache
def _fcopyfile() -> CopyFile:
    # Not at module level: it costs some milliseconds, which calls that only read need not pay.
    import ctypes  # noqa: PLC0415

    call = ctypes.CDLL(None, use_errno=True).fcopyfile
    call.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_uint32)
    call.restype = ctypes.c_int
    found: CopyFile = call
    return found
