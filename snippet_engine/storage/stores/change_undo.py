"""Plan the undo of a change set: the changes that revert it, or why it is refused.

Part of docs/design/engine.md §5 "Undo". Only reads; the caller holds the locks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from snippet_engine.errors import ErrorCode, SnippetError, show
from snippet_engine.source_text import content_hash
from snippet_engine.storage.change_sets.change_plan import (
    ChangePlan,
    FileChange,
    KeptFile,
    Origins,
    planned,
)
from snippet_engine.storage.paths.project import FileSnapshot, Project, ScriptPath
from snippet_engine.storage.records.change_record import ChangeRecord, Slot
from snippet_engine.storage.records.history import History, how_to_give_up
from snippet_engine.storage.records.history_entry import HistoryEntry
from snippet_engine.storage.records.undo_order import UndoOrder, in_this_order, undo_order

Read = Callable[[ScriptPath], FileSnapshot | SnippetError]
"""Reads a script: :meth:`.ScriptPath.read`, or a cache of its recent results."""


@dataclass(frozen=True, slots=True)
class SetUndo:
    """The undo of a change set."""

    project: Project
    history: History
    record: ChangeRecord
    read: Read = ScriptPath.read

    def changes(self) -> list[FileChange] | SnippetError:
        """Return the changes that revert the set; or which files have changed since."""
        if self.record.no_undo is not None:
            return SnippetError(
                ErrorCode.INVALID_REQUEST,
                f"Change {self.record.ticket} can't be undone here: {self.record.no_undo}.",
                details={"undoable": []},
            )
        images = {
            slot.path: slot.image
            for slot in self.record.slots
            if slot.image is not None and not slot.is_meta
        }
        changes: list[FileChange] = []
        conflicts: list[Conflict] = []
        for index, file in enumerate(self.record.files):
            there = self.project.named(file.target or file.path)
            origin = self.project.named(file.path)
            assert there is not None
            assert origin is not None
            now = self.read(there)
            current = now.data if isinstance(now, FileSnapshot) else None
            current_hash = None if current is None else content_hash(current)
            if isinstance(now, SnippetError) and there.is_taken:
                return now.for_file(index)
            found = {"expectedHash": file.after, "currentHash": current_hash}
            if current_hash != file.after:
                conflicts.append((index, {"path": there.canonical, **found}))
                continue
            # A file that was only compared has no image, and still has its content.
            before = None if file.before is None else images.get(file.path, current)
            target = origin if file.target is not None else None
            seen = now if isinstance(now, FileSnapshot) else None
            changes.append(FileChange(there, current, before, target, seen))
        if conflicts:
            return self._refuse_changed(conflicts)
        return changes

    def _refuse_changed(self, conflicts: Sequence[Conflict]) -> SnippetError:
        """Refuse the undo. If something else changed files, only those are reported."""
        entry = self.history.change(self.record.ticket)
        order = None if entry is None else undo_order(self.history, entry)
        outside = [each for each in conflicts if self._is_outside(order, each[1])]
        since = 0 if entry is None else entry.sequence
        lost = self.history.damaged_since(since, self.record.paths)
        if order is not None and not outside:
            own = {found["path"] for _, found in conflicts}
            others = self._blocking_files(own, order)
            if others:
                return newer_is_stuck(self.record.ticket, conflicts, others)
            return changed_again(self.record.ticket, conflicts, order)
        # A damaged set can't be undone first.
        is_undoable = not (outside or lost)
        return changed_since(
            self.record.ticket, outside or conflicts, lost, is_undoable=is_undoable
        )

    def _is_outside(self, order: UndoOrder | None, found: Mapping[str, object]) -> bool:
        """Return whether something other than a recorded change changed the file."""
        if not self._was_written_here(found):
            return True
        if order is None:
            return False
        path = str(found["path"])
        return path in order.parted or order.ends.get(path, "") != found["currentHash"]

    def _blocking_files(self, own: Set[object], order: UndoOrder) -> list[dict[str, object]]:
        found: list[dict[str, object]] = []
        for path, end in order.ends.items():
            script = None if path in own else self.project.named(path)
            if script is None:
                continue
            now = self.read(script)
            current = content_hash(now.data) if isinstance(now, FileSnapshot) else None
            if path in order.parted or current != end:
                found.append({"path": path, "expectedHash": end, "currentHash": current})
        return found

    def plan(self, changes: Sequence[FileChange]) -> ChangePlan | SnippetError:
        """Plan the ``changes`` that revert the set, or return why that is refused."""
        kept = {
            slot.path: KeptFile(slot, meta_slot(self.record, slot))
            for slot in self.record.slots
            if slot.after is None and not slot.is_meta
        }
        lone = frozenset(file.path for file in self.record.files if file.had_meta)
        return planned(changes, Origins(kept, lone, is_undo=True))

    def why_not(self) -> SnippetError | None:
        """Return why the undo of the set would be refused now. Raise ``OSError``."""
        changes = self.changes()
        plan = changes if isinstance(changes, SnippetError) else self.plan(changes)
        return plan if isinstance(plan, SnippetError) else None

    def _was_written_here(self, found: Mapping[str, object]) -> bool:
        """Return whether a recorded change led to the present content, or removed the file."""
        path, current = str(found["path"]), found["currentHash"]
        if current is None:
            changes = self.history.changes(path)
            return bool(changes) and any(
                file.path == path and (file.after is None or file.target is not None)
                for file in changes[-1][1].files
            )
        return self.history.latest_to(path, str(current)) is not None


def meta_slot(record: ChangeRecord, script: Slot) -> Slot | None:
    """Return the slot of the ``.meta`` that moved or was deleted with a script."""
    return next(
        (
            slot
            for slot in record.slots
            if slot.is_meta and slot.path == script.path and slot.after is None
        ),
        None,
    )


Conflict = tuple[int, dict[str, object]]
"""The index of a change, and the present and the expected content of its file."""


def not_kept(change_id: str, damage: str | None) -> SnippetError:
    """Return ``invalid_request``; ``damage`` describes its entry, if there is one."""
    if damage is None:
        why = (
            "it was undone, given up or pruned, or not made here. get_history lists those that can"
        )
    else:
        why = f"its entry {damage}. {how_to_give_up(damage)}"
    return SnippetError(
        ErrorCode.INVALID_REQUEST,
        f"No change {show(change_id)} can be undone: {why}.",
        details={"undoable": [], **({} if damage is None else {"damaged": damage})},
    )


def taken_back(change_id: str, entry: HistoryEntry, record: ChangeRecord | None) -> SnippetError:
    """Return ``invalid_request`` for a rolled-back set; ``record`` is ``None`` if unreadable."""
    left = () if record is None else record.of_bits(entry.left_alone)
    names = ", ".join(show(file.path) for file in left[:1])
    others = f"{names}, which others changed" if left else "a file that others changed"
    more = f", and {len(left) - 1} more" if len(left) > 1 else ""
    what = f"Change {change_id} was rolled back, except for {others}{more}"
    undoes = None if record is None else record.undoes
    if record is not None and record.is_all(entry.left_alone):
        undo = "" if undoes is None else ", an undo,"
        what = f"Change {change_id}{undo} was given up: others changed or moved {names}{more}"
    elif undoes is not None:
        what = (
            f"The undo {change_id} didn't happen: change {undoes} is still in place, except for "
            f"{others}{more}"
        )
    return SnippetError(
        ErrorCode.INVALID_REQUEST,
        f"{what}. get_history lists where its text is kept.",
        details={"undoable": [], "leftAlone": [file.path for file in left]},
    )


def changed_again(change_id: str, conflicts: Sequence[Conflict], order: UndoOrder) -> SnippetError:
    """Return ``stale_file``: later recorded changes must be undone first, in order."""
    names, changed = _names_of(conflicts, 1), [found for _, found in conflicts]
    return SnippetError(
        ErrorCode.STALE_FILE,
        f"Changed since that change: {names}. {in_this_order(order)}",
        details={"changeId": change_id, "changed": changed, "undoInOrder": list(order.steps)},
        file=conflicts[0][0],
    )


def newer_is_stuck(
    change_id: str, conflicts: Sequence[Conflict], others: Sequence[dict[str, object]]
) -> SnippetError:
    """Return ``stale_file``: because of ``others``, a newer change can't be undone first."""
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    return SnippetError(
        ErrorCode.STALE_FILE,
        f"A newer change of {_names_of(conflicts, 1)} must be undone first, and can't be: "
        f"{_ANOTHER[0].lower()}{_ANOTHER[1:]} changed {show(str(others[0]['path']))}{more} since. "
        "Nothing was undone.",
        details={
            "changeId": change_id,
            "changed": [found for _, found in conflicts],
            "inTheWay": list(others),
        },
        file=conflicts[0][0],
    )


