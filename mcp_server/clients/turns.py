"""Clients' files are changed by one command at a time, each by what the file says then.

Implements docs/design/command-line.md ``client install``. The lock keeps commands of ours apart; a
client that writes its own configuration meanwhile doesn't know it, so what it changed is planned
for anew.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Self

from mcp_server.clients.installation import Plan, Problem, write
from mcp_server.clients.locations import missing_home
from mcp_server.clients.made_record import kept_folder, record
from mcp_server.clients.removal import remove_empty_folders
from snippet_engine.storage.os_failure import reason_of
from snippet_engine.storage.system.file_lock import HeldLock, acquire

PATIENCE_MS = 30_000
"""How long another command of ours is waited for, in milliseconds."""

ATTEMPTS = 5
"""How often a change is planned, where the file is another each time that it is to be written."""


class Turn:
    """The right to change clients' files. A context manager; its lock file goes with it."""

    def __init__(self, lock: Path, held: HeldLock) -> None:
        self._lock = lock
        self._held = held

    def release(self) -> None:
        """Let the next one in."""
        # While it is held: who has opened it meanwhile sees that it is gone, and makes another.
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
    """Wait for the right to change clients' files, which ends with the lock, or with the process.

    One lock for all of them, as several clients may share a skill. It lies with what this product
    keeps for its user: beside a file of the client's it would be one that nobody asked for.
    """
    lock = kept_folder() / "clients.lock"
    homeless = missing_home(lock)
    if homeless is not None:
        return Problem(f"{homeless} Nothing was written.")
    try:
        held = _acquired(lock, patience_ms)
    except OSError as error:
        advice = f"See to it that this user may write in {lock.parent}"
        if sys.platform == "linux":
            advice = "Set XDG_STATE_HOME to a folder that can be written"
        return Problem(
            f"{lock} can't be locked: {reason_of(error)}. {advice}. Nothing was written."
        )
    if held is None:
        return Problem(
            f"Another unity-cli client is still at it after {patience_ms // 1000} s. "
            "Try again once it is done. Nothing was written."
        )
    return Turn(lock, held)


def _acquired(lock: Path, patience_ms: int) -> HeldLock | None:
    """As :func:`.acquire`; the lock's folder may go whenever another command is done."""
    for left in reversed(range(ATTEMPTS)):
        lock.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            return acquire(lock, patience_ms)
        except FileNotFoundError:
            if not left:
                raise
    raise AssertionError("the last attempt returns or raises")


def carry_out(planning: Callable[[], Plan | Problem], *, private: bool = False) -> Plan | Problem:
    """Write what ``planning`` plans, and return it; plan anew where the file changed meanwhile.

    For the one whose turn it is. ``private`` as for :func:`.write`.
    """
    left = ATTEMPTS
    while True:
        left -= 1
        planned = planning()
        if isinstance(planned, Problem) or not planned.changes:
            return planned
        problem = write(planned, private=private)
        if problem is None:
            if planned.made is not None:
                record(planned.file, *planned.made)
            return planned
        if not (problem.meanwhile and left):
            return problem
