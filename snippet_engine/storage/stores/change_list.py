"""List the history's entries, newest first, and find the change that moved or deleted a script.

Part of docs/design/engine.md §5 "Undo" and §8.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from snippet_engine.errors import SnippetError, show
from snippet_engine.source_text import content_hash
from snippet_engine.storage.os_failure import reason_of
from snippet_engine.storage.paths.path_refusal import nearest_scripts
from snippet_engine.storage.paths.project import FileSnapshot, Project, ScriptPath
from snippet_engine.storage.paths.request_path import SCRIPT_ROOTS
from snippet_engine.storage.records.change_record import ChangeRecord
from snippet_engine.storage.records.history import History, Record
from snippet_engine.storage.records.history_entry import HistoryEntry
from snippet_engine.storage.records.write_record import ChangedFile
from snippet_engine.storage.state_folder import path_key
from snippet_engine.storage.stores.change_undo import SetUndo
from snippet_engine.storage.system.names import folded, one_name


@dataclass(frozen=True, slots=True)
class ChangeEntry:
    """A listed write of one file, or change set."""

    change_id: str | None
    """``None`` for a write of one file."""
    time_s: float
    """As of ``time.time``."""
    client: str | None
    files: tuple[ChangedFile, ...]
    """The changed files; of a rolled-back set, only those that others had changed.

    If the set ``is_given_up``, that is all of them.
    """
    is_undoable: bool
    damage: str | None = None
    """What is damaged in an entry that can't be undone."""
    hash_after: str | None = None
    taken_back: str | None = None
    """Where the record of a rolled-back set is."""
    is_given_up: bool = False
    undo_of: str | None = None
    blocked: str | None = None
    """Why an undo would be refused although the files have not changed since."""
    source: str | None = None
    """Who made the change, if this product didn't."""
    count: int = 0
    """How many files changed, if ``files`` doesn't list all."""


class ChangeList:
    """Reads a project's history for one listing; caches the files' hashes and contents."""

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
        """Yield the entries, or those of the file at the canonical ``path``.

        A damaged change set may have changed any file, so it counts for each.
        """
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
                refused = SetUndo(self._project, self._history, record, self._read).why_not()
            except OSError as error:
                return f"its files can't be looked at ({reason_of(error)})"
        else:
            script = self._project.named(record.path)
            refused = None if script is None else script.check_writable()
        return None if refused is None else refused.message

    def _damaged(self, entry: HistoryEntry) -> ChangeEntry | None:
        """Return the listed form of an entry that can't be undone; ``None`` if it is gone now."""
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


_IS_NEAR = 60
"""Longest path of a script that a message can name, in code points."""


@dataclass(frozen=True, slots=True)
class Departure:
    """How a change moved or deleted the script at ``path``."""

    path: str
    change_id: str
    """The change that moved the script to ``moved_to``, or deleted it."""
    moved_to: str | None
    """The script's last known path; ``None`` if it was deleted at ``path``."""
    deleted_by: str | None = None
    hash: str | None = None
    """Its hash after its last write; ``None`` if unknown, or if another script is there now."""


def departure_from(history: History, path: str) -> Departure | None:
    """Return the change that moved or deleted the script at ``path``, in any spelling.

    ``None`` if no recorded change did.
    """
    spelled = one_name(path)
    return _departure(history, path.__eq__) or _departure(
        history, lambda other: other != path and one_name(other) == spelled
    )


def _departure(history: History, is_meant: Callable[[str], bool]) -> Departure | None:
    found: Departure | None = None
    for entry in history.entries():
        header = history.header(entry) if entry.is_change else None
        if header is None:
            found = None if found is None else _written(found, entry)
            continue
        for file in header.files:
            leaves = file.target is not None or file.after is None
            if is_meant(file.path) and leaves:
                deleted_by = entry.ticket if file.target is None else None
                found = Departure(file.path, entry.ticket, file.target, deleted_by, file.after)
            elif any(map(is_meant, file.paths)):
                found = None
            elif found is not None and found.moved_to in file.paths:
                found = _moved_on(found, entry.ticket, file)
    return found


def _written(found: Departure, entry: HistoryEntry) -> Departure | None:
    if entry.path_key == path_key(found.path):
        return None
    if found.moved_to is not None and entry.path_key == path_key(found.moved_to):
        return replace(found, hash=entry.after)
    return found


def _moved_on(found: Departure, change_id: str, file: ChangedFile) -> Departure:
    if file.path != found.moved_to or file.before is None:
        return replace(found, hash=None)
    if file.target is not None:
        return Departure(found.path, change_id, file.target, hash=file.after)
    if file.after is None:
        return replace(found, deleted_by=change_id)
    return replace(found, hash=file.after)


def with_departure(
    error: SnippetError, project: Project, history: History, asked: str
) -> SnippetError:
    """Add to ``file_not_found`` the recorded change that moved or deleted the script, if any."""
    script = project.locate_new(asked)
    if isinstance(script, SnippetError):
        return error
    departure = departure_from(history, script.canonical)
    if departure is None:
        return error
    to, deleted_by = departure.moved_to, departure.deleted_by
    there = None if to is None or deleted_by is not None else project.named(to)
    near = [each for each in error.details.get("nearest", ()) if each != to]
    details: dict[str, Any] = {}
    if deleted_by is not None:
        first = "was" if to is None else f"was moved to {show(to)}, then"
        told = f"{first} deleted by change {deleted_by}."
    elif to is None:
        return error
    elif there is None or not there.is_taken:
        told = f"was moved to {show(to)} by change {departure.change_id}, and is gone."
        alike = _same_name(project, to)
        told += f" {alike[0]} has its name." if alike and len(alike[0]) <= _IS_NEAR else ""
        near = list(dict.fromkeys([*alike, *near]))
    else:
        told = f"was moved to {show(to)} by change {departure.change_id}"
        near = [to, *near]
        if _holds(there, departure.hash):
            told += ". Send that path."
        else:
            told += ", which has another text now: check whether it is the same script."
            details["changedSince"] = True
    details |= {} if to is None else {"movedTo": to, "movedBy": departure.change_id}
    details |= {} if deleted_by is None else {"deletedBy": deleted_by}
    return replace(
        error,
        message=f"{show(departure.path)} {told}",
        details={**error.details, "nearest": near, **details},
    )


def _same_name(project: Project, path: str) -> list[str]:
    name = folded(path.rpartition("/")[2])
    found = nearest_scripts(project.root, SCRIPT_ROOTS, path)
    return [each for each in found if folded(each.rpartition("/")[2]) == name]


def _holds(script: ScriptPath, known: str | None) -> bool:
    snapshot = script.read()
    return not isinstance(snapshot, SnippetError) and content_hash(snapshot.data) == known
