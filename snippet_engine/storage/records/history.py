"""Before-images of applied writes, bounded, so that they can be undone (docs/design/engine.md §5
"Undo").

An entry's file name has everything needed to find the entry, so a search reads no contents. A
damaged entry still shows its file and hash. Its undo is refused, because an older entry would
restore the wrong text. If a file had the same content several times, the latest entry counts.

Undo removes the entry and adds none. After A→B→C, undoing C gives B and undoing B gives A. If an
undo added an entry, undoing again would give C. The history also keeps the record of a set that
was rolled back although others had changed some of its files, and copies of ``.meta`` files that an
undo removed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from snippet_engine.source_text import MAX_FILE_BYTES, content_hash
from snippet_engine.storage.os_failure import reason_of
from snippet_engine.storage.records.change_record import (
    MAX_CHANGE_BYTES,
    MAX_CHANGE_HEADER_BYTES,
    ChangeRecord,
    Stage,
)
from snippet_engine.storage.records.history_entry import HistoryEntry, next_sequence, parse_entry
from snippet_engine.storage.records.write_record import MAX_HEADER_BYTES, WriteRecord
from snippet_engine.storage.state_folder import StateFolder, path_key
from snippet_engine.storage.system.folder import FileTooLargeError
from snippet_engine.storage.system.plain_file import NotARegularFileError, read_plain
from snippet_engine.storage.system.replace_file import replace_file

PART = "history"

Record = WriteRecord | ChangeRecord

DEFAULT_MAX_BYTES = 64 * 1024 * 1024
DEFAULT_MAX_ENTRIES = 200

CLOCK_STEP_S = 0.02
"""How much a file's time may be behind the clock, in seconds."""

_OUTSIDE = "outside-"
_MARKS, _MARK, _GONE = "texts", ".undone", "gone"

_KEPT = frozenset({Stage.COMMITTED, Stage.DONE, Stage.DONE_CLEAN})
"""Final states of a set whose record is a history entry."""
_TAKEN_BACK = frozenset({Stage.COMMITTED, Stage.BACK, Stage.RETURNED, Stage.RETURNED_CLEAN})
"""Final states of a set that was rolled back; its marks need not have been written."""


