"""Conversations: async functions that ask the Editor, step by step, and return a tool's answer.

Implements docs/design/pipeline.md §6. A conversation contains what we know about Unity, and no
sockets. Its caller provides the :class:`Editor`.
"""

from __future__ import annotations

from typing import Any, Protocol

from unity_bridge.link import NotSent
from unity_bridge.pipeline.replies import ExecReply
from unity_bridge.pipeline.sightings import Sighting, Tally, dialog_obstacle
from unity_bridge.pipeline.vocabulary import Operation
from unity_bridge.timing import Pace


class Editor(Protocol):
    """The Editor, as a conversation sees it. Every method may end the conversation."""

    @property
    def pace(self) -> Pace:
        """Return how often the Editor is polled."""

    async def exec(self, operation: Operation, **parameters: Any) -> ExecReply:
        """Run a command. It is sent again after a reload only if it changes nothing."""

    async def look(self) -> Sighting | None:
        """Poll the Editor; ``None`` when it doesn't answer now."""

    async def pause(self, duration_ms: float) -> None:
        """Wait ``duration_ms``. Ends the conversation when its time is over."""

    def now_ms(self) -> float:
        """Return the present time in milliseconds."""

    @property
    def tally(self) -> Tally:
        """Return the counts of all polls so far."""

    def was_replaced(self, operation: Operation) -> bool:
        """Return whether the Editor's process has changed since ``operation`` was sent."""

    def uncompiled_scripts(self) -> list[str]:
        """Return the scripts written here since the last compile that was seen."""


def blocked(sighting: Sighting) -> NotSent | None:
    """Return the answer when a dialog is open; ``None`` when none is."""
    if sighting.dialog is None:
        return None
    obstacle = dialog_obstacle(sighting.dialog)
    return NotSent("ERR_EDITOR_NOT_READY", obstacle.message, obstacle.details)
