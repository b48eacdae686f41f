"""What is to be undone before some write or change set can be, in order.

Part of docs/design/engine.md §5: an undo never takes what was made since with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from snippet_engine.storage.records.change_record import ChangedFile
from snippet_engine.storage.records.history import History, HistoryEntry

MAX_STEPS = 10
"""Most undos that are told."""


@dataclass(frozen=True, slots=True)
class UndoOrder:
    """``steps`` are what ``undo_snippet`` takes, one after the other; ``left_out`` how many more
    come between the last two.

    ``ends`` has for each file that they change the hash that it must have now. ``parted`` are the
    files of which one of them didn't find what the one before it had left: something else wrote in
    between, and no order leads past that.
    """

    steps: tuple[dict[str, str], ...]
    left_out: int
    ends: Mapping[str, str | None]
    parted: frozenset[str] = frozenset()

    @property
    def has_change_set(self) -> bool:
        """Whether one of the steps undoes a change set."""
        return any("changeId" in step for step in self.steps) or self.left_out > 0


def undo_order(history: History, entry: HistoryEntry) -> UndoOrder | None:
    """What to undo, ``entry`` itself at the end; ``None`` if one of the entries is damaged.

    That is each newer one that changed a file of it, or of one that is to be undone before it.
    """
    first = _files(history, entry)
    if first is None or not history.is_readable(entry):
        return None
    steps = [_step(entry, first)]
    paths = {path for file in first for path in file.paths}
    ends = _ends(first)
    parted: set[str] = set()
    for newer in history.entries():
        if newer.sequence <= entry.sequence:
            continue
        files = _files(history, newer)
        if files is None:
            return None
        if paths.isdisjoint(path for file in files for path in file.paths):
            continue
        if not history.is_readable(newer):
            return None
        paths.update(path for file in files for path in file.paths)
        parted.update(
            each.path for each in files if ends.get(each.path, each.before) != each.before
        )
        ends |= _ends(files)
        steps.append(_step(newer, files))
    newest_first = steps[::-1]
    left_out = max(0, len(steps) - MAX_STEPS)
    told = (*newest_first[: MAX_STEPS - 1], newest_first[-1]) if left_out else tuple(newest_first)
    return UndoOrder(told, left_out, ends, frozenset(parted))


def _files(history: History, entry: HistoryEntry) -> tuple[ChangedFile, ...] | None:
    if entry.is_change:
        change = history.change_header(entry)
        return None if change is None else change.files
    write = history.header(entry)
    if write is None:
        return None
    return (ChangedFile(write.path, None, write.before, write.after),)


def _step(entry: HistoryEntry, files: Sequence[ChangedFile]) -> dict[str, str]:
    return undo_arguments(entry.ticket if entry.is_change else None, files)


def undo_arguments(change_id: str | None, files: Sequence[ChangedFile]) -> dict[str, str]:
    """What ``undo_snippet`` takes to undo a change set, or the write of one file."""
    if change_id is not None:
        return {"changeId": change_id}
    (file,) = files
    assert file.after is not None
    return {"path": file.path, "hashAfter": file.after}


def _ends(files: tuple[ChangedFile, ...]) -> dict[str, str | None]:
    left: dict[str, str | None] = {file.path: None for file in files if file.target is not None}
    return left | {file.target or file.path: file.after for file in files}
