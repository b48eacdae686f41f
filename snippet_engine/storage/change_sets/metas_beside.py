"""What others have put beside the files and folders of a set: ``.meta`` files that go with them.

Part of docs/design/engine.md §5 "Undo". Unity makes one for each new script and folder; without
that it is of no use, but it has the GUID that a scene may refer to by now. So it is told, and kept.
Each has a number: that of its slot or, after those, that of its folder.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from snippet_engine.storage.paths.project import META, Project, ScriptPath
from snippet_engine.storage.records.change_record import ChangeRecord
from snippet_engine.storage.records.history import HistoryEntry
from snippet_engine.storage.system.long_paths import within_reach


@dataclass(frozen=True, slots=True)
class RemovedMeta:
    """A ``.meta`` (project-relative) that went with what it stood beside, and where its copy is."""

    path: str
    kept: str


def of_slots(undo: ChangeRecord) -> Iterator[tuple[int, bytes]]:
    """The numbers and texts of those of scripts which an undo removes, and brings nowhere else."""
    arriving = {(slot.file, slot.after) for slot in undo.slots if slot.is_meta and slot.after}
    for number, slot in enumerate(undo.slots):
        is_leaving = slot.is_meta and slot.after is None and slot.image is not None
        if is_leaving and (slot.file, slot.before) not in arriving:
            assert slot.image is not None
            yield number, slot.image


def of_folder(record: ChangeRecord, index: int) -> int:
    """The number of that of a folder, the ``index`` of which it is among the record's."""
    return len(record.slots) + index


def path_of(undo: ChangeRecord, number: int) -> str:
    """The path of the one with that number."""
    if number < len(undo.slots):
        return undo.slots[number].name
    return undo.drops[number - len(undo.slots)].path + META


def coming(project: Project, undo: ChangeRecord) -> tuple[RemovedMeta, ...]:
    """Those that the undo will remove, as things are now."""
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
    """Whether the folder at ``path`` has nothing but what is ``leaving``."""
    try:
        with inside.open_folder() as folder:
            return all(f"{path}/{name}" in leaving for name in folder.names())
    except OSError:
        return False
