"""What speaks against a descriptor before its token has been shown to anybody.

Implements docs/design/pipeline.md §1. :func:`doubt` decides; a :class:`Claim` looks, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from unity_bridge.pipeline.descriptor import Descriptor
from unity_bridge.pipeline.listener import Holder, Seen, see, still_holds
from unity_bridge.pipeline.project_files import is_project

CLOCKS_DIFFER_S = 60.0
"""How much later than it says an Editor may have been started: clocks are set, now and then."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why a descriptor isn't believed. ``passing``: its Editor runs and may listen again soon."""

    reason: str
    passing: bool = False


class Claim:
    """A descriptor of ``project``, held against what the system tells. Methods block for a moment,
    and may be called on any thread."""

    def __init__(self, descriptor: Descriptor, project: Path) -> None:
        self._descriptor = descriptor
        self._project = project
        self._sockets: frozenset[str] = frozenset()
        self.moves = 0
        """How often the process was seen to listen anew, as it does after each domain reload."""

    def doubt(self) -> Doubt | None:
        """What speaks against it now."""
        seen = see(self._descriptor.port, self._descriptor.pid)
        found = doubt(
            self._descriptor, seen, ours=is_project(self._descriptor.project, self._project)
        )
        self._sockets = seen.sockets if found is None else frozenset()
        return found

    def holds(self) -> bool:
        """Whether nothing speaks against it: the process listens with the sockets that it did."""
        sockets = self._sockets
        if sockets and still_holds(self._descriptor.pid, sockets):
            return True
        if self.doubt() is not None:
            return False
        self.moves += bool(sockets)
        return True


def doubt(descriptor: Descriptor, seen: Seen, *, ours: bool) -> Doubt | None:
    """What speaks against a descriptor; ``None`` if its token may be shown to its port.

    ``ours``: whether the path that it names is our project's. Where the system doesn't tell who
    listens, a process that was started after the Editor says to have been is another one.
    """
    where = f"port {descriptor.port}"
    if not ours:
        return Doubt("the descriptor is another project's")
    if seen.alive is False:
        return Doubt("the descriptor was left behind: its process is gone")
    if seen.holder is Holder.ANOTHER:
        return Doubt(f"another process than the descriptor's listens on {where}")
    if seen.holder is Holder.NOBODY:
        return Doubt(f"nothing listens on {where} just now", passing=True)
    if seen.holder is Holder.UNKNOWN and _is_younger(descriptor, seen):
        return Doubt("the descriptor was left behind: its process is a younger one")
    return None


def _is_younger(descriptor: Descriptor, seen: Seen) -> bool:
    if descriptor.started_s is None or seen.started_s is None:
        return False
    return seen.started_s > descriptor.started_s + CLOCKS_DIFFER_S
