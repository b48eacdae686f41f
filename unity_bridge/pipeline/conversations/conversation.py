"""Conversations: what to ask the Editor next, given what was heard, without I/O.

Implements docs/design/pipeline.md §6. A conversation is a generator: it yields a question, is sent
what was heard, and returns the tool's answer. Whoever carries it out decides nothing about Unity;
whoever writes one knows nothing of sockets.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from unity_bridge.link import (
    Answer,
    Failed,
    Malformed,
    NotSent,
    OutcomeUnknown,
    Rejected,
)
from unity_bridge.pipeline.envelopes import (
    Busy,
    CommandFailed,
    ExecReply,
    Garbled,
    Lost,
    Refused,
    Result,
    Unauthorized,
    Unreachable,
)
from unity_bridge.pipeline.sightings import Sighting, dialog_obstacle
from unity_bridge.pipeline.vocabulary import Operation


@dataclass(frozen=True, slots=True)
class Exec:
    """Run a command. Heard: an :data:`ExecReply`.

    What changes nothing is asked again after a reload; what does is sent once.
    """

    operation: Operation
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Look:
    """Look at the Editor. Heard: a :class:`Sighting`, or ``None`` when it doesn't answer now."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait. Heard: ``None``."""

    duration_ms: float


@dataclass(frozen=True, slots=True)
class Now:
    """Heard: the time in milliseconds, a ``float``."""


@dataclass(frozen=True, slots=True)
class WrittenFiles:
    """Heard: paths of scripts that were written here and that no compile was seen for since."""


@dataclass(frozen=True, slots=True)
class Counted:
    """Heard: what has been seen so far, whoever looked; a :class:`Tally`."""


@dataclass(frozen=True, slots=True)
class Replaced:
    """Heard: whether another process than the one that was asked last to do ``operation`` is the
    Editor now; a ``bool``."""

    operation: Operation


Ask: TypeAlias = Exec | Look | Pause | Now | WrittenFiles | Counted | Replaced
Conversation: TypeAlias = Generator[Ask, Any, Answer]


def execute(operation: Operation, **parameters: Any) -> Generator[Ask, Any, ExecReply]:
    """Ask for a command and return what was heard."""
    reply: ExecReply = yield Exec(operation, parameters)
    return reply


def look() -> Generator[Ask, Any, Sighting | None]:
    """Look at the Editor once."""
    sighting: Sighting | None = yield Look()
    return sighting


def no_result(reply: ExecReply) -> Answer:
    """The answer of a tool whose command brought no result."""
    assert not isinstance(reply, Result)
    if isinstance(reply, CommandFailed):
        return Failed("PIPELINE_COMMAND_FAILED", reply.message, reply.details)
    if isinstance(reply, Refused):
        return Rejected(reply.code, reply.message)
    if isinstance(reply, Garbled):
        return Malformed(reply.expected, reply.actual, reply.hopeless)
    if isinstance(reply, Lost):
        return OutcomeUnknown(reply.reason)
    if isinstance(reply, Busy):
        return NotSent("ERR_EDITOR_NOT_READY", f"the Unity Editor is busy ({reply.reason})")
    if isinstance(reply, Unauthorized):
        return NotSent("ERR_UNITY_DISCONNECTED", "the Unity Editor took no token of its descriptor")
    assert isinstance(reply, Unreachable)
    return NotSent("ERR_UNITY_DISCONNECTED", "the Unity Editor has just disconnected")


def blocked(sighting: Sighting) -> NotSent | None:
    """The answer when a dialog is in the way; ``None`` when none is."""
    if sighting.dialog is None:
        return None
    obstacle = dialog_obstacle(sighting.dialog)
    return NotSent("ERR_EDITOR_NOT_READY", obstacle.message, obstacle.details)
