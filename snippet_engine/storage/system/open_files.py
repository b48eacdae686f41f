"""Room for open files: a change set of hundreds of files holds a lock on each.

Systems allow 256 or 1024 open files by default, and more if a process asks.
"""

from __future__ import annotations

from contextlib import suppress

_OTHERS = 512
"""Files that a process has open besides."""


def allow_open_files(count: int) -> None:
    """Let this process open ``count`` more files, if the system permits it."""
    try:
        import resource  # noqa: PLC0415 - not on Windows, which allows 8,192
    except ImportError:
        return
    wanted = count + _OTHERS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
