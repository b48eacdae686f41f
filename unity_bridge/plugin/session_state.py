"""What the server remembers of ``/unity``: the open connections, the Editor, the answers owed.

Times are milliseconds of one clock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from unity_bridge.editor_state import EditorView, departed
from unity_bridge.link import Command
from unity_bridge.plugin.flood import Unasked
from unity_bridge.plugin.frames import Frame, written
from unity_bridge.plugin.session_events import Effect, Send
from unity_bridge.timing import Timing


@dataclass(frozen=True, slots=True)
class Connection:
    """One open socket. ``active`` once its ``hello`` was accepted; until then *pending*.

    ``ping_at_ms`` is when the next ping is due, ``dead_at_ms`` when the connection counts as
    lost unless something is heard. ``hello`` is what a pending connection has said of itself, while
    ``challenges``, an older connection of the same Editor, is asked whether it lives.
    ``announces`` once it has told of a job without being asked. ``pongs_owed``: how many pings it
    has not answered yet.
    """

    active: bool = False
    garbage: int = 0
    ping_at_ms: float | None = None
    dead_at_ms: float | None = None
    hello: Frame | None = None
    challenges: int | None = None
    announces: bool = False
    pongs_owed: int = 0
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
    serves: Callable[[str], bool] | None = None
    """Whether the Editor with the project at a path is this server's; ``None``: every one is."""

    def with_connection(self, number: int, connection: Connection | None) -> SessionState:
        """With that connection; ``None``: without it."""
        connections = {n: each for n, each in self.connections.items() if n != number}
        if connection is not None:
            connections[number] = connection
        return replace(self, connections=connections)

    def asked_for_life(self, number: int) -> tuple[SessionState, Effect]:
        """With a ping sent to that connection."""
        asked = self.connections[number]
        asked = replace(asked, pongs_owed=asked.pongs_owed + 1)
        return self.with_connection(number, asked), Send(number, written("ping"))

    def without_editor(self, now: float, *, seen_leaving: bool) -> SessionState:
        """After the active connection has ended; see ``editor_state.departed``."""
        view = departed(self.view, now, self.timing, seen_leaving=seen_leaving)
        return replace(self, view=view)

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
