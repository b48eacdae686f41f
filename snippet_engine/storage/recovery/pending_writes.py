"""Clean up after a process that died during a write (docs/design/engine.md §5).

Every write first puts a record into ``pending``. If the holder of a file's lock finds a record
there, its writer is dead, and the record is *settled*: the temporary file is removed, and if the
target has the new content, the record becomes the history entry. If the temporary file differs from
the before-image, another program saved that text during the write, so it becomes an entry, too. If
the temporary file has the before-image and the target a third content, the write happened, and
another program has saved since. A record stays if its folder is missing or its header is damaged.

Anyone who can write into the project can write a record. So a record can only remove a regular file
with exactly its temporary name, inside ``Assets`` or ``Packages``, without following links.
"""

from __future__ import annotations

import re
from contextlib import suppress

from snippet_engine.errors import SnippetError
from snippet_engine.source_text import MAX_FILE_BYTES, content_hash
from snippet_engine.storage.files import discard, temporary_name
from snippet_engine.storage.paths.project import Project, ScriptPath
from snippet_engine.storage.records.history import History
from snippet_engine.storage.records.write_record import (
    MAX_HEADER_BYTES,
    WriteRecord,
    new_ticket,
    ticket_of,
)
from snippet_engine.storage.recovery.temporary_files import TemporaryFiles, scripts_of
from snippet_engine.storage.recovery.unfinished import (
    AnotherFolderError,
    DamagedRecordError,
    FolderAwayError,
    NotKept,
    StillToEndError,
    StuckError,
    UnderWayError,
    UnfinishedError,
    folder_of,
)
from snippet_engine.storage.state_folder import StateFolder, lock_key
from snippet_engine.storage.system.folder import Folder
from snippet_engine.storage.system.replace_file import FileInUseError

PART = "pending"

_NAME = re.compile(r"([0-9a-f]{32})-([0-9a-f]{16})")
_MAX_RECORD_BYTES = MAX_FILE_BYTES + MAX_HEADER_BYTES


