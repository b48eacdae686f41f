"""What the undo of a change set comes to: the changes that take it back, or why that can't be.

Part of docs/design/engine.md §5 "Undo". All of it only reads; of what is to be undone the caller
holds the locks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set

from snippet_engine.errors import SnippetError
from snippet_engine.source_text import content_hash
from snippet_engine.storage.change_sets.change_plan import ChangePlan, KeptFile, Origins, planned
from snippet_engine.storage.change_sets.change_refusal import (
    Conflict,
    changed_again,
    changed_since,
    newer_is_stuck,
)
from snippet_engine.storage.change_sets.file_change import FileChange
from snippet_engine.storage.paths.project import FileSnapshot, Project, ScriptPath
from snippet_engine.storage.records.change_record import ChangeRecord, Slot
from snippet_engine.storage.records.history import History
from snippet_engine.storage.records.undo_order import UndoOrder, undo_order

Read = Callable[[ScriptPath], FileSnapshot | SnippetError]
"""Reads a script: :meth:`.ScriptPath.read`, or what remembers what that gave a moment ago."""


def taking_back(
    project: Project, history: History, record: ChangeRecord, read: Read = ScriptPath.read
) -> list[FileChange] | SnippetError:
    """The changes that take the set back; or which files are not as it left them."""
    images = {
        slot.path: slot.image
        for slot in record.slots
        if slot.image is not None and not slot.is_meta
    }
    changes: list[FileChange] = []
    conflicts: list[Conflict] = []
    for index, file in enumerate(record.files):
        there = project.named(file.target or file.path)
        origin = project.named(file.path)
        assert there is not None
        assert origin is not None
        now = read(there)
        current = now.data if isinstance(now, FileSnapshot) else None
        current_hash = None if current is None else content_hash(current)
        if isinstance(now, SnippetError) and there.is_taken:
            return now.for_file(index)
        found = {"expectedHash": file.after, "currentHash": current_hash}
        if current_hash != file.after:
            conflicts.append((index, {"path": there.canonical, **found}))
            continue
        # What was only compared has no image, and the content that it had.
        before = None if file.before is None else images.get(file.path, current)
        target = origin if file.target is not None else None
        seen = now if isinstance(now, FileSnapshot) else None
        changes.append(FileChange(there, current, before, target, seen))
    if conflicts:
        return _not_as_left(project, history, record, conflicts, read)
    return changes


def _not_as_left(
    project: Project,
    history: History,
    record: ChangeRecord,
    conflicts: Sequence[Conflict],
    read: Read,
) -> SnippetError:
    """Why the undo is refused where some files are not as the set left them.

    What something else wrote is never undone, so it is told first, and of those files alone.
    """
    entry = history.change(record.ticket)
    order = None if entry is None else undo_order(history, entry)
    outside = [each for each in conflicts if _is_outside(history, order, each[1])]
    since = 0 if entry is None else entry.sequence
    lost = history.damaged_since(since, record.paths)
    if order is not None and not outside:
        own = {found["path"] for _, found in conflicts}
        others = _others_in_the_way(project, own, order, read)
        if others:
            return newer_is_stuck(record.ticket, conflicts, others)
        return changed_again(record.ticket, conflicts, order)
    # To undo what is damaged first would be refused in its turn.
    is_undoable = not (outside or lost)
    return changed_since(record.ticket, outside or conflicts, lost, is_undoable=is_undoable)


def _is_outside(history: History, order: UndoOrder | None, found: Mapping[str, object]) -> bool:
    """Whether something else than what is kept changed a file, last or in between."""
    if not _was_made_here(history, found):
        return True
    if order is None:
        return False
    path = str(found["path"])
    return path in order.parted or order.ends.get(path, "") != found["currentHash"]


def _others_in_the_way(
    project: Project, own: Set[object], order: UndoOrder, read: Read
) -> list[dict[str, object]]:
    """The files but for ``own`` that keep newer changes from being undone in their turn.

    One with the hash that it should have had another one in between.
    """
    found: list[dict[str, object]] = []
    for path, end in order.ends.items():
        script = None if path in own else project.named(path)
        if script is None:
            continue
        now = read(script)
        current = content_hash(now.data) if isinstance(now, FileSnapshot) else None
        if path in order.parted or current != end:
            found.append({"path": path, "expectedHash": end, "currentHash": current})
    return found


def undo_plan(record: ChangeRecord, changes: Sequence[FileChange]) -> ChangePlan | SnippetError:
    """What is written to carry out the ``changes`` that take the set back; or what is in the way.

    Raises ``OSError``.
    """
    kept = {
        slot.path: KeptFile(slot, _meta_slot(record, slot))
        for slot in record.slots
        if slot.after is None and not slot.is_meta
    }
    lone = frozenset(file.path for file in record.files if file.had_meta)
    return planned(changes, Origins(kept, lone, is_undo=True))


def why_not(
    project: Project, history: History, record: ChangeRecord, read: Read = ScriptPath.read
) -> SnippetError | None:
    """What the undo of the set would be refused for now. Raises ``OSError``."""
    changes = taking_back(project, history, record, read)
    plan = changes if isinstance(changes, SnippetError) else undo_plan(record, changes)
    return plan if isinstance(plan, SnippetError) else None


def _meta_slot(record: ChangeRecord, script: Slot) -> Slot | None:
    """The slot of the ``.meta`` that went with a script."""
    return next(
        (
            slot
            for slot in record.slots
            if slot.is_meta and slot.path == script.path and slot.after is None
        ),
        None,
    )


def _was_made_here(history: History, found: Mapping[str, object]) -> bool:
    """Whether what a file has by now is what a kept change led to, which can be undone first.

    Of a file that is gone, whether a kept change took it away.
    """
    path, current = str(found["path"]), found["currentHash"]
    if current is None:
        changes = history.changes(path)
        return bool(changes) and any(
            file.path == path and (file.after is None or file.target is not None)
            for file in changes[-1][1].files
        )
    return history.change_to(path, str(current)) is not None or any(
        entry.after == current for entry in history.of(path)
    )
