"""What the server remembers of ``/unity``: the open connections, the Editor, the answers owed.

Times are milliseconds of one clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from unity_bridge.editor_state import EditorView
from unity_bridge.flood import Unasked
from unity_bridge.link import Command
from unity_bridge.session_events import Effect
from unity_bridge.timing import Timing


@dataclass(frozen=True, slots=True)
class Connection:
    """One open socket. ``active`` once its ``hello`` was accepted; until then *pending*.

    ``ping_at_ms`` is when the next ping is due, ``dead_at_ms`` when the connection counts as
    lost unless something is heard.
    """

    active: bool = False
    garbage: int = 0
    ping_at_ms: float | None = None
    dead_at_ms: float | None = None
    unasked: Unasked = field(default_factory=Unasked)


@dataclass(frozen=True, slots=True)
class SessionState:
    """All open connections, what is known of the Editor, and which requests it owes answers."""

    server_version: str
    capability: str
    """The ``capability`` frame."""
    timing: Timing = field(default_factory=Timing)
    connections: Mapping[int, Connection] = field(default_factory=dict)
    view: EditorView = field(default_factory=EditorView)
    outstanding: Mapping[str, Command] = field(default_factory=dict)
    stopping: bool = False

    @property
    def active(self) -> int | None:
        """The connection of the one Editor that is served."""
        return next((n for n, each in self.connections.items() if each.active), None)

    @property
    def next_deadline_ms(self) -> float | None:
        """When :class:`Tick` is due."""
        times = [
            at
            for each in self.connections.values()
            for at in (each.ping_at_ms, each.dead_at_ms)
            if at is not None
        ]
        return min(times, default=None)


Step: TypeAlias = tuple[SessionState, list[Effect]]
"""What follows from an event."""