class PendingWrites:
    """The records of writes in progress, including those of dead processes."""

    def __init__(self, project: Project, state: StateFolder, history: History) -> None:
        self._project = project
        self._state = state
        self._history = history

    def begin(self, record: WriteRecord) -> str:
        """Store the record durably, under the file's lock; return its name. Raise ``OSError``."""
        name = f"{lock_key(record.path)}-{record.ticket}"
        self._state.create(PART, name, record.encode(), durable=True)
        return name

    def abandon(self, name: str) -> None:
        """Drop the record of a write that did not happen and left nothing."""
        with suppress(OSError):
            self._state.remove(PART, name)

    def complete(self, name: str, record: WriteRecord) -> NotKept | None:
        """Keep the record of a finished write as history, or drop the entry that an undo reverts.

        A failure is returned, and left for :meth:`settle`.
        """
        try:
            if record.image is not None:
                self._history.prepare()
                size = self._state.path(PART, name).stat().st_size
                self._history.adopt(name, record, size)
                return None
            if record.consumes is not None:
                self._history.remove_undone(record.consumes, record)
            self.abandon(name)
        except OSError as error:
            return NotKept.after(error, self._state, PART, name)
        return None

    def settle(self, key: str, temporary_files: TemporaryFiles | None = None) -> list[str]:
        """Clean up after dead writers of the files with that key; the caller holds the lock.

        ``temporary_files`` are those of the project, if several keys are settled. Return the
        relative paths of removed temporary files. Raise :class:`.UnfinishedError` if something
        can't be finished; its record stays.
        """
        found = temporary_files or TemporaryFiles(self._project)
        mine = [name for name in self._state.names(PART) if name.startswith(f"{key}-")]
        return [path for name in mine if (path := self._settle(name, found)) is not None]

    def unfinished(self, key: str, temporary_files: TemporaryFiles) -> list[UnfinishedError]:
        """Return the errors of :meth:`settle`, and the writes that it would finish. Reads only."""
        found = []
        for name in [each for each in self.names() if each.startswith(f"{key}-")]:
            try:
                self._settle(name, temporary_files, ends=False)
            except UnfinishedError as error:
                found.append(error)
        return found

    def names(self) -> list[str]:
        """The records' names."""
        return [name for name in self._state.names(PART) if _NAME.fullmatch(name)]

    def keys(self) -> set[str]:
        """Return the lock keys of the files with records."""
        return {name.partition("-")[0] for name in self.names()}

    def under_way(self, key: str) -> list[UnderWayError]:
        """Return the errors for writes with this lock ``key`` whose writers are alive."""
        found = []
        for name in [each for each in self.names() if each.startswith(f"{key}-")]:
            with suppress(OSError), self._state.folder(PART) as folder:
                line = folder.first_line(name, MAX_HEADER_BYTES)
                header = None if line is None else WriteRecord.decode_header(line)
                found.append(UnderWayError(name, None, () if header is None else (header.path,)))
        return found

    def _settle(
        self, name: str, temporary_files: TemporaryFiles, *, ends: bool = True
    ) -> str | None:
        match = _NAME.fullmatch(name)
        if match is None:
            return None
        try:
            with self._state.folder(PART) as folder:
                data, _ = folder.read(name, _MAX_RECORD_BYTES)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise DamagedRecordError(name, None, cause=error) from error
        record = WriteRecord.decode(data) or WriteRecord.decode_damaged(data)
        script = None if record is None else self._project.named(record.path)
        if (
            record is None
            or script is None
            or (lock_key(record.path), record.ticket) != match.groups()
        ):
            self._refuse_damaged(name, data, temporary_files)
            # Cut short: its writer died before it did anything else. (Or the record isn't ours.)
            if ends:
                self.abandon(name)
            return None
        temporary = temporary_name(script.name, record.ticket)
        try:
            folder = script.open_folder(in_place=True)
        except FileInUseError:
            raise
        except OSError as error:
            raise _waits(name, record, error) from error
        try:
            with folder:
                if _is_another(record, script.name, temporary, folder):
                    raise _waits(name, record, AnotherFolderError())
                has_landed, replaced = _inspect(script, folder, temporary, record)
                if not ends and has_landed:
                    self._history.look(to_add=True)
                    raise StillToEndError(name, None, [record.path])
                if not ends:
                    return None
                if replaced is not None:
                    self._keep(name, record, replaced)
                removed = discard(folder, temporary)
        except (UnfinishedError, FileInUseError):
            raise
        except OSError as error:
            raise StuckError(name, None, [record.path], error) from error
        if has_landed:
            lost = self.complete(name, record)
            if lost is not None and lost.cause is not None:
                # Another write on top would hide that this write happened.
                raise StuckError(name, None, [record.path], lost.cause)
        else:
            self.abandon(name)
        return f"{record.path.rpartition('/')[0]}/{temporary}" if removed else None

    def _refuse_damaged(self, name: str, data: bytes, temporary_files: TemporaryFiles) -> None:
        """Raise :class:`.DamagedRecordError` if the record was whole, or has temporary files."""
        key, ticket = name.partition("-")[0], ticket_of(name)
        # A temporary file of a script with a very long name doesn't show which script it is.
        found = [
            temporary
            for temporary in temporary_files.of(ticket)
            if all(lock_key(path) == key for path in scripts_of([temporary]))
        ]
        header, ended, _ = data.partition(b"\n")
        is_line = bool(ended) and header.startswith(b"{") and header.endswith(b"}")
        was_whole = is_line and WriteRecord.decode_header(header) is None
        if found or was_whole or not temporary_files.are_all:
            files = scripts_of(found)
            raise DamagedRecordError(name, None, files, are_all=bool(files), temporary_files=found)

    def _keep(self, name: str, record: WriteRecord, replaced: bytes) -> None:
        kept = WriteRecord(
            record.path,
            new_ticket(),
            before=content_hash(replaced),
            after=record.after,
            image=replaced,
        )
        pending = self.begin(kept)
        self.complete(name, record)
        self.complete(pending, kept)


def _inspect(
    script: ScriptPath, folder: Folder, temporary: str, record: WriteRecord
) -> tuple[bool, bytes | None]:
    """Return whether the write happened, and the replaced content if that isn't recorded."""
    snapshot = script.read_in(folder)
    current = None if isinstance(snapshot, SnippetError) else content_hash(snapshot.data)
    has_landed = current == record.after
    try:
        replaced, _ = folder.read(temporary, MAX_FILE_BYTES)
    except OSError:
        return has_landed, None
    if not has_landed and (current == record.before or content_hash(replaced) != record.before):
        return False, None
    # Only an exchange gives the replaced file the temporary name, so somebody has saved since.
    # Damaged records and those of undos have no image.
    is_kept = record.image is not None or record.consumes is not None
    known = (record.before, record.after) if is_kept else (record.after,)
    return True, None if content_hash(replaced) in known else replaced


def _is_another(record: WriteRecord, name: str, temporary: str, folder: Folder) -> bool:
    """Return whether the open folder is neither the write's folder nor a copy of that."""
    if record.folder is None or folder.identity() == record.folder:
        return False
    there = folder.names()
    return bool(there) and name not in there and temporary not in there


def _waits(name: str, record: WriteRecord, error: OSError) -> FolderAwayError:
    return FolderAwayError(name, None, [record.path], {folder_of(record.path): error})
