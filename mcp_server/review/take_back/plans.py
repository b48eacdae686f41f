"""Plans to take events back, as values: what would be written, and what prevents it.

Implements docs/design/review.md "Take back".
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mcp_server.contract.tool_spec import Executor, ToolSpec
from snippet_engine.schemas.rename_schemas import MAX_TIMEOUT_MS
from snippet_engine.schemas.whole_texts_schema import PUT_TEXTS_INPUT
from snippet_engine.source_text import content_hash


@dataclass(frozen=True, slots=True)
class Removed:
    """How a file was deleted, so that the file can be restored."""

    path: str
    digest: str
    meta: bytes | None = None
    """The file's ``.meta``, if an undo has deleted it."""


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """A file that the plan creates, changes, moves or deletes."""

    path: str
    now: bytes | None
    """The text on disk; ``None`` if there is no file."""
    then: bytes | None
    """The text after the plan; ``None`` if there will be no file."""
    moved_to: str | None = None
    is_unseen: bool = False
    """Whether only the engine's history has the new text, because the text is large."""
    removed: Removed | None = None
    """How the file was deleted, if the plan restores it.

    If a file with the same text exists at its path already, only the ``.meta`` changes.
    """

    @property
    def now_hash(self) -> str | None:
        """The hash of the text on disk; ``None`` if there is no file."""
        return None if self.now is None else content_hash(self.now)


@dataclass(frozen=True, slots=True)
class Conflict:
    """A file that can't be taken back, because it was changed later."""

    path: str
    why: str
    by: tuple[int, ...] = ()
    """The numbers of the later events; empty if no event records the change."""
    lines: tuple[int, int] | None = None
    """The first and last conflicting line in the present file, from 1."""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Any other reason why a file can't be taken back; ``path`` is empty for the whole plan."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class Plan:
    """The writes that take events back. Either all are made, or none."""

    numbers: tuple[int, ...]
    """The numbers of the events to take back, newest first."""
    about: str
    files: tuple[PlannedFile, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    obstacles: tuple[Obstacle, ...] = ()
    kept_outside: tuple[str, ...] = ()
    """Files with a change that no event records. That change stays."""
    unseen: tuple[str, ...] = ()
    """Files that an event changed without anybody seeing their texts.

    For these, the plan takes back everything since the event before.
    """
    undo: Mapping[str, Any] | None = None
    """The arguments for ``undo_snippet``, if only the engine's history has the old texts."""

    @property
    def is_possible(self) -> bool:
        """Return whether the plan changes something, and nothing prevents it."""
        return bool(self.files) and not (self.conflicts or self.obstacles)

    @property
    def key(self) -> str:
        """Return a hash that is equal for two plans if they read and write exactly the same."""
        parts = [
            (
                *(each.path, each.moved_to, each.now_hash, each.removed),
                None if each.then is None else content_hash(each.then),
            )
            for each in self.files
        ]
        return hashlib.sha256(repr((self.numbers, parts, self.undo)).encode()).hexdigest()


PUT_TEXTS = ToolSpec(
    name="put_texts",
    title="Take back",
    description="Write whole texts over those that are expected, as one change set.",
    input_schema=PUT_TEXTS_INPUT,
    output_schema={"type": "object", "properties": {}},
    executor=Executor.LOCAL,
    default_timeout_ms=60_000,
    max_timeout_ms=MAX_TIMEOUT_MS,
    mutating=True,
    harmless=("mode", "preview"),
    destructive=True,
    idempotent=False,
)


def arguments_of(plan: Plan, *, all_the_same: bool) -> dict[str, Any]:
    """Return the ``put_texts`` arguments that write exactly the plan.

    ``all_the_same`` skips the validation, so that new errors don't prevent the write.
    """
    return {
        "mode": "apply",
        "about": plan.about,
        "validation": "none" if all_the_same else "auto",
        "files": [_file(each) for each in plan.files],
    }


def _file(planned: PlannedFile) -> dict[str, Any]:
    found: dict[str, Any] = {"path": planned.path}
    if planned.now_hash is not None:
        found["expectedHash"] = planned.now_hash
    if planned.moved_to is not None:
        found["moveTo"] = planned.moved_to
    if planned.then is not None:
        found["content"] = b64encode(planned.then).decode()
    if (removed := planned.removed) is not None:
        found |= {"removedHash": removed.digest, "removedFrom": removed.path}
        if removed.meta is not None:
            found["meta"] = b64encode(removed.meta).decode()
    return found
