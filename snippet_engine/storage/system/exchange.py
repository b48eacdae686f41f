"""Two names of one folder exchanged in one step, where the system can.

Implements the last step of the write of docs/design/engine.md §5. A rename over a file loses what
another program saved there a moment ago; after an exchange it is still there, and can be looked at.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from functools import cache

_RENAME_EXCHANGE = 2
"""The flag of Linux's ``renameat2`` and, by chance, of macOS's ``renameatx_np``."""

_NOT_SUPPORTED = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP})


def exchange_names(folder_fd: int, one: str, other: str) -> bool:
    """Let two files of an open folder swap names; ``False``, and nothing done, if that can't be.

    Raises ``OSError``, ``FileNotFoundError`` if one of them is gone.
    """
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
    """The system's call, which returns an error number; ``None`` if it has none."""
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
