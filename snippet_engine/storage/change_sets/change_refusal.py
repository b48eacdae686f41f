"""Why an undo of a change set is refused, and what to undo instead.

Part of docs/design/engine.md §5 "Undo".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.storage.paths.request_path import shown
from snippet_engine.storage.records.change_record import ChangeRecord
from snippet_engine.storage.records.history import HistoryEntry, how_to_give_up
from snippet_engine.storage.records.undo_order import UndoOrder
from snippet_engine.storage.records.undo_refusal import in_this_order

Conflict = tuple[int, dict[str, object]]
"""The index of a change, and what its file has and should have."""


def not_kept(change_id: str, damage: str | None) -> SnippetError:
    """``invalid_request``; ``damage`` is what is wrong with its entry, if there is one."""
    if damage is None:
        why = (
            "it was undone, given up or pruned, or not made here. get_history lists those that can"
        )
    else:
        why = f"its entry {damage}. {how_to_give_up(damage)}"
    return SnippetError(
        ErrorCode.INVALID_REQUEST,
        f"No change {shown(change_id)} can be undone: {why}.",
        details={"undoable": [], **({} if damage is None else {"damaged": damage})},
    )


def taken_back(change_id: str, entry: HistoryEntry, record: ChangeRecord | None) -> SnippetError:
    """The same for a set that isn't in place; ``record`` is ``None`` if it can't be read."""
    left = () if record is None else record.of_bits(entry.left_alone)
    names = ", ".join(shown(file.path) for file in left[:1])
    others = f"{names}, which others changed" if left else "a file that others changed"
    more = f", and {len(left) - 1} more" if len(left) > 1 else ""
    what = f"Change {change_id} was taken back, but for {others}{more}"
    undoes = None if record is None else record.undoes
    if record is not None and record.is_all(entry.left_alone):
        undo = "" if undoes is None else ", an undo,"
        what = f"Change {change_id}{undo} was given up: others changed or moved {names}{more}"
    elif undoes is not None:
        what = (
            f"{change_id} is an undo that didn't happen: change {undoes} is in place, but for "
            f"{others}{more}"
        )
    return SnippetError(
        ErrorCode.INVALID_REQUEST,
        f"{what}. get_history lists where its text is kept.",
        details={"undoable": [], "leftAlone": [file.path for file in left]},
    )


def changed_again(change_id: str, conflicts: Sequence[Conflict], order: UndoOrder) -> SnippetError:
    """``stale_file`` where all was changed by what the history has, and can be undone in order."""
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
    """``stale_file`` where a newer change can't be undone first: ``others`` are its files that
    something else changed, with what they have and should have."""
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    return SnippetError(
        ErrorCode.STALE_FILE,
        f"{_ANOTHER} changed {shown(str(others[0]['path']))}{more}, which came with a newer change "
        f"of {_names_of(conflicts, 1)}. Neither can be undone; nothing was.",
        details={
            "changeId": change_id,
            "changed": [found for _, found in conflicts],
            "inTheWay": list(others),
        },
        file=conflicts[0][0],
    )


def _names_of(conflicts: Sequence[Conflict], most: int) -> str:
    names = ", ".join(shown(str(found["path"])) for _, found in conflicts[:most])
    return names + (f" and {len(conflicts) - most} more" if len(conflicts) > most else "")


def changed_since(
    change_id: str,
    conflicts: Sequence[Conflict],
    lost: Sequence[HistoryEntry],
    *,
    is_undoable: bool,
) -> SnippetError:
    """``stale_file``; ``is_undoable`` is whether all of it was changed by what the history has.

    ``conflicts`` are the files that something else changed, if there are such; else all.
    ``lost`` are newer change sets that can't be read any more.
    """
    names, them = _names_of(conflicts, 2), "them" if len(conflicts) > 1 else "it"
    is_outside = not (is_undoable or lost)
    if is_outside and all(found["currentHash"] is None for _, found in conflicts):
        message = (
            f"Gone since, not by an apply: {_names_of(conflicts, 1)}. Nothing was undone. Put "
            f"{them} back (version control, trash), then undo again."
        )
    elif is_outside and all(found["expectedHash"] is None for _, found in conflicts):
        message = (
            f"New where the undo would bring a file back: {names}. Nothing was undone. Move {them} "
            "away, then undo again."
        )
    elif is_undoable:
        message = (
            f"Changed since that change: {names}. Undo what came after it first (get_history "
            "lists it); nothing was undone."
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
    """``refused``, of an undo; in words of it, where somebody else was quicker."""
    if "expectedHash" not in refused.details or refused.file is None:
        return refused
    file = record.files[refused.file]
    message = (
        f"{shown(file.target or file.path)} was changed while it was undone, or something took its "
        "old place: nothing was undone. Look at it; get_history tells what can be undone now."
    )
    return replace(refused, message=message)


_ANOTHER = "Something else than an apply"


def _short(hashed: object) -> str:
    """The beginning of a hash, for a message; ``details`` have all of it."""
    return "gone" if hashed is None else f"{str(hashed)[:15]}…"
