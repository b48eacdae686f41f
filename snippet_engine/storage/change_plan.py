"""What a change set comes to on disk: every file compared, and what is to be written where.

Implements the first step of docs/design/engine.md §5 "Change sets". All of it is read under the
locks of the files; nothing is written here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.source_text import content_hash
from snippet_engine.storage.atomic_write import KeptStatus
from snippet_engine.storage.change_record import MadeFolder, Slot
from snippet_engine.storage.change_slots import missing_folders
from snippet_engine.storage.file_change import FileChange
from snippet_engine.storage.placing import stale, taken
from snippet_engine.storage.project import FileSnapshot, ScriptPath
from snippet_engine.storage.request_path import shown


@dataclass(frozen=True, slots=True)
class PlannedWrite:
    """One file that is written: the slot, its new content, and the slot that it is made like."""

    slot: Slot
    after: bytes | None = None
    like: Slot | None = None


@dataclass(slots=True)
class ChangePlan:
    """All that a set comes down to."""

    writes: list[PlannedWrite] = field(default_factory=list)
    makes: dict[str, MadeFolder] = field(default_factory=dict)

    def ordered(self) -> list[PlannedWrite]:
        """In the order of step 4."""
        return sorted(self.writes, key=_turn)


@dataclass(frozen=True, slots=True)
class KeptFile:
    """What a file that comes back had: its status, and its ``.meta``."""

    script: Slot
    meta: Slot | None


@dataclass(frozen=True, slots=True)
class Origins:
    """What is known of the files of a set that is taken back, by their canonical paths.

    ``kept`` is what those had that come back; ``lone_metas`` are paths of files that go away again,
    whose ``.meta`` was there before them.
    """

    kept: Mapping[str, KeptFile] = field(default_factory=dict)
    lone_metas: frozenset[str] = frozenset()


def planned(
    changes: Sequence[FileChange], origins: Origins | None = None
) -> ChangePlan | SnippetError:
    """Compare every file with what is expected, and say what is to be written."""
    plan = ChangePlan()
    for index, change in enumerate(changes):
        refused = _plan_one(plan, index, change, origins or Origins())
        if refused is not None:
            return refused.for_file(index)
    return plan


def _plan_one(
    plan: ChangePlan, index: int, change: FileChange, origins: Origins
) -> SnippetError | None:
    if change.before is None:
        kept = origins.kept.get(change.script.canonical)
        return _plan_creation(plan, index, change, kept)
    now = change.script.read()
    if isinstance(now, SnippetError):
        return now
    # Bytes with bytes: what was judged is what may be replaced, nothing that merely looks like it.
    if now.data != change.before:
        return stale(change.script, change.before, now.data)
    refused = change.script.refuse_read_only(now.status)
    if refused is not None:
        return refused
    slot = _slot(index, change.script, now, change.after)
    if change.after is not None and change.target is None:
        if change.before != change.after:
            plan.writes.append(PlannedWrite(slot, change.after, slot))
        return None
    stays = change.script.canonical in origins.lone_metas
    meta = None if stays else _meta(change.script)
    if isinstance(meta, SnippetError):
        return meta
    leaving = replace(slot, after=None)
    plan.writes.append(PlannedWrite(leaving))
    leaving_meta = None
    if meta is not None:
        leaving_meta = _slot(index, change.script, meta, None, is_meta=True)
        plan.writes.append(PlannedWrite(leaving_meta))
    if change.target is None or change.after is None:
        return None
    return _plan_arrival(plan, index, change, leaving, (leaving_meta, meta))


def _plan_creation(
    plan: ChangePlan, index: int, change: FileChange, kept: KeptFile | None
) -> SnippetError | None:
    if change.after is None:
        return None
    if change.script.is_taken:
        return taken(change.script)
    _note_folders(plan, change.script)
    arriving = Slot(index, change.script.canonical, False, None, content_hash(change.after))
    if kept is None:
        plan.writes.append(PlannedWrite(arriving, change.after))
        return None
    plan.writes.append(PlannedWrite(replace(arriving, status=kept.script.status), change.after))
    meta = kept.meta
    if meta is not None and meta.image is not None:
        if change.script.meta.is_taken:
            return taken(change.script.meta)
        arriving_meta = replace(
            meta, file=index, before=None, after=meta.before, image=None, status=meta.status
        )
        plan.writes.append(PlannedWrite(arriving_meta, meta.image))
    return None


def _plan_arrival(
    plan: ChangePlan,
    index: int,
    change: FileChange,
    leaving: Slot,
    leaving_meta: tuple[Slot | None, FileSnapshot | None],
) -> SnippetError | None:
    """The new place of a file that moves, and of its ``.meta``."""
    target = change.target
    assert target is not None
    assert change.after is not None
    if target.is_taken and not _is_same(change.script, target):
        return taken(target)
    slot, meta = leaving_meta
    if target.meta.is_taken and not _is_same(change.script.meta, target.meta):
        return SnippetError(
            ErrorCode.INVALID_REQUEST,
            f"{shown(target.meta.relative)} is there without its script; the one that moves has "
            "its own. Delete it, or move to another path.",
        )
    _note_folders(plan, target)
    arriving = Slot(
        index, target.canonical, False, None, content_hash(change.after), status=leaving.status
    )
    plan.writes.append(PlannedWrite(arriving, change.after, leaving))
    if slot is not None and meta is not None:
        arriving_meta = Slot(index, target.canonical, True, None, slot.before, status=slot.status)
        plan.writes.append(PlannedWrite(arriving_meta, meta.data, slot))
    return None


def _turn(write: PlannedWrite) -> int:
    """When a slot has its turn: see step 4."""
    if write.slot.after is None:
        return 1 if write.slot.is_meta else 0
    if write.slot.before is not None:
        return 2
    return 3 if write.slot.is_meta else 4


def _slot(
    index: int,
    script: ScriptPath,
    now: FileSnapshot,
    after: bytes | None,
    *,
    is_meta: bool = False,
) -> Slot:
    status = KeptStatus(now.status.st_mode, now.status.st_uid, now.status.st_gid)
    return Slot(
        index,
        script.canonical,
        is_meta,
        content_hash(now.data),
        None if after is None else content_hash(after),
        now.data,
        status,
    )


def _meta(script: ScriptPath) -> FileSnapshot | SnippetError | None:
    """The script's ``.meta``, if it has one that may go where the script goes."""
    if not script.meta.is_taken:
        return None
    now = script.meta.read()
    if isinstance(now, SnippetError):
        return now
    return script.meta.refuse_read_only(now.status) or now


def _is_same(one: ScriptPath, other: ScriptPath) -> bool:
    """Whether both paths are of one file, as where case is ignored."""
    try:
        return one.real.samefile(other.real)
    except OSError:
        return False


def _note_folders(plan: ChangePlan, script: ScriptPath) -> None:
    for made in missing_folders(script):
        plan.makes.setdefault(made.path, made)
