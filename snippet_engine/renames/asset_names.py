"""What is asked about the names in a project's assets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol


class Hit(Protocol):
    """A place that has the name; lines count from 1."""

    path: str
    line: int
    kind: str
    text: str


class Left(Hit, Protocol):
    """A place that stays as it is, and why. ``lost``: it no longer works after the rename."""

    why: str
    lost: bool


class AssetConflict(Protocol):
    """A place because of which a rename is refused."""

    path: str
    line: int
    message: str


class Found(Protocol):
    """All places, and the files that couldn't be searched, each with the reason."""

    hits: Sequence[Hit]
    not_searched: Sequence[tuple[str, str]]


class Renamed(Protocol):
    """Each changed file with its bytes before and after, and what was decided for each place."""

    files: Sequence[tuple[str, bytes, bytes]]
    hits: Sequence[Hit]
    left: Sequence[Left]
    not_searched: Sequence[tuple[str, str]]
    conflicts: Sequence[AssetConflict]


class AssetNames(Protocol):
    """Finds and renames names in assets. Calls may raise :class:`.budget.StoppedError`."""

    def find(self, facts: Mapping[str, Any]) -> Found:
        """Return where the name of a symbol stands, given its facts."""
        ...

    def rename(self, facts: Mapping[str, Any], new_name: str, mode: str) -> Renamed:
        """Return what the rename changes in assets; ``mode``: ``keep``, ``rewrite``, ``code``."""
        ...


AssetsOf = Callable[[], AssetNames | None]
"""Returns the assets' names; ``None`` where they can't be searched."""