class History:
    """The entries of one project, which several processes may add, read and prune at once.

    ``max_bytes`` and ``max_entries`` are the limits; the newest entry always stays. Entries of one
    file are added only under that file's lock.
    """

    def __init__(
        self,
        state: StateFolder,
        *,
        max_bytes: int = DEFAULT_MAX_BYTES,
        max_entries: int = DEFAULT_MAX_ENTRIES,
    ) -> None:
        self._state = state
        self._max_bytes = max_bytes
        self._max_entries = max_entries

    def entries(self) -> list[HistoryEntry]:
        """Return the entries of applied writes, oldest first, which is the order of their names."""
        return [entry for entry in self.all_entries() if not entry.is_rolled_back]

    def all_entries(self) -> list[HistoryEntry]:
        """Return all entries, including those of sets that were rolled back."""
        return [entry for entry in self._everything() if entry.meta is None]

    def _everything(self) -> list[HistoryEntry]:
        return list(_parsed(sorted(self._state.names(PART))))

    def of(self, path: str) -> list[HistoryEntry]:
        """Return the entries of single writes of the file at canonical ``path``, oldest first."""
        key = path_key(path)
        return [entry for entry in self.entries() if entry.path_key == key]

    def newest_first(self, path: str) -> Iterator[HistoryEntry]:
        """Yield the entries of the file with that canonical path, and of all sets, newest first."""
        key = path_key(path)
        # Callers mostly need only the first of two hundred entries.
        for each in _parsed(sorted(self._state.names(PART), reverse=True)):
            if each.meta is None and each.path_key in (key, ""):
                yield each

    def is_of(self, entry: HistoryEntry, path: str) -> bool:
        """Return whether an entry belongs to a write of the file with that canonical path."""
        if not entry.is_change:
            return entry.path_key == path_key(path)
        header = self.header(entry)
        return header is not None and header.changes(path)

    def image(self, entry: HistoryEntry, path: str) -> bytes | None:
        """Return the earlier content of the file at that canonical path, if it is kept."""
        record = self.record(entry)
        if record is None:
            return None
        return record.kept(path) if entry.is_rolled_back else record.image_of(path)

    def changes(self, path: str) -> list[tuple[HistoryEntry, Record]]:
        """Return the change sets with the file at that canonical path, oldest first."""
        found = []
        for entry in self.entries():
            header = self.header(entry) if entry.is_change else None
            if header is not None and header.changes(path):
                found.append((entry, header))
        return found

    def change_to(self, path: str, hash_after: str) -> HistoryEntry | None:
        """Return the latest change set that left the file with the hash ``hash_after``."""
        for entry, header in reversed(self.changes(path)):
            ends = [file for file in header.files if (file.target or file.path) == path]
            if any(file.after == hash_after for file in ends):
                return entry
        return None

    def latest_to(self, path: str, hash_after: str) -> HistoryEntry | None:
        """Return the latest entry, of a write or a set, that left the file with ``hash_after``."""
        writes = (entry for entry in self.of(path) if entry.after == hash_after)
        change = self.change_to(path, hash_after)
        found = [*writes, *(() if change is None else (change,))]
        return max(found, key=lambda entry: entry.sequence, default=None)

    def change(self, change_id: str) -> HistoryEntry | None:
        """Return the entry of the change set with that id, also if it was rolled back."""
        found = (each for each in self.all_entries() if each.is_change)
        return next((each for each in found if each.ticket == change_id), None)

    def has_ticket(self, ticket: str) -> bool:
        """Return whether the write with that ticket has an entry."""
        return any(entry.ticket == ticket for entry in self.entries())

    def has_kept_all_since(self, time_s: float) -> bool:
        """Return whether no entry added since then was pruned. Raise ``OSError``."""
        with self._state.folder(PART):
            pass
        entries = [each for each in self._everything() if not each.is_outside]
        room = len(entries) < self._max_entries // 2
        room = room and sum([entry.size for entry in entries]) < self._max_bytes // 2
        return room or entries[0].time_s < time_s

    def has(self, name: str) -> bool:
        """Return whether an entry with that file name exists."""
        return any(entry.name == name for entry in self.entries())

    def prepare(self, *others: str) -> None:
        """Create the folders of the history and ``others`` for entries. Raise ``OSError``."""
        self._state.ensure(PART, *others)
        self._state.check_usable(PART)

    def look(self, *, to_add: bool = False) -> None:
        """Raise ``OSError`` if the history can't be read or, with ``to_add``, written."""
        self._state.look(PART)
        if to_add:
            self._state.check_usable(PART)

    def adopt(self, pending: str, record: WriteRecord, size: int) -> None:
        """Turn the pending file of a write into an entry; ``size`` in bytes. Raise ``OSError``."""
        self._adopt(
            pending, HistoryEntry(0, path_key(record.path), record.after, size, record.ticket)
        )

    def adopt_change(self, pending: str, ticket: str, size: int, left_alone: int = 0) -> None:
        """Turn a set's pending file into an entry. Raise ``OSError``.

        ``left_alone`` has the bits of the files that were left alone when the set was rolled back.
        """
        made = HistoryEntry(0, "", "", size, ticket, left_alone)
        try:
            self._adopt(pending, made)
        except FileNotFoundError:
            self.prepare()  # Somebody has removed the folder after its writer made it.
            self._adopt(pending, made)

    def add_outside(self, record: Record, below: HistoryEntry | None = None) -> HistoryEntry:
        """Add the entry of another program's change, as the newest one or right ``below`` another.

        Such entries have limits of their own. Raise ``OSError``.
        """
        if isinstance(record, ChangeRecord):
            data, key, after = record.encode_done(), "", ""
        else:
            data, key, after = record.encode(), path_key(record.path), record.after
        self.prepare("pending")
        # No write has this name, so recovery doesn't try to finish it after a crash.
        pending = f"{_OUTSIDE}{record.ticket}"
        self._state.create("pending", pending, data, durable=False)
        sequence = 0 if below is None else below.sequence - 1
        made = HistoryEntry(sequence, key, after, len(data), record.ticket, is_outside=True)
        return self._adopt(pending, made)

    def attribute(self, entry: HistoryEntry, source: str, session: str | None) -> HistoryEntry:
        """Add the maker of the change to an entry of :meth:`add_outside`. Raise ``OSError``."""
        record = self.record(entry)
        if record is None:
            return entry
        record = replace(record, source=source, session=session)
        data = record.encode_done() if isinstance(record, ChangeRecord) else record.encode()
        pending = f"{_OUTSIDE}{record.ticket}"
        self._state.create("pending", pending, data, durable=False)
        named = replace(entry, size=len(data))
        replace_file(self._state.file("pending", pending), self._state.file(PART, named.name))
        self._state.second_names.keep(named.name)
        if named != entry:
            self.remove(entry.name)
        return named

    def sweep_outside(self) -> None:
        """Remove what a process killed in :meth:`add_outside` left behind. Raise ``OSError``."""
        for name in self._state.names("pending"):
            if name.startswith(_OUTSIDE):
                with suppress(OSError):
                    self._state.remove("pending", name)

    def keep_meta(self, ticket: str, number: int, data: bytes) -> None:
        """Keep a copy of a ``.meta`` that is about to be removed, once. Raise ``OSError``."""
        if number not in self.kept_metas(ticket):
            after_all = next_sequence(self._everything())
            made = HistoryEntry(after_all, "", "", len(data), ticket, meta=number)
            self._state.create(PART, made.name, data, durable=True)
            self._state.second_names.keep(made.name)

    def kept_metas(self, ticket: str) -> dict[int, str]:
        """Return the copies of ``.meta`` files that the undo, or set, of that ticket removed."""
        found = (each for each in self._everything() if each.ticket == ticket)
        return {each.meta: each.place for each in found if each.meta is not None}

    def _adopt(self, pending: str, made: HistoryEntry) -> HistoryEntry:
        entries = list(_parsed(self._state.names(PART)))
        entry = made if made.sequence else replace(made, sequence=next_sequence(entries))
        replace_file(self._state.file("pending", pending), self._state.file(PART, entry.name))
        self._state.second_names.keep(entry.name)
        self._prune([each for each in entries if each.is_outside == entry.is_outside], entry)
        return entry

    def _prune(self, entries: list[HistoryEntry], newest: HistoryEntry) -> None:
        """Remove the oldest entries above the limits; concurrent processes choose the same ones."""
        total = sum([entry.size for entry in entries]) + newest.size
        count = len(entries) + 1
        if count <= self._max_entries and total <= self._max_bytes:
            return
        # Remove a little more than needed, so that few writes prune: on a busy disk a single
        # removal can take as long as an fsync.
        for entry in sorted(entries, key=lambda each: each.name):
            if (
                count <= self._max_entries - self._max_entries // 16
                and total <= self._max_bytes - self._max_bytes // 16
            ):
                return
            self.remove(entry.name)
            count -= 1
            total -= entry.size

    def record(self, entry: HistoryEntry) -> Record | None:
        """Return the record of a write or a change set; ``None`` if it is gone or damaged."""
        return self.read_change(entry) if entry.is_change else self.read(entry)

    def read(self, entry: HistoryEntry) -> WriteRecord | None:
        """Return the record of a write; ``None`` if it is gone or damaged."""
        data = self._content(entry, MAX_FILE_BYTES + MAX_HEADER_BYTES)
        record = None if data is None else WriteRecord.decode(data)
        return record if record is not None and record.after == entry.after else None

    def read_change(self, entry: HistoryEntry) -> ChangeRecord | None:
        """Return the record of a change set; ``None`` if it is gone or damaged."""
        data = self._content(entry, MAX_CHANGE_BYTES)
        decoded = None if data is None else ChangeRecord.decode(data)
        stages = _TAKEN_BACK if entry.is_rolled_back else _KEPT
        if decoded is None or decoded[1] not in stages or decoded[0].ticket != entry.ticket:
            return None
        return decoded[0]

    def header(self, entry: HistoryEntry) -> Record | None:
        """Return the record without its contents; ``None`` if it is gone or damaged."""
        limit = MAX_CHANGE_HEADER_BYTES if entry.is_change else MAX_HEADER_BYTES
        try:
            with self._state.folder(PART) as folder:
                line = folder.first_line(entry.name, limit)
        except OSError:
            return None
        if line is None:
            return None
        kind = ChangeRecord if entry.is_change else WriteRecord
        return kind.decode_header(line)

    def _content(self, entry: HistoryEntry, limit: int) -> bytes | None:
        try:
            with self._state.folder(PART) as folder:
                return folder.read(entry.name, limit)[0]
        except OSError:
            return None

    def lost_changes(self, since: int) -> list[HistoryEntry]:
        """Return the change sets after that ``sequence`` whose files are unknown."""
        return [
            entry
            for entry in self.entries()
            if entry.is_change
            and entry.sequence > since
            and self.header(entry) is None
            and self.has(entry.name)
        ]

    def damaged_since(self, since: int, paths: Collection[str]) -> list[HistoryEntry]:
        """Return the unreadable entries after ``since`` that may belong to ``paths``."""
        keys = {path_key(path) for path in paths}
        return [
            entry
            for entry in self.entries()
            if entry.sequence > since
            and (entry.is_change or entry.path_key in keys)
            and self._is_damaged(entry, paths)
            and self.has(entry.name)
        ]

    def _is_damaged(self, entry: HistoryEntry, paths: Collection[str]) -> bool:
        if entry.is_change:
            header = self.header(entry)
            if header is not None and not any(header.changes(path) for path in paths):
                return False
        return not self.is_readable(entry)

    def is_readable(self, entry: HistoryEntry) -> bool:
        """Return whether an entry has everything that its undo needs."""
        return self.record(entry) is not None

    def what_is_wrong(self, entry: HistoryEntry) -> str | None:
        """Return why an entry can't be read, to follow "the entry"; ``None`` if it is gone."""
        try:
            with self._state.folder(PART) as folder:
                folder.read(entry.name, MAX_CHANGE_BYTES)
        except FileNotFoundError:
            return None
        except (NotARegularFileError, FileTooLargeError):
            pass  # We never write such an entry.
        except PermissionError:
            owner = owner_of(Path(self._state.file(PART, entry.name)))
            return f"is {owner}'s, {_UNREADABLE}: {entry.place}"
        except OSError as error:
            return f"can't be read ({reason_of(error)}): {entry.place}"
        return f"is damaged: {entry.place}"

    def remove_undone(self, name: str, undo: Record) -> None:
        """Remove the entry that ``undo`` reverts; mark the result as our own, for watchers."""
        is_watched = self._state.path(_MARKS, _MARKS).parent.is_dir()
        entry = parse_entry(name)
        for path, after in undo.ends.items() if is_watched else ():
            text = None if entry is None or after is None else self.image(entry, path)
            with suppress(OSError):
                self._state.create(_MARKS, _mark_of(path, after), text or b"", durable=False)
        self.remove(name)

    def is_undone_to(self, path: str, after: str | None) -> bool:
        """Return whether an undo left the file at that canonical path with that hash."""
        return os.path.lexists(self._state.file(_MARKS, _mark_of(path, after)))

    def undone_to(self, path: str) -> tuple[float, str | None, bytes | None] | None:
        """Return the result of the last undo that no watcher has processed: time, hash and text.

        ``None`` if there is none. The hash is ``None`` if the file was removed, the text if it
        isn't known.
        """
        found = max(self._marks_of(path), default=None)
        if found is None:
            return None
        time_s, name = found
        digest = name[len(path_key(path)) + 1 : -len(_MARK)]
        if digest == _GONE:
            return time_s, None, None
        text = None
        with suppress(OSError):
            text = read_plain(Path(self._state.file(_MARKS, name)), MAX_FILE_BYTES)
        hashed = f"sha256:{digest}"
        return time_s, hashed, text if text is not None and content_hash(text) == hashed else None

    def _marks_of(self, path: str) -> list[tuple[float, str]]:
        start, found = f"{path_key(path)}-", []
        with suppress(OSError):
            for name in self._state.names(_MARKS):
                if name.startswith(start) and name.endswith(_MARK):
                    with suppress(OSError):
                        found.append((os.stat(self._state.file(_MARKS, name)).st_mtime, name))  # noqa: PTH116 - as strings
        return found

    def forget_undone(self, path: str, after: str | None) -> None:
        """Remove the mark of an undo that a watcher has processed."""
        with suppress(OSError):
            self._state.remove(_MARKS, _mark_of(path, after))

    def forget_older_undone(self, path: str, until_s: float) -> None:
        """Remove the marks of undos before ``until_s``: something was written on top of them.

        A mark with a future time is removed, too: the clock was set back.
        """
        for time_s, name in self._marks_of(path):
            if not until_s - CLOCK_STEP_S <= time_s <= time.time() + CLOCK_STEP_S:
                with suppress(OSError):
                    self._state.remove(_MARKS, name)

    def steps_of(self, path: str) -> Iterator[tuple[HistoryEntry, str | None, str | None]]:
        """Yield the entries of a canonical path, newest first, with the hashes before and after."""
        for entry in self.newest_first(path):
            header = None if entry.is_rolled_back else self.header(entry)
            if header is None or not header.changes(path):
                continue
            before = next((each.before for each in header.files if each.path == path), None)
            yield entry, before, header.ends[path]

    def remove(self, name: str) -> None:
        """Remove the entry of that file name, if it exists and can be removed."""
        if parse_entry(name) is not None:
            self._state.second_names.forget(name)
            with suppress(OSError):
                self._state.remove(PART, name)


_UNREADABLE = "and this user may not read it"


def how_to_give_up(damage: str) -> str:
    """Return the advice for an entry with that ``damage``."""
    if _UNREADABLE in damage:
        return "Have that user undo it"
    return "To give it up, delete that file"


def owner_of(path: Path) -> str:
    """Return the name of the file's owner, if known."""
    try:
        return f"the user {path.owner()}"
    except (OSError, KeyError, NotImplementedError):  # Windows, or a user without a name
        return "another user"


def _mark_of(path: str, after: str | None) -> str:
    return f"{path_key(path)}-{(after or _GONE).removeprefix('sha256:')}{_MARK}"


def _parsed(names: Iterable[str]) -> Iterator[HistoryEntry]:
    return (entry for entry in map(parse_entry, names) if entry is not None)
