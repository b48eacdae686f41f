"""Log why an event was not answered, in one small file for all clients and projects."""

from __future__ import annotations

import os
import sys
import time

MAX_BYTES = 64 * 1024
"""Beyond that, only the newer half of the log is kept."""

_MAX_LINE = 400


def log_folder() -> str:
    """Return the folder of this user's logs, where ``platformdirs`` has it."""
    home = os.path.expanduser("~")
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
        return os.path.join(local, "unity-snippet", "Logs")
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Logs", "unity-snippet")
    state = os.environ.get("XDG_STATE_HOME", "").strip() or os.path.join(home, ".local", "state")
    return os.path.join(state, "unity-snippet", "log")


def log(client: str, reason: str) -> None:
    """Add a line. A failure to write it is ignored."""
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = f"{when} {client}: {reason}".replace("\n", " ").replace("\r", " ")[:_MAX_LINE] + "\n"
    try:
        folder = log_folder()
        os.makedirs(folder, 0o700, exist_ok=True)
        path = os.path.join(folder, "hook.log")
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
        opened = os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o600)
        try:
            os.write(opened, line.encode("utf-8", "replace"))
            if os.fstat(opened).st_size > MAX_BYTES:
                _shorten(opened)
        finally:
            os.close(opened)
    except OSError:
        pass


def _shorten(opened: int) -> None:
    os.lseek(opened, -MAX_BYTES // 2, os.SEEK_END)
    kept = os.read(opened, MAX_BYTES).partition(b"\n")[2]
    os.ftruncate(opened, 0)
    os.write(opened, kept)
