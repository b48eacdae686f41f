"""The state of ``/unity``, its events and its effects.

Implements docs/design/wire-protocol.md. :mod:`unity_bridge.plugin.session` is the function between
the events and the effects. Times are milliseconds of one clock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from unity_bridge.editor_state import EditorView, after_disconnect
from unity_bridge.link import Answer, Command
from unity_bridge.plugin.frames import Frame, written
from unity_bridge.timing import Timing

# WebSocket close codes (RFC 6455 §7.4.1)
GOING_AWAY = 1001
PROTOCOL_ERROR = 1002
ABNORMAL = 1006
POLICY_VIOLATION = 1008
MESSAGE_TOO_BIG = 1009

# -- events --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Opened:
    """A socket was accepted. Numbers are never reused."""

    connection: int


@dataclass(frozen=True, slots=True)
class Received:
    """A message came in."""

    connection: int
    message: str | bytes


@dataclass(frozen=True, slots=True)
class Closed:
    """The socket closed."""

    connection: int
    code: int = ABNORMAL
    """As in a close frame; 1005 or 1006 without one."""


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has passed."""


@dataclass(frozen=True, slots=True)
class Start:
    """Send a command."""

    request_id: str
    command: Command
    timeout_ms: int


@dataclass(frozen=True, slots=True)
class Unsent:
    """The connection ended before the request's frame was sent."""

    request_id: str


@dataclass(frozen=True, slots=True)
class Forget:
    """Drop the answer to a request, because no caller waits for it."""

    request_id: str


@dataclass(frozen=True, slots=True)
class ConfirmJob:
    """The server knows a job's end, so the plugin need not keep the result any longer."""

    job_id: str


@dataclass(frozen=True, slots=True)
class Stop:
    """The server stops."""


Event: TypeAlias = Opened | Received | Closed | Tick | Start | Unsent | Forget | ConfirmJob | Stop


# -- effects -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Send:
    """Send a text frame."""

    connection: int
    text: str
    request_id: str | None = None
    """The request that the frame carries, if any."""


@dataclass(frozen=True, slots=True)
class Close:
    """Close the socket, with a close frame."""

    connection: int
    code: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ViewChanged:
    """The known state of the Editor has changed."""

    view: EditorView


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer to an outstanding request."""

    request_id: str
    answer: Answer


@dataclass(frozen=True, slots=True)
class JobReported:
    """The Editor reported a job's status, asked or unasked."""

    status: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Note:
    """An event for the log."""

    event: str
    fields: Mapping[str, Any]
    warning: bool = False


Effect: TypeAlias = Send | Close | ViewChanged | Answered | JobReported | Note


def note_about(
    event: str, source: Opened | Received | Closed, *, warning: bool = False, **fields: Any
) -> Note:
    """Return a note about the connection of ``source``."""
    return Note(event, {"connection": source.connection, **fields}, warning)


MAX_UNASKED_FRAMES = 200
"""Maximum number of frames per window without a request; an Editor sends a few dozen a second."""

MAX_UNASKED_LENGTH = 8 * 1024 * 1024
"""Maximum total length of these frames, in code points (of binary ones, in bytes)."""

WINDOW_MS = 1_000


@dataclass(frozen=True, slots=True)
class Unasked:
    """The frames that one connection has sent without a request since ``since_ms``."""

    since_ms: float = float("-inf")
    frames: int = 0
    length: int = 0

    def and_one(self, length: int, now_ms: float) -> Unasked:
        """Return the count with one more frame of ``length``."""
        if now_ms - self.since_ms >= WINDOW_MS:
            return Unasked(now_ms, 1, length)
        return Unasked(self.since_ms, self.frames + 1, self.length + length)

    @property
    def too_much(self) -> bool:
        """Return whether the connection floods the server."""
        return self.frames > MAX_UNASKED_FRAMES or self.length > MAX_UNASKED_LENGTH


@dataclass(frozen=True, slots=True)
class Connection:
    """One open socket, *pending* until its ``hello`` is accepted."""

    active: bool = False
    """Whether its ``hello`` was accepted."""
    garbage: int = 0
    ping_at_ms: float | None = None
    """When the next ping is due."""
    dead_at_ms: float | None = None
    """When the connection counts as lost."""
    hello: Frame | None = None
    """The ``hello`` of a pending connection that waits for ``challenges``."""
    challenges: int | None = None
    """The older connection, perhaps of the same Editor, that was sent a ping."""
    announces: bool = False
    """Whether it has sent a job's status unasked."""
    pongs_owed: int = 0
    """How many of its pings are unanswered."""
    unasked: Unasked = field(default_factory=Unasked)


@dataclass(frozen=True, slots=True)
class SessionState:
    """All open connections, the Editor's view, and the requests in flight."""

    server_version: str
    capability: str
    """The ``capability`` frame."""
    timing: Timing = field(default_factory=Timing)
    connections: Mapping[int, Connection] = field(default_factory=dict)
    view: EditorView = field(default_factory=EditorView)
    outstanding: Mapping[str, Command] = field(default_factory=dict)
    stopping: bool = False
    serves: Callable[[str], bool] | None = None
    """Returns whether an Editor whose project is at a path is served; ``None`` serves any."""

    def with_connection(self, number: int, connection: Connection | None) -> SessionState:
        """Return the state with that connection; ``None`` removes it."""
        connections = {n: each for n, each in self.connections.items() if n != number}
        if connection is not None:
            connections[number] = connection
        return replace(self, connections=connections)

    def pinged(self, number: int) -> tuple[SessionState, Effect]:
        """Return the state and the ping to that connection."""
        asked = self.connections[number]
        asked = replace(asked, pongs_owed=asked.pongs_owed + 1)
        return self.with_connection(number, asked), Send(number, written("ping"))

    def disconnected(self, now: float, *, seen_leaving: bool) -> SessionState:
        """Return the state after the active connection has ended; see ``after_disconnect``."""
        view = after_disconnect(self.view, now, self.timing, seen_leaving=seen_leaving)
        return replace(self, view=view)

    @property
    def active(self) -> int | None:
        """Return the number of the connection that is served."""
        return next((n for n, each in self.connections.items() if each.active), None)

    @property
    def next_deadline_ms(self) -> float | None:
        """Return when :class:`Tick` is due."""
        times = [
            at
            for each in self.connections.values()
            for at in (each.ping_at_ms, each.dead_at_ms)
            if at is not None
        ]
        return min(times, default=None)


Step: TypeAlias = tuple[SessionState, list[Effect]]
"""The new state and the effects of an event."""
