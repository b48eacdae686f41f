"""A change set whose folders are open: its files' state, its outcome, and the folders it waits for.

Part of docs/design/engine.md §5 "Change sets". A missing folder's files are missing, too. If the
set deletes them, nothing is left to do; if it creates them, the set is rolled back. If it edits or
restores them, the set waits: the folder may have been moved for a moment.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from snippet_engine.errors import SnippetError
from snippet_engine.storage.change_sets.change_slots import OpenSlot, SlotState, not_made
from snippet_engine.storage.paths.project import META, Project
from snippet_engine.storage.records.change_record import ChangeRecord, Seal, Slot, Stage
from snippet_engine.storage.recovery.unfinished import (
    GONE,
    AnotherFolderError,
    FolderAwayError,
    folder_of,
)
from snippet_engine.storage.state_folder import StateFile
from snippet_engine.storage.system.folder import Folder
from snippet_engine.storage.system.replace_file import FileInUseError

_MOST_LEFT_TOLD = 3


@dataclass(frozen=True, slots=True)
class Settled:
    """The outcome of a dead writer's set, and which files were left alone."""

    change_id: str
    went_forward: bool
    left_alone: tuple[str, ...] = ()
    undo_of: str | None = None
    is_given_up: bool = False
    """Whether nothing could be reverted."""
    files: int = 0
    """The number of files of the set."""
    gone: tuple[str, ...] = ()
    """Files whose folders were removed."""

    @classmethod
    def forward(cls, record: ChangeRecord, gone: Iterable[str] = ()) -> Settled:
        """Return the outcome of a set that was completed."""
        return cls(
            record.ticket,
            went_forward=True,
            undo_of=record.undoes,
            files=len(record.files),
            gone=tuple(sorted(gone)),
        )

    @classmethod
    def back(
        cls, record: ChangeRecord, left_alone: Iterable[str], gone: Iterable[str] = ()
    ) -> Settled:
        """Return the outcome of a set that was rolled back."""
        alone = tuple(sorted(left_alone))
        files = sum({1 << slot.file for slot in record.slots if slot.name in alone})
        return cls(
            record.ticket,
            went_forward=False,
            left_alone=alone,
            undo_of=record.undoes,
            is_given_up=record.is_all(files),
            files=len(record.files),
            gone=tuple(sorted(gone)),
        )

    @property
    def note(self) -> str:
        """Return the note for the answer of the call that settled it."""
        what = "An earlier, unfinished change"
        if self.undo_of is not None:
            what = f"The unfinished undo of change {self.undo_of}"
        became = "completed" if self.went_forward else "taken back"
        done = self.files - len(self.left_alone)
        count = f"{done} file{'s' * (done != 1)}"
        named = f" (changeId {self.change_id})" if self.undo_of is None else ""
        return f"{what} was {became} first: {count}{named}{self._left_alone_note}{self._gone_note}."

    @property
    def _left_alone_note(self) -> str:
        if not self.left_alone:
            return ""
        left = "1 is" if len(self.left_alone) == 1 else f"{len(self.left_alone)} are"
        return f"; {left} left as others have since changed it: {_some(self.left_alone)}"

    @property
    def _gone_note(self) -> str:
        others = [name for name in self.gone if name not in self.left_alone]
        if not others:
            return ""
        its = "1 had gone with its folder"
        had = its if len(others) == 1 else f"{len(others)} had gone with their folders"
        return f"; {had}: {_some(others)}"

    def __str__(self) -> str:
        undo = f"the undo of change {self.undo_of}"
        what = undo if self.undo_of is not None else f"change {self.change_id}"
        if self.went_forward:
            return f"{what} was completed{self._gone_note}"
        others = ", ".join(self.left_alone)
        because = f"; changed by others, and left as they are: {others}" if others else ""
        because += self._gone_note
        if self.is_given_up:
            return f"{what} was given up{because}"
        if self.undo_of is not None:
            return f"{undo} didn't happen, and that change is still in place{because}"
        return f"change {self.change_id} was taken back{because}"


def _some(names: Sequence[str]) -> str:
    more = ", …" if len(names) > _MOST_LEFT_TOLD else ""
    return ", ".join(names[:_MOST_LEFT_TOLD]) + more


@dataclass(frozen=True, slots=True)
class RecordFile:
    """The open file of a set's record."""

    name: str
    seal: Seal
    content: StateFile

    def mark(self, mark: bytes) -> None:
        """Write the ``mark`` of the set's progress. Raises ``OSError``."""
        self.content.write(self.seal.mark_offset, mark)

    def seal_it(self, mark: bytes) -> None:
        """Write the digest and ``mark``, which seal the record. Raises ``OSError``."""
        self.content.write(self.seal.offset, self.seal.digest + mark)


