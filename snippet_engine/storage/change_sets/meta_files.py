"""The ``.meta`` files that an undo of a set removes, and warnings about changed ones.

Part of docs/design/engine.md §5 "Undo". Unity makes a ``.meta`` for each new script and folder. An
undo removes it, too, and keeps a copy, because a scene may refer to the GUID in it. If a ``.meta``
was changed in the meantime, the undo isn't refused; a warning reports it. Each removed ``.meta``
has a number: first come the slots' numbers, then the folders'.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from snippet_engine.errors import show
from snippet_engine.storage.change_sets.change_plan import ChangePlan, FileChange
from snippet_engine.storage.paths.project import META, Project, ScriptPath
from snippet_engine.storage.records.change_record import ChangeRecord, Slot
from snippet_engine.storage.records.history_entry import HistoryEntry
from snippet_engine.storage.records.write_record import ChangedFile
from snippet_engine.storage.system.names import within_reach

_GUID = re.compile(rb"^guid:[ \t]*([0-9a-fA-F]{1,64})[ \t]*\r?$", re.MULTILINE)


def guid_in(meta: bytes | None) -> str | None:
    """Return the GUID in a ``.meta`` with this content; ``None`` if it has none."""
    found = None if meta is None else _GUID.search(meta)
    return None if found is None else found[1].decode()


@dataclass(frozen=True, slots=True)
class RemovedMeta:
    """A removed ``.meta`` (project-relative), and the place of its copy."""

    path: str
    kept: str


def of_slots(undo: ChangeRecord) -> Iterator[tuple[int, bytes]]:
    """Yield number and text of each script's ``.meta`` that an undo removes and doesn't move."""
    arriving = {(slot.file, slot.after) for slot in undo.slots if slot.is_meta and slot.after}
    for number, slot in enumerate(undo.slots):
        is_leaving = slot.is_meta and slot.after is None and slot.image is not None
        if is_leaving and (slot.file, slot.before) not in arriving:
            assert slot.image is not None
            yield number, slot.image


def of_folder(record: ChangeRecord, index: int) -> int:
    """Return the number of a folder's ``.meta``, by the folder's ``index`` in the record."""
    return len(record.slots) + index


def path_of(undo: ChangeRecord, number: int) -> str:
    """Return the path of the ``.meta`` with that number."""
    if number < len(undo.slots):
        return undo.slots[number].name
    return undo.drops[number - len(undo.slots)].path + META


def coming(project: Project, undo: ChangeRecord) -> tuple[RemovedMeta, ...]:
    """Return the ``.meta`` files that the undo would remove now."""
    numbers = [number for number, _ in of_slots(undo)]
    leaving = {slot.name for slot in undo.slots if slot.after is None}
    for index, made in reversed(list(enumerate(undo.drops))):
        script = project.named(f"{made.path}/_.cs")
        if script is None or not _is_emptied(script, made.path, leaving):
            continue
        leaving |= {made.path, made.path + META}
        if not made.had_meta and os.path.lexists(within_reach(f"{script.real.parent}{META}")):
            numbers.append(of_folder(undo, index))
    return tuple(
        RemovedMeta(
            path_of(undo, number), HistoryEntry(0, "", "", 0, undo.ticket, meta=number).place
        )
        for number in sorted(numbers)
    )


def _is_emptied(inside: ScriptPath, path: str, leaving: Collection[str]) -> bool:
    try:
        with inside.open_folder() as folder:
            return all(f"{path}/{name}" in leaving for name in folder.names())
    except OSError:
        return False


@dataclass(frozen=True, slots=True)
class MetaWarning:
    """A ``.meta`` at ``path`` (project-relative) that differs from before the set, and how."""

    code: str
    path: str
    message: str


def meta_warnings(
    record: ChangeRecord, changes: Sequence[FileChange], plan: ChangePlan
) -> Iterator[MetaWarning]:
    """Yield the warnings about ``.meta`` files for the undo of ``record`` by ``changes``."""
    carried = {write.slot.file: write.slot for write in plan.writes if _is_leaving(write.slot)}
    before = {slot.file: slot for slot in record.slots if _is_leaving(slot)}
    for index, (file, change) in enumerate(zip(record.files, changes, strict=True)):
        if file.target is not None:
            yield from _moved(file, before.get(index), carried.get(index))
        elif file.after is None and index not in before and change.script.meta.is_taken:
            yield MetaWarning(
                "meta_orphan",
                file.path + META,
                f"{show(file.path + META)} is new; the script had none. The script takes over its "
                "GUID, and all references to that.",
            )
        elif file.had_meta and not change.script.meta.is_taken:
            yield MetaWarning(
                "meta_missing",
                file.path + META,
                f"{show(file.path + META)}, which existed before the script, is gone. Restore it "
                "from version control, if something refers to its GUID.",
            )
    for made in plan.makes.values():
        if not made.had_meta:
            yield MetaWarning(
                "meta_missing",
                made.path + META,
                f"{show(made.path + META)} is missing, and its folder was created again: Unity "
                "gives the folder another GUID. Restore the .meta from version control, if that "
                "matters.",
            )


def _moved(file: ChangedFile, before: Slot | None, now: Slot | None) -> Iterator[MetaWarning]:
    if now is None or (before is not None and before.before == now.before):
        return
    path = file.path + META
    if before is None:
        told = "came back with the script, which had none before the move."
    else:
        told = f"was changed since the move, and came back as changed{_guids(before, now)}."
    yield MetaWarning("meta_changed", path, f"{show(path)} {told}")


def _guids(before: Slot, now: Slot) -> str:
    old, new = guid_in(before.image), guid_in(now.image)
    if old is None or new is None:
        return ""
    if old == new:
        return "; its GUID is the same"
    return f"; its GUID is {new}, was {old} (scenes may refer to the old one)"


def _is_leaving(slot: Slot) -> bool:
    return slot.is_meta and slot.after is None