def _names_of(conflicts: Sequence[Conflict], most: int) -> str:
    names = ", ".join(show(str(found["path"])) for _, found in conflicts[:most])
    return names + (f" and {len(conflicts) - most} more" if len(conflicts) > most else "")


def changed_since(
    change_id: str,
    conflicts: Sequence[Conflict],
    lost: Sequence[HistoryEntry],
    *,
    is_undoable: bool,
) -> SnippetError:
    """Return ``stale_file`` for an undo whose files have changed since.

    ``conflicts`` are the files that something else changed; if there are none, all changed files.
    ``lost`` are newer unreadable sets. ``is_undoable`` says that recorded changes made all of the
    differences.
    """
    names, them = _names_of(conflicts, 2), "them" if len(conflicts) > 1 else "it"
    is_outside = not (is_undoable or lost)
    if is_outside and all(found["currentHash"] is None for _, found in conflicts):
        message = (
            f"Deleted since, but not by an apply: {_names_of(conflicts, 1)}. Nothing was undone. "
            f"Restore {them} (version control, trash), then undo again."
        )
    elif is_outside and all(found["expectedHash"] is None for _, found in conflicts):
        message = (
            f"New, at a path that the undo would restore: {names}. Nothing was undone. Move "
            f"{them} away, then undo again."
        )
    elif is_undoable:
        message = (
            f"Changed since that change: {names}. Undo the later changes first (get_history lists "
            "them); nothing was undone."
        )
    else:
        found = conflicts[0][1]
        has, should = _short(found["currentHash"]), _short(found["expectedHash"])
        one = f" (it has {has}, not {should})" if len(conflicts) == 1 and not lost else ""
        who = f"Another program, or the damaged {lost[-1].place}," if lost else _ANOTHER
        message = f"{who} changed {names} since{one}. Undo would lose that: nothing was undone."
    return SnippetError(
        ErrorCode.STALE_FILE,
        message,
        details={"changeId": change_id, "changed": [found for _, found in conflicts]},
        file=conflicts[0][0],
    )


def overtaken(refused: SnippetError, record: ChangeRecord) -> SnippetError:
    """Return the undo's error ``refused``, reworded if another program wrote first."""
    if "expectedHash" not in refused.details or refused.file is None:
        return refused
    file = record.files[refused.file]
    message = (
        f"{show(file.target or file.path)} was changed during the undo, or its old path was "
        "taken: nothing was undone. Check it; get_history lists what can be undone now."
    )
    return replace(refused, message=message)


_ANOTHER = "Something else than an apply"


def _short(hashed: object) -> str:
    return "gone" if hashed is None else f"{str(hashed)[:15]}…"
