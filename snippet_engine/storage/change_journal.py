"""Change sets under way, from their commit to their end: forward, or back.

Implements docs/design/engine.md §5 "Change sets". The record of a set lies in
``Library/SnippetEngine/pending`` while the set is written. Whoever finds it there and holds the
locks of all its files knows that its writer is dead, and *settles* it:

* not committed: nothing but temporary files was made; they are removed;
* committed: it goes **forward**, unless a file was changed from outside meanwhile, or a temporary
  file is gone: then that file is left alone, and the others go **back**;
* a decision that was made is marked in the record, so that it is made once;
* where one of its folders can't be looked at, or another one is in its place, nothing is done: it
  **waits**, and its record stays;
* where the record is damaged, likewise: it is told, and whoever looked at the files deletes it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

from snippet_engine.errors import SnippetError
from snippet_engine.storage.change_record import (
    MARK_BACK,
    MARK_DONE,
    MARK_DONE_CLEAN,
    MARK_NONE,
    MARK_RETURNED,
    MARK_RETURNED_CLEAN,
    MARK_STAGED,
    MAX_CHANGE_BYTES,
    MAX_CHANGE_HEADER_BYTES,
    ChangeRecord,
    Seal,
    Stage,
    is_whole,
)
from snippet_engine.storage.change_slots import (
    OpenSlot,
    SlotState,
    drop_folders,
    not_made,
    open_slots,
)
from snippet_engine.storage.folder_away import (
    GONE,
    AnotherFolderError,
    FolderAwayError,
    folder_of,
)
from snippet_engine.storage.history import History
from snippet_engine.storage.project import Project, ScriptPath
from snippet_engine.storage.state_folder import StateFolder
from snippet_engine.storage.unfinished import DamagedRecordError

PART = "pending"
_NAME = re.compile(r"([0-9a-f]{32})-([0-9a-f]{16})\.set")


@dataclass(frozen=True, slots=True)
class Settled:
    """A set whose writer had died: whether it is in place now, and which files were left alone."""

    change_id: str
    went_forward: bool
    left_alone: tuple[str, ...] = ()

    def __str__(self) -> str:
        """What became of it, in words."""
        if self.went_forward:
            return f"change {self.change_id} was completed"
        others = ", ".join(self.left_alone)
        because = f"; changed by others, and left as they are: {others}" if others else ""
        return f"change {self.change_id} was taken back{because}"


@dataclass(frozen=True, slots=True)
class OpenChange:
    """A change set that is being written: its record's file, and every slot whose folder is there.

    ``slots`` go with the record's, ``None`` where the folder is one of those ``away``.
    """

    name: str
    record: ChangeRecord
    seal: Seal
    slots: Sequence[OpenSlot | None]
    away: Mapping[str, OSError]

    @property
    def present(self) -> list[OpenSlot]:
        """The slots whose folders are there."""
        return [slot for slot in self.slots if slot is not None]


class ChangeJournal:
    """The records of change sets under way. Every caller holds the locks of all their files."""

    def __init__(self, project: Project, state: StateFolder, history: History) -> None:
        self._project = project
        self._state = state
        self._history = history

    def names(self) -> list[str]:
        """The records' names."""
        return [name for name in self._state.names(PART) if _NAME.fullmatch(name)]

    def lock_keys(self, name: str) -> tuple[str, ...]:
        """The lock keys that settling the record takes, in order.

        Of one that was cut short the one in its name: its writer holds it as long as it lives.
        """
        header = self._header(name)
        return (name.partition("-")[0],) if header is None else header.lock_keys

    def touching(self, keys: Collection[str], names: Sequence[str]) -> list[str]:
        """Those ``names`` that are records of sets that have files with one of these lock keys."""
        return [
            name
            for name in names
            if _NAME.fullmatch(name) and not set(keys).isdisjoint(self.lock_keys(name))
        ]

    # -- one set, from its record to its end -------------------------------------------------

    def begin(self, record: ChangeRecord) -> tuple[str, Seal]:
        """Store the record, not committed; its name and what commits it. Raises ``OSError``."""
        self._history.prepare()
        name = f"{record.lock_keys[0]}-{record.ticket}.set"
        data, seal = record.encode()
        self._state.create(PART, name, data, durable=False)
        return name, seal

    @contextmanager
    def opened(
        self, name: str, record: ChangeRecord, seal: Seal, scripts: Sequence[ScriptPath] = ()
    ) -> Iterator[OpenChange]:
        """The set with the folders of its files held open; ``scripts`` are those that are known.

        Raises ``OSError``.
        """
        with open_slots(self._project, record, scripts) as found:
            yield OpenChange(name, record, seal, found.slots, found.away)

    def staging(self, name: str, record: ChangeRecord, seal: Seal) -> None:
        """The folders are made: from here on each has to be there. Raises ``OSError``."""
        if record.makes:
            self._state.amend(PART, name, seal.mark_offset, MARK_STAGED, durable=False)

    def commit(self, change: OpenChange) -> None:
        """From here on the set goes forward, whoever lives. Raises ``OSError``."""
        seal = change.seal.digest + MARK_NONE
        self._state.amend(PART, change.name, change.seal.offset, seal, durable=True)

    def forward(self, slots: Sequence[OpenSlot]) -> SnippetError | None:
        """Change the names; a refusal says which file stopped it. Raises ``OSError``."""
        for slot in slots:
            refusal = slot.forward()
            if refusal is not None:
                return refusal.for_file(slot.slot.file)
        return None

    def back(self, change: OpenChange) -> list[str]:
        """Bring every file back that the set has changed; the paths of those left alone.

        Raises ``OSError``; then the record stays, and says what is still to be done.
        """
        with suppress(OSError):
            self._mark(change, MARK_BACK)
        left_alone = [
            slot.slot.name for slot in reversed(change.present) if slot.back() is not None
        ]
        _sync(change)
        with suppress(OSError):
            self._mark(change, MARK_RETURNED)
        self._withdraw(change, MARK_RETURNED_CLEAN)
        return left_alone

    def _withdraw(self, change: OpenChange, clean: bytes) -> None:
        """Remove the traces of a set that changed nothing, or is back. Raises ``OSError``.

        Marked as ``clean`` before folders go; the record is still there if something fails.
        """
        _discard(change)
        if change.record.makes:
            self._mark(change, clean)
        drop_folders(self._project, change.record.makes)
        self._forget(change.name)

    def finish(self, change: OpenChange) -> None:
        """The set is in place: keep its record as history, or take one back.

        What can't be done now is left for :meth:`settle`.
        """
        _sync(change)
        with suppress(OSError):
            self._mark(change, MARK_DONE)
            self._tidy(change)

    def settle(self, name: str) -> Settled | None:
        """Bring a dead writer's set to its end; ``None`` if it had not begun, or has ended.

        Raises ``OSError`` if it can't be brought to its end now, :class:`.UnfinishedError` if it
        waits for a folder, or its record is damaged; the record stays.
        """
        try:
            with self._state.folder(PART) as folder:
                data, _ = folder.read(name, MAX_CHANGE_BYTES)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise DamagedRecordError(name, _ticket(name), cause=error) from error
        decoded = ChangeRecord.decode(data)
        if decoded is None and is_whole(data):
            raise DamagedRecordError(name, _ticket(name))
        if decoded is not None and decoded[1] is Stage.DAMAGED:
            raise _damaged(name, decoded[0])
        if decoded is None or not self._is_ours(decoded[0]):
            self._forget(name)  # Cut short: its writer died before it did anything else.
            return None
        record, stage = decoded
        with self.opened(name, record, Seal.of(len(data))) as change:
            return self.settle_open(change, stage)

    def settle_open(self, change: OpenChange, stage: Stage) -> Settled | None:
        """As :meth:`settle`, for a set that is open."""
        ticket = change.record.ticket
        self._refuse_away(change, stage)
        if stage is Stage.CUT_SHORT and any(slot.has_temporary for slot in change.present):
            # They are made after the record: it was whole once.
            raise _damaged(change.name, change.record)
        if stage in (Stage.PREPARED, Stage.STAGED, Stage.CUT_SHORT):
            self._withdraw(change, MARK_NONE)
            return None
        if stage in (Stage.RETURNED, Stage.RETURNED_CLEAN):
            self._withdraw(change, MARK_RETURNED_CLEAN)
            return Settled(ticket, went_forward=False)
        if stage in (Stage.DONE, Stage.DONE_CLEAN):
            self._tidy(change)
            return Settled(ticket, went_forward=True)
        self._refuse_others(change)
        foreign = self._foreign(change) if stage is Stage.COMMITTED else []
        if stage is Stage.COMMITTED and not foreign and self._went_forward(change):
            self.finish(change)
            return Settled(ticket, went_forward=True)
        left_alone = {*foreign, *self.back(change)}
        return Settled(ticket, went_forward=False, left_alone=tuple(sorted(left_alone)))

    def _refuse_away(self, change: OpenChange, stage: Stage) -> None:
        """Raise :class:`FolderAwayError` if a folder can't be looked at that would have to be.

        Not of one that the set itself has not made yet, or has removed again.
        """
        record = change.record
        ours = {
            Stage.CUT_SHORT: record.makes,
            Stage.PREPARED: record.makes,
            Stage.RETURNED_CLEAN: record.makes,
            Stage.DONE_CLEAN: record.drops,
        }.get(stage, ())
        made = [folder.path for folder in ours]
        away = {
            path: error
            for path, error in change.away.items()
            if error.errno not in GONE or not not_made(self._project, path, made)
        }
        if away:
            raise _waits(change, away)

    def _refuse_others(self, change: OpenChange) -> None:
        """Raise :class:`FolderAwayError` if another folder is in the place of one of the set's.

        An empty one isn't: it gives up what was in it.
        """
        slots_in: dict[str, list[OpenSlot]] = {}
        for slot in change.present:
            slots_in.setdefault(folder_of(slot.slot.path), []).append(slot)
        others: dict[str, OSError] = {
            path: AnotherFolderError()
            for path, slots in slots_in.items()
            if _is_another(change.record, path, slots)
        }
        if others:
            raise _waits(change, others)

    def _foreign(self, change: OpenChange) -> list[str]:
        """Files that are neither as they were nor as they are to be."""
        found = []
        for slot in change.present:
            slot.rescue()
            if slot.state() is SlotState.FOREIGN:
                found.append(slot.slot.name)
        return found

    def _went_forward(self, change: OpenChange) -> bool:
        """Whether all that is still to be done could be done."""
        try:
            waiting = [slot for slot in change.present if slot.state() is SlotState.BEFORE]
            if not all(slot.is_staged for slot in waiting):
                return False
            return self.forward(waiting) is None
        except OSError:
            return False

    def _tidy(self, change: OpenChange) -> None:
        """The rest of a set that is marked as done. Raises ``OSError``."""
        record = change.record
        _discard(change)
        if record.drops:
            self._mark(change, MARK_DONE_CLEAN)
        drop_folders(self._project, record.drops)
        if record.consumes is None:
            size = change.seal.mark_offset + len(MARK_DONE)
            self._history.adopt_change(change.name, record.ticket, size)
        else:
            self._history.remove(record.consumes)
            self._forget(change.name)

    def _mark(self, change: OpenChange, mark: bytes) -> None:
        self._state.amend(PART, change.name, change.seal.mark_offset, mark, durable=False)

    def _forget(self, name: str) -> None:
        with suppress(FileNotFoundError):
            self._state.remove(PART, name)

    def _is_ours(self, record: ChangeRecord) -> bool:
        """Whether it names scripts of this project only."""
        paths = [path for file in record.files for path in file.paths]
        slots = {slot.path for slot in record.slots}
        return slots <= set(paths) and all(self._project.named(path) for path in paths)

    def _header(self, name: str) -> ChangeRecord | None:
        try:
            with self._state.folder(PART) as folder:
                line = folder.first_line(name, MAX_CHANGE_HEADER_BYTES)
        except OSError:
            return None
        record = None if line is None else ChangeRecord.decode_header(line)
        if record is None or not record.files:
            return None
        return replace(record, slots=())


