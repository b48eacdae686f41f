"""Recognize a closed pipe, on every system.

Implements docs/design/systems.md "Texts".
"""

from __future__ import annotations

import errno
import os


def nobody_reads(failure: BaseException, *, windows: bool = os.name == "nt") -> bool:
    """Return whether ``failure`` is a write to a pipe without a reader.

    Windows' C library calls that an invalid argument, without a file and without a number of
    Windows' own.
    """
    if isinstance(failure, BrokenPipeError):
        return True
    return (
        windows
        and isinstance(failure, OSError)
        and failure.errno == errno.EINVAL
        and failure.filename is None
        and getattr(failure, "winerror", None) is None
    )
