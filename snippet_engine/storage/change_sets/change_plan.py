"""Plan a change set's writes: compare every file, and list what is written where.

Implements the first step of docs/design/engine.md §5 "Change sets". Reads under the locks of the
files; writes nothing.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from snippet_engine.errors import ErrorCode, SnippetError, show
from snippet_engine.source_text import content_hash
from snippet_engine.storage.change_sets.change_slots import missing_folders
from snippet_engine.storage.files import KeptStatus, in_the_way, stale, taken
from snippet_engine.storage.paths.path_refusal import kind_of
from snippet_engine.storage.paths.project import FileSnapshot, ScriptPath
from snippet_engine.storage.records.change_record import MadeFolder, Slot
from snippet_engine.storage.records.write_record import ChangedFile, first_changed_line
from snippet_engine.storage.system.names import no_folder_on_the_way


@dataclass(frozen=True, slots=True)
class PlannedWrite:
    """One file to write: the slot, its new content, and the slot whose mode and owner it copies."""

    slot: Slot
    after: bytes | None = None
    like: Slot | None = None


@dataclass(slots=True)
class ChangePlan:
    """The writes of a set, the folders that it makes, and its files as the history lists them."""

    files: list[ChangedFile] = field(default_factory=list)
    writes: list[PlannedWrite] = field(default_factory=list)
    makes: dict[str, MadeFolder] = field(default_factory=dict)

    def ordered(self) -> list[PlannedWrite]:
        """Return the writes in the order in which they are made."""
        return sorted(self.writes, key=_write_order)


@dataclass(frozen=True, slots=True)
class KeptFile:
    """The status and the ``.meta`` that a restored file had."""

    script: Slot
    meta: Slot | None


@dataclass(frozen=True, slots=True)
class Origins:
    """The known origins of the files of an undone set, by canonical path."""

    kept: Mapping[str, KeptFile] = field(default_factory=dict)
    """The status and ``.meta`` that restored files had."""
    lone_metas: frozenset[str] = frozenset()
    """Files whose ``.meta`` existed before them."""
    is_undo: bool = False


def planned(
    changes: Sequence[FileChange], origins: Origins | None = None
) -> ChangePlan | SnippetError:
    """Compare every file with its expected content, and return the planned writes."""
    plan = ChangePlan()
    for index, change in enumerate(changes):
        one = _FilePlan(plan, index, change, origins or Origins())
        refused = one.add()
        if refused is not None:
            return refused.for_file(index)
    return plan


@dataclass(frozen=True, slots=True)
class _FilePlan:
    plan: ChangePlan
    index: int
    change: FileChange
    origins: Origins

    def add(self) -> SnippetError | None:
        """Compare the file, and add its writes; or return why it can't be written."""
        change, script = self.change, self.change.script
        had_meta = change.before is None and script.meta.is_taken
        refused = self._creation() if change.before is None else self._change(change.before)
        self.plan.files.append(
            ChangedFile(
                script.canonical,
                None if change.target is None else change.target.canonical,
                change.hash_before,
                change.hash_after,
                first_changed_line(change.before, change.after),
                had_meta,
            )
        )
        return refused

    def _write(self, slot: Slot, content: bytes | None = None, like: Slot | None = None) -> None:
        self.plan.writes.append(PlannedWrite(slot, content, like))

    def _change(self, expected: bytes) -> SnippetError | None:
        change, script = self.change, self.change.script
        now = change.seen or script.read()
        if isinstance(now, SnippetError):
            return now
        # Compare bytes: only the judged content may be replaced, not one that decodes alike.
        if now.data != expected:
            return stale(script, expected, now.data)
        refused = script.refuse_read_only(now.status)
        if refused is not None:
            return refused
        slot = Slot(
            *(self.index, script.canonical, False),
            *(change.hash_before, change.hash_after),
            *(expected, _kept(now)),  # not the bytes just read: one copy in memory is enough
        )
        if change.after is not None and change.target is None:
            if change.after != expected:
                self._write(slot, change.after, slot)
            return None
        stays = script.canonical in self.origins.lone_metas
        meta = None if stays else _meta(script, now)
        if isinstance(meta, SnippetError):
            return meta
        leaving, leaving_meta = replace(slot, after=None), None
        self._write(leaving)
        if meta is not None:
            meta_hash = content_hash(meta.data)
            leaving_meta = replace(
                leaving, is_meta=True, before=meta_hash, image=meta.data, status=_kept(meta)
            )
            self._write(leaving_meta)
        return self._arrival(leaving, leaving_meta)

    def _arrival(self, leaving: Slot, leaving_meta: Slot | None) -> SnippetError | None:
        change, target = self.change, self.change.target
        if target is None or change.after is None:
            return None
        refused = self._refuse_non_folder(target)
        if refused is not None:
            return refused
        if target.is_taken and not _is_same(change.script, target):
            return self._taken(target)
        if target.meta.is_taken and not _is_same(change.script.meta, target.meta):
            if self.origins.is_undo:
                return in_the_way(target.meta)
            return SnippetError(
                ErrorCode.INVALID_REQUEST,
                f"{show(target.meta.relative)} exists without its script, and the moved script "
                "has a .meta of its own. Delete the former, or move to another path.",
            )
        self._note_folders(target)
        arriving = Slot(
            *(self.index, target.canonical, False), None, change.hash_after, status=leaving.status
        )
        self._write(arriving, change.after, leaving)
        # An undo restores a missing ``.meta`` as it was before the move.
        kept = self.origins.kept.get(target.canonical)
        meta = leaving_meta or (None if kept is None else kept.meta)
        if meta is not None and meta.image is not None:
            arriving_meta = replace(arriving, is_meta=True, after=meta.before, status=meta.status)
            self._write(arriving_meta, meta.image, leaving_meta)
        return None

    def _creation(self) -> SnippetError | None:
        change, script = self.change, self.change.script
        if change.after is None:
            return None
        refused = self._refuse_non_folder(script)
        if refused is not None:
            return refused
        if script.is_taken:
            return self._taken(script)
        self._note_folders(script)
        kept = self.origins.kept.get(script.canonical)
        status = None if kept is None else kept.script.status
        arriving = Slot(
            *(self.index, script.canonical, False), None, change.hash_after, status=status
        )
        self._write(arriving, change.after)
        meta = None if kept is None else kept.meta
        if meta is not None and meta.image is not None:
            if script.meta.is_taken:
                return self._taken(script.meta)
            arriving_meta = replace(arriving, is_meta=True, after=meta.before, status=meta.status)
            self._write(arriving_meta, meta.image)
        return None

    def _taken(self, script: ScriptPath) -> SnippetError:
        return in_the_way(script) if self.origins.is_undo else taken(script)

    def _refuse_non_folder(self, script: ScriptPath) -> SnippetError | None:
        found = no_folder_on_the_way(script.real_root, script.inside[:-1])
        if found is None:
            return None
        names, what = found
        path = "/".join((script.canonical.partition("/")[0], *names))
        done, then = ("undone", "undo") if self.origins.is_undo else ("written", "send this")
        return SnippetError(
            ErrorCode.PATH_NOT_ALLOWED,
            f"{show(path)} is {what}, but {show(script.relative)} needs a folder there: nothing "
            f"was {done}. Move it away, then {then} again.",
            details={"path": path},
        )

    def _note_folders(self, script: ScriptPath) -> None:
        for made in missing_folders(script):
            self.plan.makes.setdefault(made.path, made)


