"""The undos that must come before another, and why an undo of a script is refused.

Part of docs/design/engine.md §5: an undo never reverts later changes along with its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from snippet_engine.errors import ErrorCode, SnippetError, show
from snippet_engine.source_text import content_hash
from snippet_engine.storage.paths.project import ScriptPath
from snippet_engine.storage.records.history import History
from snippet_engine.storage.records.history_entry import HistoryEntry
from snippet_engine.storage.records.write_record import ChangedFile, ends_of

MAX_STEPS = 10


@dataclass(frozen=True, slots=True)
class UndoOrder:
    """The changes to undo, in order."""

    steps: tuple[dict[str, str], ...]
    """Arguments for ``undo_snippet``."""
    left_out: int
    """How many more steps come between the last two of ``steps``."""
    ends: Mapping[str, str | None]
    """The hash that each file must have now."""
    parted: frozenset[str] = frozenset()
    """Files that something else changed between two steps, which makes the order impossible."""

    @property
    def has_change_set(self) -> bool:
        """Return whether one of the steps undoes a change set."""
        return any("changeId" in step for step in self.steps) or self.left_out > 0


def undo_order(history: History, entry: HistoryEntry) -> UndoOrder | None:
    """Return the changes to undo, ``entry`` last; ``None`` if one of the entries is damaged.

    Each newer entry that changed a file of an entry to be undone comes before that one.
    """
    first = _files(history, entry)
    if first is None or not history.is_readable(entry):
        return None
    steps = [_step(entry, first)]
    paths = {path for file in first for path in file.paths}
    ends = ends_of(first)
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
        ends |= ends_of(files)
        steps.append(_step(newer, files))
    newest_first = steps[::-1]
    left_out = max(0, len(steps) - MAX_STEPS)
    told = (*newest_first[: MAX_STEPS - 1], newest_first[-1]) if left_out else tuple(newest_first)
    return UndoOrder(told, left_out, ends, frozenset(parted))


def _files(history: History, entry: HistoryEntry) -> tuple[ChangedFile, ...] | None:
    header = history.header(entry)
    return None if header is None else header.files


def _step(entry: HistoryEntry, files: Sequence[ChangedFile]) -> dict[str, str]:
    return undo_arguments(entry.ticket if entry.is_change else None, files)


def undo_arguments(change_id: str | None, files: Sequence[ChangedFile]) -> dict[str, str]:
    """Return the arguments of ``undo_snippet`` to undo a change set, or the write of one file."""
    if change_id is not None:
        return {"changeId": change_id}
    (file,) = files
    assert file.after is not None
    return {"path": file.path, "hashAfter": file.after}


_MAX_LISTED_HASHES = 10


def not_undoable(script: ScriptPath, why: str) -> SnippetError:
    """Return ``invalid_request``: the script can't be undone, for the reason ``why``."""
    return SnippetError(
        ErrorCode.INVALID_REQUEST,
        f"{show(script.relative)} can't be undone: {why}. Nothing was changed.",
        details={"undoable": []},
    )


def not_kept(history: History, script: ScriptPath) -> SnippetError:
    """Return ``stale_file``: no readable entry led to the script's text."""
    lost = history.damaged_since(0, [script.canonical])
    why = "it was pruned, or the change was not made here"
    if lost:
        why = f"the damaged {lost[-1].place} may have had it"
    return not_undoable(script, f"no before-image is kept for this hash; {why}")


def no_record(
    history: History, records: Callable[[], list[str]], script: ScriptPath, hash_after: str
) -> SnippetError | None:
    """Return why a script without records has nothing to undo; ``None`` if it has records.

    Called before the script is locked, because a refused request should leave no lock file.
    """
    if records():
        return None
    if next(history.newest_first(script.canonical), None) is not None:
        return None
    now = script.read()
    if isinstance(now, SnippetError):
        return now
    current = content_hash(now.data)
    if current != hash_after:
        return not_that_hash(history, script, hash_after, current)
    return not_kept(history, script)


def lost_since(script: ScriptPath, entry: HistoryEntry) -> SnippetError:
    """Return ``invalid_request``: a later set, which may have led to the text, is damaged."""
    why = "a later change is damaged, and may have led to this text; to skip it, delete"
    return not_undoable(script, f"{why} {entry.place}")


