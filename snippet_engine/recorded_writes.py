"""Record what a call writes, for whoever judges or shows it afterwards.

As with :mod:`snippet_engine.client_identity`, the record belongs to the call that runs in the
present thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from snippet_engine.storage.change_sets.change_plan import FileChange


@dataclass(slots=True)
class RecordedWrites:
    """What one call has written."""

    earlier: dict[str, bytes | None] = field(default_factory=dict)
    """The content of each file before the call by project-relative path; ``None`` for no file."""
    is_partly_judged: bool = False
    """Whether a compiler given more time would report more about it."""

    def add(self, path: str, before: bytes | None, moved_to: str | None = None) -> None:
        """Add a file that was written, or moved."""
        self.earlier.setdefault(path, before)
        if moved_to is not None:
            self.earlier.setdefault(moved_to, None)


_writes: ContextVar[RecordedWrites | None] = ContextVar("recorded writes", default=None)


@contextmanager
def recording() -> Iterator[RecordedWrites]:
    """Record what is written in this context."""
    writes = RecordedWrites()
    token = _writes.set(writes)
    try:
        yield writes
    finally:
        _writes.reset(token)


def record(path: str, before: bytes | None, moved_to: str | None = None) -> None:
    """Record a file that was written; ``before`` is what it held."""
    writes = _writes.get()
    if writes is not None:
        writes.add(path, before, moved_to)


def record_partly_judged() -> None:
    """Record that what is written was not judged in full, for want of time."""
    writes = _writes.get()
    if writes is not None:
        writes.is_partly_judged = True


_changes: ContextVar[list[FileChange] | None] = ContextVar("changes of a call", default=None)


def begin_noting_changes() -> list[FileChange]:
    """Return a list that gets what a call in this context writes, or its preview would write."""
    changes: list[FileChange] = []
    _changes.set(changes)
    return changes


@contextmanager
def noting_nothing() -> Iterator[None]:
    """Note no changes in this context, because they are not the call's own."""
    token = _changes.set(None)
    try:
        yield
    finally:
        _changes.reset(token)


def note_changes(changes: Callable[[], Sequence[FileChange]]) -> None:
    """Note what is about to be written, or shown, in place of what was noted before."""
    noted = _changes.get()
    if noted is not None:
        noted[:] = changes()
