"""Change sets in progress, from their commit to their completion or rollback.

Implements docs/design/engine.md §5 "Change sets". A set's record is in
``Library/SnippetEngine/pending`` while the set is written. A process that finds it there and holds
the locks of all its files knows that its writer is dead. The process *settles* the set: see
"Recovery" there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress

from snippet_engine.storage.change_sets import meta_files
from snippet_engine.storage.change_sets.change_records import PART, ChangeRecords
from snippet_engine.storage.change_sets.change_slots import (
    OpenSlot,
    SlotState,
    drop_folders,
    open_slots,
)
from snippet_engine.storage.change_sets.open_change import (
    OpenChange,
    RecordFile,
    Settled,
    Stopped,
    moved_folder,
)
from snippet_engine.storage.os_failure import naming
from snippet_engine.storage.paths.project import Project, ScriptPath
from snippet_engine.storage.records.change_record import (
    MAX_CHANGE_BYTES,
    ChangeRecord,
    MadeFolder,
    Mark,
    Seal,
    Stage,
    is_whole,
)
from snippet_engine.storage.records.history import History
from snippet_engine.storage.records.write_record import ticket_of
from snippet_engine.storage.recovery.temporary_files import TemporaryFiles
from snippet_engine.storage.recovery.unfinished import (
    DamagedRecordError,
    NotKept,
    StillToEndError,
    StuckError,
    UnfinishedError,
    folder_of,
    moved_meanwhile,
)
from snippet_engine.storage.state_folder import StateFolder
from snippet_engine.storage.system.replace_file import FileInUseError
from snippet_engine.storage.system.system_calls import make_durable

StagedFile = tuple[str, int]
"""A new file under its temporary name: its project-relative target path, and its descriptor."""


class ChangeJournal:
    """The records of change sets in progress. Every caller holds the locks of all their files."""

    def __init__(self, project: Project, state: StateFolder, history: History) -> None:
        self.records = ChangeRecords(project, state)
        self._project = project
        self._state = state
        self._history = history

    def begin(self, record: ChangeRecord) -> RecordFile:
        """Store the record, not committed. Raises ``OSError``."""
        self._history.prepare(PART)
        name = f"{record.lock_keys[0]}-{record.ticket}.set"
        data, seal = record.encode()
        return RecordFile(name, seal, self._state.begin(PART, name, data))

    @contextmanager
    def opened(
        self, file: RecordFile, record: ChangeRecord, scripts: Sequence[ScriptPath] = ()
    ) -> Iterator[OpenChange]:
        """Open the set's record and its files' folders; ``scripts`` are those already known.

        Raise ``OSError``.
        """
        with file.content, open_slots(self._project, record, scripts) as (slots, away):
            yield OpenChange(file, record, slots, away)

    def staging(self, file: RecordFile, record: ChangeRecord) -> None:
        """Record that the folders are made: from now on each must exist. Raise ``OSError``."""
        if record.makes:
            file.mark(Mark.STAGED)

    def commit(self, change: OpenChange, staged: Iterable[StagedFile]) -> None:
        """Commit: seal the record, and flush it and the new files to disk. Raise ``OSError``.

        From now on the set goes forward. No file is renamed before all are on the disk.
        """
        change.file.seal_it(Mark.NONE)
        change.file.content.make_durable()
        for name, fd in staged:
            with naming(name):
                make_durable(fd)

    def forward(self, slots: Sequence[OpenSlot]) -> Stopped | None:
        """Rename all files into place; return where that stopped, if it did. Raise ``OSError``."""
        for count, slot in enumerate(slots):
            with naming(slot.slot.name):
                refusal = slot.forward()
            if refusal is not None:
                return Stopped(refusal.for_file(slot.slot.file), slots[:count])
        astray = moved_folder(slots)
        if astray is not None:
            return Stopped(moved_meanwhile(astray.script).for_file(astray.slot.file), slots)
        return None

    def back(
        self,
        change: OpenChange,
        begun: Sequence[OpenSlot] | None = None,
        empty: Collection[str] = (),
    ) -> list[str]:
        """Roll back what the set changed in ``begun``; return the paths of files left alone.

        ``begun`` are the slots that it may have changed, by default all whose folders exist. The
        history keeps the old content of files that others changed since, or in ``empty`` folders.
        After an ``OSError`` the record stays, and shows the remaining steps.
        """
        begun = change.present if begun is None else begun
        with suppress(OSError):
            change.file.mark(Mark.BACK)
        for slot in reversed(begun):
            if folder_of(slot.slot.path) not in empty:
                with naming(slot.slot.name):
                    slot.back()
        change.sync()
        with suppress(OSError):
            change.file.mark(Mark.RETURNED)
        return self._returned(change, begun, empty)

    def _returned(
        self, change: OpenChange, begun: Sequence[OpenSlot], empty: Collection[str] = ()
    ) -> list[str]:
        """Finish a set whose files are rolled back. Return the same as :meth:`back`."""
        left_alone = [
            slot.slot
            for slot in begun
            if slot.state() is not SlotState.BEFORE or folder_of(slot.slot.path) in empty
        ]
        files = sum({1 << slot.file for slot in left_alone})
        self.withdraw(change, Mark.RETURNED_CLEAN, files)
        return [slot.name for slot in left_alone]

    def withdraw(self, change: OpenChange, clean: bytes = Mark.NONE, left_alone: int = 0) -> None:
        """Remove the traces of a set that changed nothing, or is rolled back. Raise ``OSError``.

        It is marked as ``clean`` before its folders are removed. With files ``left_alone``, one bit
        each, it becomes a history entry.
        """
        change.discard()
        if change.record.makes:
            change.file.mark(clean)
        self._drop_folders(change, change.record.makes)
        if left_alone:
            self._adopt(change, left_alone)
        else:
            self._forget(change)

    def finish(self, change: OpenChange) -> NotKept | None:
        """Keep the record of a finished set as history, or drop the entry that an undo reverts.

        A failure is returned, and left for :meth:`settle`.
        """
        change.sync()
        try:
            change.file.mark(Mark.DONE)
            self._tidy(change)
        except OSError as error:
            if isinstance(error, FileNotFoundError):
                # Without the record, recovery can't finish the set later.
                with suppress(OSError):
                    change.discard()
            return NotKept.after(error, self._state, PART, change.name)
        return None

    def settle(self, name: str, temporary_files: TemporaryFiles | None = None) -> Settled | None:
        """Finish a dead writer's set; return ``None`` if it had not begun, or has ended.

        ``temporary_files`` are those of the project, if several sets are settled. Raise
        :class:`.UnfinishedError` if the set can't be finished now, ``OSError`` if that is unknown.
        In both cases the record stays.
        """
        return self._found(name, temporary_files, ends=True)

    def look(self, name: str, temporary_files: TemporaryFiles | None = None) -> None:
        """Raise the error that :meth:`settle` would raise, or else :class:`.StillToEndError`.

        Writes nothing.
        """
        self._found(name, temporary_files, ends=False)

    def _found(
        self, name: str, temporary_files: TemporaryFiles | None, *, ends: bool
    ) -> Settled | None:
        ticket, found = ticket_of(name), temporary_files or TemporaryFiles(self._project)
        try:
            with self._state.folder(PART) as folder:
                data, _ = folder.read(name, MAX_CHANGE_BYTES)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise DamagedRecordError(
                name, ticket, cause=error, temporary_files=found.of(ticket)
            ) from error
        decoded = ChangeRecord.decode(data)
        was_whole = is_whole(data) if decoded is None else decoded[1] is Stage.DAMAGED
        if decoded is None or was_whole or not self.records.is_ours(decoded[0], ticket):
            if was_whole or found.of(ticket) or not found.are_all:
                raise self.records.damaged(name, data, found)
            # The writer died before its first step, or after its last.
            if ends:
                self._remove(name)
            return None
        record, stage = decoded
        file = RecordFile(name, Seal.of(len(data)), self._state.open(PART, name))
        with self.opened(file, record) as change:
            try:
                if stage is Stage.CUT_SHORT and change.has_begun():
                    raise self.records.damaged(name, data, found)
                if ends:
                    return self._settle(change, stage)
                self._look(change, stage)
                return None
            except UnfinishedError as error:
                error.undo_of = record.undoes
                raise
            except FileInUseError:
                raise
            except OSError as error:
                files = [slot.name for slot in record.slots]
                stuck = StuckError(name, ticket, files, error)
                stuck.undo_of = record.undoes
                raise stuck from error

    def _settle(self, change: OpenChange, stage: Stage) -> Settled | None:
        change.refuse_away(self._project, stage)
        if stage in (Stage.PREPARED, Stage.STAGED, Stage.CUT_SHORT):
            self.withdraw(change)
            return None
        if stage in (Stage.RETURNED, Stage.RETURNED_CLEAN):
            left_alone = self._returned(change, change.present)
            return Settled.back(change.record, left_alone)
        if stage in (Stage.DONE, Stage.DONE_CLEAN):
            self._tidy(change)
            return Settled.forward(change.record)
        empty = change.recreated_folders()
        foreign = self._foreign(change) if stage is Stage.COMMITTED else []
        lost = [slot.name for slot in change.gone()]
        if stage is Stage.COMMITTED and not foreign and self._went_forward(change):
            self.finish(change)
            return Settled.forward(change.record, lost)
        change.refuse_way_back()
        others = {*foreign, *self.back(change, empty=empty)}
        return Settled.back(change.record, others, lost)

    def _look(self, change: OpenChange, stage: Stage) -> None:
        change.refuse_away(self._project, stage)
        if stage in (Stage.PREPARED, Stage.STAGED, Stage.CUT_SHORT):
            return
        if stage not in (Stage.RETURNED, Stage.RETURNED_CLEAN, Stage.DONE, Stage.DONE_CLEAN):
            change.recreated_folders()
        is_foreign = any(slot.state() is SlotState.FOREIGN for slot in change.present)
        if stage is Stage.COMMITTED and (is_foreign or change.has_lost_new_files()):
            change.refuse_way_back()
        self._history.look(to_add=True)
        record = change.record
        raise StillToEndError(change.name, record.ticket, [slot.name for slot in record.slots])

    def _foreign(self, change: OpenChange) -> list[str]:
        """Return the files that have neither their old nor their new content."""
        found = []
        for slot in change.present:
            slot.rescue()
            if slot.state() is SlotState.FOREIGN:
                found.append(slot.slot.name)
        return found

    def _went_forward(self, change: OpenChange) -> bool:
        if change.has_lost_new_files():
            return False
        try:
            waiting = [slot for slot in change.present if slot.state() is SlotState.BEFORE]
            if not all(slot.is_staged for slot in waiting):
                return False
            # The writer may have died before it flushed them to the disk.
            for slot in waiting:
                slot.make_durable()
            change.file.content.make_durable()
            return self.forward(waiting) is None
        except OSError:
            return False

    def _tidy(self, change: OpenChange) -> None:
        record = change.record
        if record.consumes is not None:
            for number, text in meta_files.of_slots(record):
                self._history.keep_meta(record.ticket, number, text)
        change.discard()
        if record.drops:
            change.file.mark(Mark.DONE_CLEAN)
        self._drop_folders(change, record.drops)
        if record.consumes is None:
            self._adopt(change)
        else:
            self._history.remove_undone(record.consumes, record)
            self._forget(change)

    def _drop_folders(self, change: OpenChange, folders: tuple[MadeFolder, ...]) -> None:
        def keep(index: int, text: bytes) -> None:
            number = meta_files.of_folder(change.record, index)
            self._history.keep_meta(change.record.ticket, number, text)

        change.let_go()
        drop_folders(self._project, folders, keep)

    def _adopt(self, change: OpenChange, left_alone: int = 0) -> None:
        change.file.content.close()
        size = change.file.seal.mark_offset + len(Mark.DONE)
        self._history.adopt_change(change.name, change.record.ticket, size, left_alone)

    def _forget(self, change: OpenChange) -> None:
        change.file.content.close()
        self._remove(change.name)

    def _remove(self, name: str) -> None:
        with suppress(FileNotFoundError):
            self._state.remove(PART, name)