@dataclass(frozen=True, slots=True)
class OpenChange:
    """A change set that is being written."""

    file: RecordFile
    record: ChangeRecord
    slots: Sequence[OpenSlot | None]
    """``None`` for a slot whose folder is ``away``."""
    away: Mapping[str, OSError]

    @property
    def name(self) -> str:
        """Return the name of its record."""
        return self.file.name

    @property
    def present(self) -> list[OpenSlot]:
        """Return the slots whose folders exist."""
        return [slot for slot in self.slots if slot is not None]

    def recreated_folders(self) -> frozenset[str]:
        """Return the folders that were recreated empty, because their content was given up.

        Raise :class:`.FolderAwayError` if a folder was replaced by another that isn't empty.
        """
        slots_in: dict[str, list[OpenSlot]] = {}
        for slot in self.present:
            slots_in.setdefault(folder_of(slot.slot.path), []).append(slot)
        anew = [path for path, slots in slots_in.items() if _is_another(self.record, path, slots)]
        others: dict[str, OSError] = {
            path: AnotherFolderError()
            for path in anew
            if not _is_empty(path, slots_in[path][0].folder, slots_in)
        }
        if others:
            raise self.waits(others)
        return frozenset(anew)

    def sync(self) -> None:
        """Make the names durable in every folder, where the system can."""
        for folder in self._folders():
            folder.sync()

    def let_go(self) -> None:
        """Release the folders, so that we and others can remove them."""
        for folder in self._folders():
            folder.let_go()

    def _folders(self) -> Iterable[Folder]:
        return {id(slot.folder): slot.folder for slot in self.present}.values()

    def discard(self) -> None:
        """Remove the temporary files. Raises ``OSError``."""
        for slot in self.present:
            slot.discard()

    def waits(self, folders: Mapping[str, OSError], *, is_begun: bool = True) -> FolderAwayError:
        """Return the error for a set that waits for ``folders``, and that may have begun."""
        record = self.record
        files = [slot.name for slot in record.slots if folder_of(slot.path) in folders]
        return FolderAwayError(self.name, record.ticket, files, folders, is_begun=is_begun)

    def has_begun(self) -> bool:
        """Return whether a file of the set has changed already. Raise ``OSError``."""
        return any(slot.state() is not SlotState.BEFORE for slot in self.present)

    def refuse_away(self, project: Project, stage: Stage) -> None:
        """Raise :class:`.FolderAwayError` if a needed folder can't be examined.

        The set doesn't need a folder that it hasn't made yet or has removed again. It doesn't need
        a missing folder without a needed file, either. Raise :class:`.FileInUseError` if others are
        moving one now.
        """
        for error in self.away.values():
            if isinstance(error, FileInUseError):
                raise error
        record = self.record
        ours = {
            Stage.CUT_SHORT: record.makes,
            Stage.PREPARED: record.makes,
            Stage.RETURNED_CLEAN: record.makes,
            Stage.DONE_CLEAN: record.drops,
        }.get(stage, ())
        made = [folder.path for folder in ours]
        away = {
            path: error
            for path, error in self.away.items()
            if error.errno not in GONE or not not_made(project, path, made)
        }
        needed = {
            folder_of(slot.path)
            for slot in record.slots
            if slot.before is not None and (slot.after is not None or stage in _BACKWARDS)
        }
        if any(
            path in needed or error.errno not in GONE or not _is_gone(project, path)
            for path, error in away.items()
        ):
            raise self.waits(away, is_begun=stage not in (Stage.PREPARED, Stage.STAGED))

    def gone(self) -> list[Slot]:
        """Return the files whose folders are gone, for a set that doesn't wait for them."""
        both = zip(self.record.slots, self.slots, strict=True)
        return [slot for slot, found in both if found is None]

    def has_lost_new_files(self) -> bool:
        """Return whether a new file's folder is gone, so that the set can't be completed."""
        return any(slot.after is not None for slot in self.gone())

    def refuse_way_back(self) -> None:
        """Raise :class:`.FolderAwayError` if a rollback needs a folder that is gone."""
        if any(slot.before is not None for slot in self.gone()):
            raise self.waits(self.away)


@dataclass(frozen=True, slots=True)
class Stopped:
    """Why a set wasn't completed, and the slots that had been changed by then."""

    refusal: SnippetError
    begun: Sequence[OpenSlot]


def moved_folder(slots: Iterable[OpenSlot]) -> OpenSlot | None:
    """Return the first slot whose folder has been moved since it was opened."""
    seen: set[str] = set()
    for slot in slots:
        path = folder_of(slot.slot.path)
        if path not in seen and not slot.script.leads_to(slot.folder):
            return slot
        seen.add(path)
    return None


def _is_another(record: ChangeRecord, path: str, slots: Sequence[OpenSlot]) -> bool:
    """Return whether the folder at ``path`` isn't the one of the record.

    The identity decides, or else the content: a copy of the project has other identities.
    """
    folder, known = slots[0].folder, record.folders.get(path)
    if known is not None and folder.identity() == known:
        return False
    return not any(slot.is_named() if known is None else slot.is_known() for slot in slots)


def _is_empty(path: str, folder: Folder, folders: Iterable[str]) -> bool:
    """Return whether the folder contains only some of the set's ``folders`` and their ``.meta``."""
    above = f"{path}/"
    own = {each.removeprefix(above).split("/")[0] for each in folders if each.startswith(above)}
    return own | {name + META for name in own} >= set(folder.names())


_BACKWARDS = frozenset({Stage.BACK, Stage.RETURNED, Stage.RETURNED_CLEAN})


def _is_gone(project: Project, folder: str) -> bool:
    """Return whether ``folder``, or a parent, doesn't exist; false if that is unknown."""
    script = project.named(f"{folder}/_.cs")
    if script is None:
        return False
    for depth, name in enumerate(script.inside[:-1]):
        try:
            parent = Folder.open(script.real_root, script.inside[:depth])
        except OSError:
            return False
        with parent:
            try:
                parent.status(name)
            except FileNotFoundError:
                return True
            except OSError:
                return False
    return False
