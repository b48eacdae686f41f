"""Whether whoever reads what this process writes has gone, as each system says so.

Implements docs/design/systems.md "Texts".
"""

from __future__ import annotations

import errno
import os


def nobody_reads(failure: BaseException, *, windows: bool = os.name == "nt") -> bool:
    """Whether ``failure`` is that of a pipe that nobody reads any more.

    Windows' C library has no number for that and calls it an invalid argument. It names no file,
    and isn't an error of the system's own, which has a number of Windows'.
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
