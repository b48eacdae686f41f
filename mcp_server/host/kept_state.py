"""Where a server keeps what the next one goes on with: by project, as ports are anybody's.

Implements docs/design/server-and-bridge.md §12. A server of no project is known by its port alone.
"""

from __future__ import annotations

from pathlib import Path

from mcp_server.calls.server.project_server import project_key
from snippet_engine.storage.system.file_lock import HeldLock, acquire

MOST_AT_ONCE = 16
"""Servers of one project that keep anything at the same time; each has a place of its own."""


def _folder() -> Path:
    import platformdirs  # noqa: PLC0415 - not for help pages

    return platformdirs.user_state_path("unity-snippet", appauthor=False) / "kept"


def turn_file(project: Path | None) -> Path | None:
    """What the project's server holds locked whose gated edit is being compiled. ``OSError``: none
    can be had."""
    if project is None:
        return None
    _folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    return _folder() / f"turn-{project_key(project)}.lock"


class KeptState:
    """A folder in the user's state folder that no other server uses until :meth:`release`.

    Of several that serve one project the first has what its predecessor left; the second has what
    the last second one left.
    """

    def __init__(self, project: Path | None, port: int) -> None:
        state = _folder()
        self._lock: HeldLock | None = None
        # Where nothing can be locked, nothing can be kept either, and each write says so.
        self.folder = state / f"port-{port}"
        try:
            key = self.folder.name if project is None else f"project-{project_key(project)}"
            state.mkdir(mode=0o700, parents=True, exist_ok=True)
            for number in range(1, MOST_AT_ONCE + 1):
                name = f"{key}-{number}"
                self._lock = acquire(state / f"{name}.lock", 0)
                if self._lock is not None:
                    self.folder = state / name
                    return
        except OSError:
            return

    def release(self) -> None:
        """Leave it to the next server."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None
