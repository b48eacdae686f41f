"""What the undo of a change set comes to: the changes that take it back, or why that can't be.

Part of docs/design/engine.md §5 "Undo". All of it only reads; of what is to be undone the caller
holds the locks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from snippet_engine.errors import SnippetError
from snippet_engine.source_text import content_hash
from snippet_engine.storage.change_sets.change_plan import ChangePlan, KeptFile, Origins, planned
from snippet_engine.storage.change_sets.change_refusal import changed_again, changed_since
from snippet_engine.storage.change_sets.file_change import FileChange
from snippet_engine.storage.paths.project import FileSnapshot, Project, ScriptPath
from snippet_engine.storage.records.change_record import ChangeRecord, Slot
from snippet_engine.storage.records.history import History
from snippet_engine.storage.records.undo_order import undo_order

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
    conflicts: list[tuple[int, dict[str, object]]] = []
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
        changed = [found for _, found in conflicts]
        is_undoable = all(_was_made_here(history, found) for found in changed)
        entry = history.change(record.ticket)
        order = undo_order(history, entry) if is_undoable and entry else None
        found_now = {str(each["path"]): each["currentHash"] for each in changed}
        if order is not None and found_now.items() <= order.ends.items():
            return changed_again(record.ticket, conflicts, order)
        since = 0 if entry is None else entry.sequence
        lost = history.damaged_since(since, record.paths)
        # To undo what is damaged first would be refused in its turn.
        is_undoable = is_undoable and not lost
        return changed_since(record.ticket, conflicts, lost, is_undoable=is_undoable)
    return changes


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
