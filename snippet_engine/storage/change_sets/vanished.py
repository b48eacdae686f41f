"""Folders of a dead writer's set that aren't there: which of them it waits for, and which are gone.

Part of docs/design/engine.md §5 "Change sets". A folder that is gone takes its files along. One
that the set takes away is then as good as taken away, and one that it brings is gone, so the set
goes back. Of one that is edited, or would have to come back, nothing follows from that: its folder
may have been moved for a moment, and the set waits for it.
"""

from __future__ import annotations

from snippet_engine.storage.change_sets.change_slots import not_made
from snippet_engine.storage.change_sets.open_change import OpenChange, waits
from snippet_engine.storage.paths.project import Project
from snippet_engine.storage.records.change_record import Slot, Stage
from snippet_engine.storage.recovery.folder_away import GONE, folder_of
from snippet_engine.storage.system.folder import Folder
from snippet_engine.storage.system.replace_file import FileInUseError

_BACKWARDS = frozenset({Stage.BACK, Stage.RETURNED, Stage.RETURNED_CLEAN})


def refuse_away(project: Project, change: OpenChange, stage: Stage) -> None:
    """Raise :class:`.FolderAwayError` if a folder can't be looked at that would have to be.

    Not of one that the set itself has not made yet, or has removed again, nor where all of them are
    gone with nothing in them that the end of the set needs. Of one that others are about to move it
    is :class:`.FileInUseError`: soon it is there, or away.
    """
    for error in change.away.values():
        if isinstance(error, FileInUseError):
            raise error
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
        raise waits(change, away, is_begun=stage not in (Stage.PREPARED, Stage.STAGED))


def gone(change: OpenChange) -> list[Slot]:
    """The files of a set that waits for nothing whose folders are gone."""
    both = zip(change.record.slots, change.slots, strict=True)
    return [slot for slot, found in both if found is None]


def has_lost_new_files(change: OpenChange) -> bool:
    """Whether one of them is a file that the set brings: then it can't go forward."""
    return any(slot.after is not None for slot in gone(change))


def refuse_way_back(change: OpenChange) -> None:
    """Raise :class:`.FolderAwayError` if one of them would have to come back."""
    if any(slot.before is not None for slot in gone(change)):
        raise waits(change, change.away)


def _is_gone(project: Project, folder: str) -> bool:
    """Whether nothing has the name of ``folder``, or of one that it is in: no link, no file.

    It isn't where the folder around cannot be looked at: then nothing is known of it.
    """
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
