"""What was written is on the disk, whatever becomes of the power.

Implements docs/design/systems.md "Durability". On macOS ``fsync`` only hands data to the drive,
which may keep it in a cache that the power takes along; ``F_FULLFSYNC`` has the drive write it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress

_F_FULLFSYNC = 51
"""From macOS' ``fcntl.h``."""


def make_durable(
    fd: int, system: str = sys.platform, control: Callable[[int, int], object] | None = None
) -> None:
    """Bring what was written to ``fd`` to the disk. Raises ``OSError``.

    ``control`` is the system's ``fcntl``.
    """
    if system == "darwin":
        try:
            (control or _fcntl())(fd, _F_FULLFSYNC)
            return
        except OSError:
            pass  # some file systems, network ones for example, can't
    os.fsync(fd)


def begin_write_out(fd: int) -> None:
    """Have the system begin to bring what was written to ``fd`` to the disk, if it takes advice.

    Files whose writing has begun become durable together, much sooner than one after the other.
    Keep ``fd`` open until then: what fails in between is told to those who had the file open.
    """
    if hasattr(os, "posix_fadvise"):
        with suppress(OSError):
            # Linux writes what it is to forget; what isn't written yet it keeps.
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)


def _fcntl() -> Callable[[int, int], object]:
    import fcntl  # noqa: PLC0415 - not on Windows

    return fcntl.fcntl