def _sync(change: OpenChange) -> None:
    """Make the names durable in every folder, where the system can."""
    for folder in {id(slot.folder): slot.folder for slot in change.present}.values():
        folder.sync()


def _discard(change: OpenChange) -> None:
    """Remove the temporary files. Raises ``OSError``."""
    for slot in change.present:
        slot.discard()


def _is_another(record: ChangeRecord, path: str, slots: Sequence[OpenSlot]) -> bool:
    """Whether the folder at ``path``, open in its ``slots``, is not the one of the record.

    Told by its identity and, where that says nothing (a copy of the project has others, and one
    that the set makes has none yet), by what is in it.
    """
    folder, known = slots[0].folder, record.folders.get(path)
    if known is not None and folder.identity() == known:
        return False
    signs = (slot.is_named() if known is None else slot.is_known() for slot in slots)
    return not any(signs) and bool(folder.names())


def _waits(change: OpenChange, folders: Mapping[str, OSError]) -> FolderAwayError:
    record = change.record
    files = [slot.name for slot in record.slots if folder_of(slot.path) in folders]
    return FolderAwayError(change.name, record.ticket, files, folders)


def _damaged(name: str, record: ChangeRecord) -> DamagedRecordError:
    return DamagedRecordError(name, record.ticket, [slot.name for slot in record.slots])


def _ticket(name: str) -> str | None:
    match = _NAME.fullmatch(name)
    return None if match is None else match[2]