def not_that_hash(history: History, script: ScriptPath, wanted: str, current: str) -> SnippetError:
    """Return ``stale_file`` for an undo, with the applies to undo instead or first, in order."""
    path = show(script.relative)

    def stale(message: str, undoable: Sequence[str] = (), **more: object) -> SnippetError:
        known = {"expectedHash": wanted, "currentHash": current, "undoable": list(undoable)}
        return SnippetError(ErrorCode.STALE_FILE, message, details={**known, **more})

    chain = _undoable(history, script, current)
    order = None if wanted in chain else _order(history, script, wanted, current)
    if order is not None:
        return stale(
            f"{path} was changed again after that apply, with other files. {in_this_order(order)}",
            undoInOrder=list(order.steps),
        )
    damaged = None if chain else _damaged_end(history, script, current)
    if damaged is not None:
        return stale(
            f"{path} was changed again after that apply, and the record of that change {damaged}. "
            "Restore the file from version control, or edit it."
        )
    is_known = history.latest_to(script.canonical, wanted) is not None
    change = None if chain else history.change_to(script.canonical, current)
    if change is not None and not is_known:
        return stale(
            f"No change of {path} to that hashAfter is recorded: it was undone, pruned, or made "
            f"elsewhere. The newest one is change {change.ticket}."
        )
    if change is not None:
        refused = of_a_change(history, script, change)
        return stale(refused.message, changeId=change.ticket)
    if wanted in chain:
        newer = chain.index(wanted)
        steps = f"the {newer} newer ones" if newer > 1 else "the newer one"
        return stale(
            f"{path} was edited again after that apply. Undo {steps} first, the newest one at "
            "the beginning. In this order:",
            chain[: newer + 1],
        )
    if is_known:
        ways = [entry.sequence for entry in history.of(script.canonical) if entry.after == wanted]
        lost = history.damaged_since(max(ways, default=0), [script.canonical])
        who = f"something else than an apply{_or_damaged(lost)}"
        advice = "Read it, then revert the unwanted part with edit_snippet."
        if chain:
            advice = "The change that led to its present text can be undone:"
        return stale(
            f"{path} doesn't have that hash: {who} changed it since, and undo would lose that. "
            f"{advice}",
            chain[:1],
        )
    more = "For its newest apply, see undoable" if chain else "get_history lists what can be undone"
    return stale(
        f"No apply to {path} with that hashAfter is recorded: it was already undone, pruned, or "
        f"made elsewhere. {more}.",
        chain[:1],
    )


def _or_damaged(lost: Sequence[HistoryEntry]) -> str:
    return f", or the damaged {lost[-1].place}," if lost else ""


def in_this_order(order: UndoOrder) -> str:
    """Return the advice for the steps in ``details["undoInOrder"]``."""
    more = f" ({order.left_out} more, listed by get_history, before the last)"
    return f"Undo these in this order{more if order.left_out else ''}; nothing was undone:"


def _damaged_end(history: History, script: ScriptPath, current: str) -> str | None:
    last = history.latest_to(script.canonical, current)
    return None if last is None or history.is_readable(last) else history.what_is_wrong(last)


def _order(history: History, script: ScriptPath, wanted: str, current: str) -> UndoOrder | None:
    """Return the undo order, change sets included, that ends with the apply to ``wanted``."""
    entry = history.latest_to(script.canonical, wanted)
    order = None if entry is None else undo_order(history, entry)
    if order is None or order.parted or not order.has_change_set:
        return None
    return order if order.ends.get(script.canonical, "") == current else None


def _undoable(history: History, script: ScriptPath, current: str) -> list[str]:
    chain: list[str] = []
    while current not in chain and len(chain) < _MAX_LISTED_HASHES:
        entry = history.latest_to(script.canonical, current)
        record = None if entry is None or entry.is_change else history.read(entry)
        if record is None or record.path != script.canonical:
            break
        chain.append(current)
        current = record.before
    return chain


def of_a_change(history: History, script: ScriptPath, change: HistoryEntry) -> SnippetError:
    """Return ``invalid_request``: a change set wrote the file last, and is undone as a whole."""
    damage = None if history.is_readable(change) else history.what_is_wrong(change)
    if damage is not None:
        return not_undoable(script, f"the entry of its last change {damage}")
    header = history.header(change)
    files = () if header is None else header.files
    own = next((file for file in files if script.canonical in file.paths), None)
    is_new = own is not None and own.before is None
    with_others = ", together with other files" if len(files) > 1 else ""
    deletes = ", which deletes the file" if is_new else ""
    return SnippetError(
        ErrorCode.INVALID_REQUEST,
        f"{show(script.relative)} was {'created' if is_new else 'changed'}{with_others}, by "
        f"change {change.ticket}. Undo the whole change{deletes}.",
        details={"undoable": [], "changeId": change.ticket},
    )
