"""The entries of ``get_history``: writes and change sets, newest first (docs/design/engine.md §5
"Undo")."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from snippet_engine.errors import SnippetError
from snippet_engine.source_text import content_hash
from snippet_engine.storage.os_failure import reason_of
from snippet_engine.storage.paths.project import FileSnapshot, Project, ScriptPath
from snippet_engine.storage.records.change_record import ChangeRecord
from snippet_engine.storage.records.history import History, Record
from snippet_engine.storage.records.history_entry import HistoryEntry
from snippet_engine.storage.records.write_record import ChangedFile
from snippet_engine.storage.state_folder import path_key
from snippet_engine.storage.stores.change_undo import why_not


@dataclass(frozen=True, slots=True)
class ChangeEntry:
    """A listed write of one file, or change set."""

    change_id: str | None
    """``None`` for a write of one file."""
    time_s: float
    """As of ``time.time``."""
    client: str | None
    files: tuple[ChangedFile, ...]
    """Of a rolled-back set, the files that others had changed; all if it ``is_given_up``."""
    is_undoable: bool
    damage: str | None = None
    """What is wrong with an entry that can't be undone."""
    hash_after: str | None = None
    taken_back: str | None = None
    """Where the record of a rolled-back set is."""
    is_given_up: bool = False
    undo_of: str | None = None
    """The set that an undo was reverting."""
    blocked: str | None = None
    """What prevents the undo although its files have not changed since."""
    source: str | None = None
    """Who made the change, if this product didn't."""
    count: int = 0
    """How many files changed, if ``files`` doesn't list all."""


class ChangeList:
    """Reads a project's history, for one listing only: it caches what it has seen of the files."""

    def __init__(self, project: Project, history: History) -> None:
        self._project = project
        self._history = history
        self._present: dict[str, str | None] = {}
        """By canonical path: the file's hash now."""
        self._seen: dict[str, FileSnapshot | SnippetError] = {}
        """By canonical path: the content read of the files of one entry."""
        self._newer: set[tuple[str, str | None]] = set()
        """The paths and hashes that newer entries have led to."""

    def newest_first(self, path: str | None) -> Iterator[ChangeEntry]:
        """Yield the entries, or the file's; a damaged set may be any file's."""
        for entry in reversed(self._history.all_entries()):
            self._seen.clear()
            if path is not None and not self._may_be_of(entry, path):
                continue
            found = self._listed(entry)
            if found is None:
                continue
            is_of_it = any(path in file.paths for file in found.files)
            if path is None or is_of_it or not found.files:
                yield found

    def _may_be_of(self, entry: HistoryEntry, path: str) -> bool:
        """Return whether neither the entry's name nor its header excludes the file."""
        if not entry.is_change:
            return entry.path_key == path_key(path)
        header = self._history.header(entry)
        return header is None or header.changes(path)

    def _listed(self, entry: HistoryEntry) -> ChangeEntry | None:
        record = self._history.record(entry)
        if record is None:
            return self._damaged(entry)
        change_id = entry.ticket if entry.is_change else None
        time_s = entry.time_s if record.time_s is None else record.time_s
        listed = ChangeEntry(
            change_id,
            time_s,
            record.client,
            record.files,
            is_undoable=False,
            source=record.source,
        )
        if entry.is_rolled_back and isinstance(record, ChangeRecord):
            return replace(
                listed,
                files=record.of_bits(entry.left_alone),
                taken_back=entry.place,
                is_given_up=record.is_all(entry.left_alone),
                undo_of=record.undoes,
            )
        if isinstance(record, ChangeRecord) and record.no_undo is not None:
            self._are_undoable(record.files)
            return replace(listed, blocked=record.no_undo, count=record.count)
        if not self._are_undoable(record.files):
            return listed
        blocked = self._blocked_by(record)
        return replace(listed, is_undoable=blocked is None, blocked=blocked)

    def _blocked_by(self, record: Record) -> str | None:
        """Return why an undo would be refused although the files have not changed since."""
        if isinstance(record, ChangeRecord):
            try:
                refused = why_not(self._project, self._history, record, self._read)
            except OSError as error:
                return f"its files can't be looked at ({reason_of(error)})"
        else:
            script = self._project.named(record.path)
            refused = None if script is None else script.check_writable()
        return None if refused is None else refused.message

    def _damaged(self, entry: HistoryEntry) -> ChangeEntry | None:
        """Return an entry that can't be undone; ``None`` if it is gone meanwhile."""
        header = self._history.header(entry)
        damage = self._history.what_is_wrong(entry)
        if damage is None:
            return None
        files = () if header is None else header.files
        if not entry.is_rolled_back:
            self._are_undoable(files)
        return ChangeEntry(
            entry.ticket if entry.is_change else None,
            entry.time_s,
            None if header is None else header.client,
            files,
            is_undoable=False,
            damage=damage,
            hash_after=entry.after or None,
        )

    def _are_undoable(self, files: tuple[ChangedFile, ...]) -> bool:
        ends = [(file.target or file.path, file.after) for file in files]
        is_undoable = all(
            end not in self._newer and self._hash_of(end[0]) == end[1] for end in ends
        )
        self._newer.update(ends)
        return is_undoable

    def _read(self, script: ScriptPath) -> FileSnapshot | SnippetError:
        path = script.canonical
        if path not in self._seen:
            self._seen[path] = script.read()
        return self._seen[path]

    def _hash_of(self, path: str) -> str | None:
        """Return the file's hash now; ``None`` if it is gone, empty if it can't be read."""
        if path not in self._present:
            script = self._project.named(path)
            now = None if script is None else self._read(script)
            if isinstance(now, FileSnapshot):
                self._present[path] = content_hash(now.data)
            else:
                is_gone = script is not None and not script.is_taken
                self._present[path] = None if is_gone else ""
        return self._present[path]
