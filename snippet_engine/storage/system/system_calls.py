"""System calls that Python's ``os`` does not offer on all systems (docs/design/systems.md).

The exchange of two names is the last step of a write. A rename over a file loses what another
program has just saved; after an exchange, the replaced file still exists and can be examined.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache

_F_FULLFSYNC = 51
"""From macOS' ``fcntl.h``."""


def make_durable(
    fd: int, system: str = sys.platform, control: Callable[[int, int], object] | None = None
) -> None:
    """Flush what was written to ``fd`` to the disk. Raise ``OSError``."""
    if system == "darwin":
        try:
            (control or _fcntl())(fd, _F_FULLFSYNC)
            return
        except OSError:
            pass  # some file systems, network ones for example, can't
    os.fsync(fd)


def begin_write_out(fd: int) -> None:
    """Start writing ``fd`` to the disk, so that several files become durable together.

    Keep ``fd`` open until then, or errors in between are lost.
    """
    if hasattr(os, "posix_fadvise"):
        with suppress(OSError):
            # Linux starts to write the pages that it is asked to drop, and keeps unwritten ones.
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)


def _fcntl() -> Callable[[int, int], object]:
    import fcntl  # noqa: PLC0415 - not on Windows

    return fcntl.fcntl


_RENAME_EXCHANGE = 2
"""The flag of Linux's ``renameat2`` and, by chance, of macOS's ``renameatx_np``."""

_NOT_SUPPORTED = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP})


def exchange_names(folder_fd: int, one: str, other: str) -> bool:
    """Swap two names of an open folder; return ``False`` if the system can't. Raise ``OSError``."""
    rename = _rename_with_flags()
    if rename is None:
        return False
    number = rename(folder_fd, os.fsencode(one), os.fsencode(other))
    if number in _NOT_SUPPORTED:
        return False
    if number:
        raise OSError(number, os.strerror(number))
    return True


@cache
def _rename_with_flags() -> Callable[[int, bytes, bytes], int] | None:
    """Return the system's call, which returns an error number; ``None`` if it has none."""
    name = {"linux": "renameat2", "darwin": "renameatx_np"}.get(sys.platform)
    if name is None:
        return None
    # Not at module level: it costs some milliseconds, which calls that only read need not pay.
    import ctypes  # noqa: PLC0415

    call = getattr(ctypes.CDLL(None, use_errno=True), name, None)
    if call is None:
        return None
    call.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)

    def exchange(folder_fd: int, one: bytes, other: bytes) -> int:
        failed = call(folder_fd, one, folder_fd, other, _RENAME_EXCHANGE)
        return ctypes.get_errno() if failed else 0

    return exchange


_COPYFILE_ACL = 1 << 0
_COPYFILE_XATTR = 1 << 2
"""From macOS' ``copyfile.h``."""

CopyFile = Callable[[int, int, None, int], int]
"""``fcopyfile``: from, to, a state, flags; below zero if it failed."""


def copy_attributes(
    source: int, target: int, system: str = sys.platform, copy: CopyFile | None = None
) -> None:
    """Copy extended attributes and access control lists, as far as allowed. Raise ``OSError``."""
    if system == "darwin":
        copy = copy or _fcopyfile()
        # In two calls, so that a refused access control list doesn't prevent the attributes.
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
