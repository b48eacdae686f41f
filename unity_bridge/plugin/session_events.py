"""What can happen to the ``/unity`` session, and what follows from it: plain values.

Implements docs/design/wire-protocol.md. :mod:`unity_bridge.plugin.session` is the function between
the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from unity_bridge.editor_state import EditorView
from unity_bridge.link import Answer, Command

# WebSocket close codes (RFC 6455 §7.4.1)
GOING_AWAY = 1001
PROTOCOL_ERROR = 1002
ABNORMAL = 1006
POLICY_VIOLATION = 1008
MESSAGE_TOO_BIG = 1009

# -- events --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Opened:
    """A socket was accepted. Numbers are never used again."""

    connection: int


@dataclass(frozen=True, slots=True)
class Received:
    """A message came in."""

    connection: int
    message: str | bytes


@dataclass(frozen=True, slots=True)
class Closed:
    """The socket is gone; ``code`` as in a close frame, 1005 or 1006 where there was none."""

    connection: int
    code: int = ABNORMAL


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
    """The frame of a request was still here when its connection ended."""

    request_id: str


@dataclass(frozen=True, slots=True)
class Forget:
    """Nobody waits for the answer to a request any more."""

    request_id: str


@dataclass(frozen=True, slots=True)
class ConfirmJob:
    """The end of a job is known to the server."""

    job_id: str


@dataclass(frozen=True, slots=True)
class Stop:
    """The server stops."""


Event: TypeAlias = Opened | Received | Closed | Tick | Start | Unsent | Forget | ConfirmJob | Stop


# -- effects -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Send:
    """Send a text frame; ``request_id`` if it carries a request."""

    connection: int
    text: str
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class Close:
    """Close the socket, with a close frame."""

    connection: int
    code: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ViewChanged:
    """What is known of the Editor has changed."""

    view: EditorView


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer to an outstanding request."""

    request_id: str
    answer: Answer


@dataclass(frozen=True, slots=True)
class JobTold:
    """What the Editor says of a job, whether or not somebody asked."""

    status: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Note:
    """Something for the log."""

    event: str
    fields: Mapping[str, Any]
    warning: bool = False


Effect: TypeAlias = Send | Close | ViewChanged | Answered | JobTold | Note


def noted(
    event: str, source: Opened | Received | Closed, *, warning: bool = False, **fields: Any
) -> Note:
    """A note about what happened on the connection of ``source``."""
    return Note(event, {"connection": source.connection, **fields}, warning)
