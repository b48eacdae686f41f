"""The events and effects of :mod:`.scheduler`.

Implements docs/design/server-and-bridge.md §5 and §6.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from unity_bridge.editor_state import EditorView
from unity_bridge.link import Answer
from unity_bridge.states import RequestState


class Ending(StrEnum):
    """How a request ended."""

    ANSWERED = "answered"
    QUEUE_FULL = "queue_full"
    NOT_READY = "not_ready"
    """No Editor within the window. Nothing was sent."""
    COMPILING = "compiling"
    """The Editor compiled or reloaded for too long. Nothing was sent."""
    BUSY = "busy"
    """The caller's time ran out in line. Nothing was sent."""
    NO_ANSWER = "no_answer"
    """Sent; the caller's time ran out."""
    LOST = "lost"
    """Sent; the Editor went away and did not come back with an answer."""
    CANCELLED = "cancelled"
    STOPPED = "stopped"
    """The server stops. Nothing was sent."""
    STOPPED_RUNNING = "stopped_running"
    """Sent; the server stops."""


# -- events --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Submitted:
    """A new request, whose caller waits ``timeout_ms`` at most."""

    request_id: str
    timeout_ms: float
    answer_limit_ms: float | None = None
    """How long the answer may take once it was sent; other requests wait meanwhile."""
    control: bool = False
    """As in :class:`Entry`."""
    while_compiling: bool = False
    """As in :class:`Entry`."""
    while_locked: bool = False
    """As in :class:`Entry`."""


@dataclass(frozen=True, slots=True)
class ViewSeen:
    """The known state of the Editor has changed."""

    view: EditorView


@dataclass(frozen=True, slots=True)
class AnswerSeen:
    """The Editor answered, or the link could not send."""

    request_id: str
    answer: Answer


@dataclass(frozen=True, slots=True)
class CancelWanted:
    """The caller gave up. A request that was sent goes on."""

    request_id: str


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has passed."""


@dataclass(frozen=True, slots=True)
class Stop:
    """The server stops."""


Event: TypeAlias = Submitted | ViewSeen | AnswerSeen | CancelWanted | Tick | Stop


# -- effects -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Dispatch:
    """Send a request now."""

    request_id: str
    remaining_ms: int
    """How long its caller still waits."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A request has ended."""

    request_id: str
    ending: Ending
    answer: Answer | None = None
    """The Editor's, if there was one."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A request's state changed."""

    request_id: str
    previous: RequestState
    state: RequestState
    elapsed_ms: float
    """How long it was in the previous state."""


Effect: TypeAlias = Dispatch | Ended | Moved