def _write_order(write: PlannedWrite) -> int:
    """Return when a slot is written: Unity must never find a script without its ``.meta``."""
    if write.slot.after is None:
        return 1 if write.slot.is_meta else 0
    if write.slot.before is not None:
        return 2
    return 3 if write.slot.is_meta else 4


def _kept(now: FileSnapshot) -> KeptStatus:
    return KeptStatus(now.status.st_mode, now.status.st_uid, now.status.st_gid)


def _meta(script: ScriptPath, seen: FileSnapshot) -> FileSnapshot | SnippetError | None:
    """Return the script's ``.meta``, why it can't be moved, or ``None`` if there is none.

    Folders may be renamed meanwhile, so the ``.meta`` is read in the open folder that has the
    script as it was ``seen``.
    """
    meta = script.meta
    try:
        with script.open_folder(in_place=True) as folder:
            if not os.path.samestat(folder.status(script.name), seen.status):
                now = folder.read(script.name, script.max_bytes)[0]
                if now != seen.data:
                    return stale(script, seen.data, now)
            try:
                mode = folder.status(meta.name).st_mode
            except FileNotFoundError:
                return None
            if not stat.S_ISREG(mode):
                kind = "a link" if stat.S_ISLNK(mode) else kind_of(mode)
                return SnippetError(
                    ErrorCode.PATH_NOT_ALLOWED,
                    f"{show(meta.relative)} is {kind}, but Unity needs a file with the GUID "
                    "there. Restore that file, or remove what is there, then send this again.",
                )
            found = meta.read_in(folder)
    except (FileNotFoundError, NotADirectoryError):
        return SnippetError(
            ErrorCode.STALE_FILE,
            f"{show(script.relative)} or its folder was moved in the meantime; nothing was "
            "written. Send this again, if needed with the script's new path.",
            details={"expectedHash": content_hash(seen.data)},
        )
    except OSError as error:
        return script.unreadable(error)
    return (
        found if isinstance(found, SnippetError) else meta.refuse_read_only(found.status) or found
    )


def _is_same(one: ScriptPath, other: ScriptPath) -> bool:
    """Return whether both paths lead to one file, as on a disk that ignores case."""
    try:
        return one.reachable.samefile(other.reachable)
    except OSError:
        return False


@dataclass(frozen=True)
class FileChange:
    """One file of a change set: its old content, its new content, and its path."""

    script: ScriptPath
    """Where the file is now, or will be created."""
    before: bytes | None
    """Its content; ``None`` if the path must be free."""
    after: bytes | None
    """The new content; ``None`` to delete the file with its ``.meta``."""
    target: ScriptPath | None = None
    """Its new path, if it moves with its ``.meta``."""
    seen: FileSnapshot | None = field(default=None, compare=False, repr=False)
    """Its content as just read."""

    @property
    def place(self) -> ScriptPath:
        """Return where the file is after the change."""
        return self.target or self.script

    @cached_property
    def hash_before(self) -> str | None:
        """Return the hash of the old content, which plans and answers both have."""
        return None if self.before is None else content_hash(self.before)

    @cached_property
    def hash_after(self) -> str | None:
        """Return the hash of the new content."""
        return None if self.after is None else content_hash(self.after)
