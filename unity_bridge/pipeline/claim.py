"""What speaks against a descriptor before its token has been shown to anybody.

Implements docs/design/pipeline.md §1. :func:`doubt` decides; :func:`look_for_doubt` looks, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from unity_bridge.pipeline.descriptor import Descriptor
from unity_bridge.pipeline.listener import Holder, Seen, see
from unity_bridge.pipeline.project_files import is_project

CLOCKS_DIFFER_S = 60.0
"""How much later than it says an Editor may have been started: clocks are set, now and then."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why a descriptor isn't believed. ``passing``: its Editor runs and may listen again soon."""

    reason: str
    passing: bool = False


def look_for_doubt(descriptor: Descriptor, project: Path) -> Doubt | None:
    """What speaks against a descriptor of ``project`` now. Blocks for a moment."""
    ours = is_project(descriptor.project, project)
    return doubt(descriptor, see(descriptor.port, descriptor.pid), ours=ours)


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
