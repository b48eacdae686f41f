"""One command at a time changes clients' files, each according to their present text.

Implements docs/design/command-line.md ``client install``. A lock keeps our commands apart. A client
that writes its configuration doesn't know the lock, so its change is planned for again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Self

from mcp_server.clients.config_files import Plan, Problem, write
from mcp_server.clients.install_record import (
    missing_folders,
    record,
    record_folders,
    state_folder,
)
from mcp_server.clients.installation import remove_empty_folders
from mcp_server.clients.locations import missing_home
from snippet_engine.storage.os_failure import reason_of
from snippet_engine.storage.system.file_lock import HeldLock, acquire

PATIENCE_MS = 30_000
"""How long to wait for another command of ours, in milliseconds."""

ATTEMPTS = 5
"""How often a change is planned, if the file changes each time before it is written."""


class Turn:
    """The right to change clients' files. A context manager; its lock file goes with it."""

    def __init__(self, lock: Path, held: HeldLock) -> None:
        self._lock = lock
        self._held = held

    def release(self) -> None:
        """Release the lock, so that the next command gets it."""
        # While it is held: a command that has opened it sees that it is gone, and makes another.
        with suppress(OSError):  # Windows keeps what is open
            self._lock.unlink()
        self._held.release()
        ours = self._lock.parent
        remove_empty_folders(ours, ours.parent)
        remove_empty_folders(ours.parent, Path.home())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def take_turn(patience_ms: int = PATIENCE_MS) -> Turn | Problem:
    """Wait for the right to change clients' files.

    There is one lock for all files, as several clients may share a skill. It lies in our own
    folder, not next to a client's file.
    """
    lock = state_folder() / "clients.lock"
    homeless = missing_home(lock)
    if homeless is not None:
        return Problem(f"{homeless} Nothing was written.")
    try:
        held = _acquired(lock, patience_ms)
    except OSError as error:
        advice = f"Make {lock.parent} writable for this user"
        if sys.platform == "linux":
            advice = "Set XDG_STATE_HOME to a folder that can be written"
        return Problem(
            f"{lock} can't be locked: {reason_of(error)}. {advice}. Nothing was written."
        )
    if held is None:
        return Problem(
            f"Another unity-cli client command is still running after {patience_ms // 1000} s. "
            "Try again when it has ended. Nothing was written."
        )
    return Turn(lock, held)


def _acquired(lock: Path, patience_ms: int) -> HeldLock | None:
    """Acquire the lock; its folder may vanish whenever another command ends."""
    for left in reversed(range(ATTEMPTS)):
        lock.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            return acquire(lock, patience_ms)
        except FileNotFoundError:
            if not left:
                raise
    raise AssertionError("the last attempt returns or raises")


def carry_out(planning: Callable[[], Plan | Problem], *, private: bool = False) -> Plan | Problem:
    """Write what ``planning`` plans, and return it; plan again if the file changed in the meantime.

    The caller has the turn. ``private`` as for :func:`.write`.
    """
    for left in reversed(range(ATTEMPTS)):
        planned = planning()
        if isinstance(planned, Problem) or not planned.changes:
            return planned
        folders = missing_folders(planned.file)
        problem = write(planned, private=private)
        if problem is None:
            record_folders(folders)
            for note in (planned.created, *planned.notes):
                if note is not None:
                    record(planned.file, *note)
            return planned
        if not (problem.meanwhile and left):
            return problem
    raise AssertionError("the last attempt returns")
