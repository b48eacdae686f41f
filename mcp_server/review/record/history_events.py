"""Make events of the undo history, for a project that has no recorded events yet.

Implements docs/design/review.md "Events". Reads the history and writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from mcp_server.review.record.events import Event, EventFile, NewEvent, Outcome
from mcp_server.review.record.recorder import short_message
from snippet_engine.source_text import content_hash
from snippet_engine.storage.paths.project import FileSnapshot, Project
from snippet_engine.storage.records.change_record import ChangeRecord
from snippet_engine.storage.records.history import (
    DEFAULT_MAX_BYTES,
    DEFAULT_MAX_ENTRIES,
    History,
    Record,
)
from snippet_engine.storage.records.history_entry import HistoryEntry
from snippet_engine.storage.records.undo_order import undo_arguments
from snippet_engine.storage.records.write_record import ChangedFile
from snippet_engine.storage.state_folder import StateFolder
from snippet_engine.storage.stores.outside_changes import OUTSIDE

MAX_TEXTS_BYTES = 64 * 1024 * 1024
"""Most bytes of texts that are read. Older entries get no texts."""


def history_events(root: Path) -> list[NewEvent]:
    """Return the events of the history of the project at ``root``, oldest first.

    Entries that can't be read are left out. So are sets that were rolled back, since they changed
    nothing. Raises ``OSError``.
    """
    project = Project.open(root)
    if not isinstance(project, Project):
        return []
    history = History(
        StateFolder(project.root), max_bytes=DEFAULT_MAX_BYTES, max_entries=DEFAULT_MAX_ENTRIES
    )
    texts = _Texts(project)
    found = []
    for entry in reversed(history.entries()):  # newest first, so that the newest get the texts
        record = history.record(entry)
        if record is not None:
            found.append(NewEvent(_event(entry, record), texts=texts.of(record)))
    return found[::-1]


class _Texts:
    """Collects texts up to :data:`MAX_TEXTS_BYTES`."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._present: set[str] = set()
        self._room = MAX_TEXTS_BYTES

    def of(self, record: Record) -> tuple[bytes, ...]:
        """Return the known texts of a record: all before, and those after that are on disk now."""
        found = [data for file in record.files if (data := record.kept(file.path)) is not None]
        for path, after in record.ends.items():
            if after is not None and path not in self._present:
                self._present.add(path)
                script = self._project.named(path)
                now = None if script is None else script.read()
                if isinstance(now, FileSnapshot) and content_hash(now.data) == after:
                    found.append(now.data)
        self._room -= sum(map(len, found))
        return tuple(found) if self._room >= 0 else ()


def _event(entry: HistoryEntry, record: Record) -> Event:
    change_id = entry.ticket if entry.is_change else None
    is_undoable = not (isinstance(record, ChangeRecord) and record.no_undo is not None)
    by_others = record.source is not None
    client = record.client if not by_others else record.source
    return Event(
        0,
        entry.time_s if record.time_s is None else record.time_s,
        None if client == OUTSIDE else client,
        record.session,
        "",
        Outcome.CHANGED if by_others else Outcome.APPLIED,
        tuple(EventFile(each.path, each.target, each.before, each.after) for each in record.files),
        line=_line(record.files),
        undo=undo_arguments(change_id, record.files) if is_undoable else None,
    )


def _line(files: Iterable[ChangedFile]) -> str:
    first, *others = files
    if others:
        return short_message(f"{len(others) + 1} files, first {first.path}")
    if first.target is not None:
        return short_message(f"moved to {first.target}")
    if first.before is None:
        return "created"
    if first.after is None:
        return "deleted"
    lines = (each[1:].strip() for each in first.first_line.split("\n"))
    return short_message(" → ".join(filter(None, lines)) or "changed")
