"""Clients' files are changed by one command at a time, each by what the file says then.

Implements docs/design/command-line.md ``client install``. The lock keeps commands of ours apart; a
client that writes its own configuration meanwhile doesn't know it, so what it changed is planned
for anew.
"""

from __future__ import annotations

from collections.abc import Callable

from mcp_server.clients.installation import Plan, Problem, write
from snippet_engine.storage.os_failure import reason_of
from snippet_engine.storage.system.file_lock import HeldLock, acquire

PATIENCE_MS = 30_000
"""How long another command of ours is waited for, in milliseconds."""

ATTEMPTS = 5
"""How often a change is planned, where the file is another each time that it is to be written."""


def take_turn(patience_ms: int = PATIENCE_MS) -> HeldLock | Problem:
    """Wait for the right to change clients' files, which ends with the lock, or with the process.

    One lock for all of them, as several clients may share a skill. It lies with what this product
    keeps for its user: beside a file of the client's it would be one that nobody asked for.
    """
    import platformdirs  # noqa: PLC0415 - not for dry runs

    lock = platformdirs.user_state_path("unity-snippet", appauthor=False) / "clients.lock"
    try:
        lock.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        held = acquire(lock, patience_ms)
    except OSError as error:
        return Problem(f"{lock} can't be locked: {reason_of(error)}. Nothing was written.")
    if held is None:
        return Problem(
            f"Another unity-cli client is still at it after {patience_ms // 1000} s. "
            "Try again once it is done. Nothing was written."
        )
    return held


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
            return planned
        if not (problem.meanwhile and left):
            return problem
