"""What scripts held before each of their changes, as far as the history keeps it.

Part of docs/design/engine.md §5 "Undo": the contents that undo would bring back, to be read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from snippet_engine.storage.paths.project import Project
from snippet_engine.storage.records.change_record import ChangedFile
from snippet_engine.storage.records.history import (
    DEFAULT_MAX_BYTES,
    DEFAULT_MAX_ENTRIES,
    History,
    HistoryEntry,
)
from snippet_engine.storage.state_folder import StateFolder


@dataclass(frozen=True, slots=True)
class KeptChange:
    """A change, and what each of its ``files`` held before; ``None`` of one that wasn't there."""

    files: tuple[ChangedFile, ...]
    contents: tuple[bytes | None, ...]


def kept_changes(project: Project) -> Iterator[KeptChange | None]:
    """The changes, newest first; ``None`` for one that is damaged."""
    state = StateFolder(project.root)
    history = History(state, max_bytes=DEFAULT_MAX_BYTES, max_entries=DEFAULT_MAX_ENTRIES)
    for entry in reversed(history.entries()):
        yield _of_set(history, entry) if entry.is_change else _of_write(history, entry)


def _of_set(history: History, entry: HistoryEntry) -> KeptChange | None:
    record = history.read_change(entry)
    if record is None:
        return None
    images = {slot.path: slot.image for slot in record.slots if not slot.is_meta}
    return KeptChange(record.files, tuple(images.get(file.path) for file in record.files))


def _of_write(history: History, entry: HistoryEntry) -> KeptChange | None:
    record = history.read(entry)
    if record is None or record.image is None:
        return None
    file = ChangedFile(record.path, None, record.before, record.after)
    return KeptChange((file,), (record.image,))
