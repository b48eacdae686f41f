"""What the system under the tests has, so that they can be collected, and as far as they mean
something run, on all of them."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence

import pytest

KILL = getattr(signal, "SIGKILL", signal.SIGTERM)
"""Ends a process without its help. On Windows ``os.kill`` does that with any number."""

needs_posix = pytest.mark.skipif(
    os.name != "posix", reason="rights of files, FIFOs, fork and signals: POSIX only"
)

needs_fifo = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no FIFOs")

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system can't fork")

needs_exchange = pytest.mark.skipif(
    os.name == "nt", reason="Windows can't exchange names: who saves in the last instant loses"
)

needs_leases = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux tells who has a file open for writing"
)

only_windows = pytest.mark.skipif(os.name != "nt", reason="a rule of Windows")


def _on_wine() -> bool:
    import ctypes

    library = getattr(ctypes, "windll", None)
    return library is not None and hasattr(library.ntdll, "wine_get_version")


ON_WINE = _on_wine()
"""Whether this Windows is Wine, which keeps some of its rules only."""


def command_line(words: Sequence[str]) -> str:
    """How ``words`` are typed as one line on this system."""
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)


def is_root() -> bool:
    """Whether the rights of files don't bind this process. Always on Windows, which has others."""
    return os.name != "posix" or os.geteuid() == 0
