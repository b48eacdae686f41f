"""The server's states, and which may follow which.

Implements docs/design/server-and-bridge.md §1: ``booting → waiting_editor → ready → stopping →
stopped``, with ``ready ⇄ waiting_editor`` as the Editor comes and goes.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum


class ServerState(StrEnum):
    """What the server is doing."""

    BOOTING = "booting"
    """Not accepting connections yet."""
    WAITING_EDITOR = "waiting_editor"
    """Serving; no Unity Editor is connected and ready."""
    READY = "ready"
    """Serving, with a Unity Editor."""
    STOPPING = "stopping"
    """Accepting nothing new."""
    STOPPED = "stopped"
    """The server has ended."""


_NEXT = {
    ServerState.BOOTING: {ServerState.WAITING_EDITOR, ServerState.STOPPING},
    ServerState.WAITING_EDITOR: {ServerState.READY, ServerState.STOPPING},
    ServerState.READY: {ServerState.WAITING_EDITOR, ServerState.STOPPING},
    ServerState.STOPPING: {ServerState.STOPPED},
    ServerState.STOPPED: set[ServerState](),
}


class Lifecycle:
    """The present state. ``on_transition`` is called for every change: (from, to)."""

    def __init__(self, on_transition: Callable[[ServerState, ServerState], None]) -> None:
        self.state = ServerState.BOOTING
        self._on_transition = on_transition

    def enter(self, state: ServerState) -> None:
        """Go to ``state``, if it isn't the present one.

        Raises ``ValueError`` for a transition that doesn't exist: a bug.
        """
        if state is self.state:
            return
        if state not in _NEXT[self.state]:
            raise ValueError(f"no transition from {self.state} to {state}")
        previous, self.state = self.state, state
        self._on_transition(previous, state)
