"""What a person may take back, as values: what would be written, and what stands against it.

Implements docs/design/review.md "Take back".
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from snippet_engine.source_text import content_hash


@dataclass(frozen=True, slots=True)
class Removed:
    """How a file was deleted: from where, and the hash of its text then.

    ``meta`` is its ``.meta`` then, if an undo has deleted it.
    """

    path: str
    digest: str
    meta: bytes | None = None


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """A file that gets another text, or another path; ``None``: no file.

    ``is_unseen``: its new text is in the engine's history alone, because it is large. ``removed``
    says how it was deleted, if it comes back, perhaps in place of another file; of that only the
    ``.meta`` may differ.
    """

    path: str
    now: bytes | None
    then: bytes | None
    moved_to: str | None = None
    is_unseen: bool = False
    removed: Removed | None = None

    @property
    def now_hash(self) -> str | None:
        """The hash of its text now."""
        return None if self.now is None else content_hash(self.now)


@dataclass(frozen=True, slots=True)
class Conflict:
    """A file that can't be taken back because of later changes.

    ``by`` are the numbers of the later events; empty if no event records the change. ``lines`` are
    the first and last line concerned in the present file, from 1.
    """

    path: str
    why: str
    by: tuple[int, ...] = ()
    lines: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why a file, or (``path`` is empty) all of it, can't be taken back."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class Plan:
    """The writes that take events back: all are made, or none.

    ``numbers`` are those of the events, newest first. ``kept_outside`` are files with a change that
    no event records; that change stays. ``unseen`` are files that an event changed without their
    texts being seen: everything since the event before it is taken back. ``undo`` are the arguments
    of ``undo_snippet``, where only the engine's history has what comes back.
    """

    numbers: tuple[int, ...]
    about: str
    files: tuple[PlannedFile, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    obstacles: tuple[Obstacle, ...] = ()
    kept_outside: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    undo: Mapping[str, Any] | None = None

    @property
    def is_possible(self) -> bool:
        """Return whether it can be done, and would change anything."""
        return bool(self.files) and not (self.conflicts or self.obstacles)

    @property
    def key(self) -> str:
        """Return a text that is equal for plans that read and write exactly the same."""
        parts = [
            (
                *(each.path, each.moved_to, each.now_hash, each.removed),
                None if each.then is None else content_hash(each.then),
            )
            for each in self.files
        ]
        return hashlib.sha256(repr((self.numbers, parts, self.undo)).encode()).hexdigest()
