"""A process that outlives the one that starts it, on every system.

Implements docs/design/systems.md "Processes". On POSIX a session of its own is enough. On Windows
it gets no window and no console of ours, and leaves the job object that clients put their children
into and that ends them with the client, as far as the job allows that.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

CREATE_NEW_PROCESS_GROUP = 0x00000200
CREATE_BREAKAWAY_FROM_JOB = 0x01000000
CREATE_NO_WINDOW = 0x08000000
"""Flags of ``CreateProcess``, with the names that its documentation has. ``DETACHED_PROCESS`` is
not among them: children of a process without a console each open one of their own."""

_ERROR_ACCESS_DENIED = 5

Start = Callable[..., "subprocess.Popen[bytes]"]


def start_detached(
    command: Sequence[str | os.PathLike[str]],
    env: Mapping[str, str],
    stderr: Any,
    *,
    windows: bool = sys.platform == "win32",
    start: Start = subprocess.Popen,
) -> subprocess.Popen[bytes]:
    """Start ``command``, with nothing to read and its errors in ``stderr``. Raises ``OSError``."""
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": stderr}
    if not windows:
        return start(command, env=env, start_new_session=True, **streams)
    flags = CREATE_NO_WINDOW | CREATE_NEW_PROCESS_GROUP
    try:
        return start(command, env=env, creationflags=flags | CREATE_BREAKAWAY_FROM_JOB, **streams)
    except PermissionError as error:
        # A job that lets nobody leave. The server then ends with the client; better than none.
        if getattr(error, "winerror", None) != _ERROR_ACCESS_DENIED:
            raise
        return start(command, env=env, creationflags=flags, **streams)
