"""``get_history``: the changes that can be undone, newest first (docs/design/engine.md §5
"Undo").
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from snippet_engine.errors import ErrorCode, SnippetError, show, without_none
from snippet_engine.storage.paths.project import Project
from snippet_engine.storage.paths.request_path import outside_roots
from snippet_engine.storage.records.undo_order import undo_arguments
from snippet_engine.storage.recovery.unfinished import UnfinishedError
from snippet_engine.storage.stores.change_list import ChangeEntry
from snippet_engine.storage.stores.change_store import ChangeStore

DEFAULT_LIMIT = 20
_MOST_NAMES = 200
_MOST_NEAREST = 5
_MOST_UNFINISHED = 20
_MOST_LEFT = 100
_MOST_ENTRIES = 20_000
"""Most folder entries that are searched for leftover files; this takes some tens of milliseconds.
"""

WHAT_TO_DO = (
    "Each .NAME.ID.tmp has a text of the file NAME next to it, from before the write or after it. "
    "If NAME is gone, rename it back; else compare them, then delete it."
)
"""The advice about temporary files that have no record."""


def get_history(
    project: Project,
    store: ChangeStore,
    params: Mapping[str, Any],
    waiting: Sequence[UnfinishedError] = (),
) -> dict[str, Any] | SnippetError:
    """Return the tool's result for checked parameters; ``waiting`` are unfinished writes.

    Errors: ``path_not_allowed``; ``file_not_found`` if no change of the path is recorded.
    """
    place = path = missing = None
    if "path" in params:
        script = project.locate(params["path"])
        if isinstance(script, SnippetError) and script.code is ErrorCode.FILE_NOT_FOUND:
            # A deleted or moved script has a history, too.
            missing = script
            script = project.locate_new(params["path"])
        if isinstance(script, SnippetError):
            from snippet_engine.fixes.other_file import with_path_offered  # noqa: PLC0415 - only for errors

            if not script.details:
                script = _named_alone(script, params["path"], store)
            return with_path_offered(script, params)
        place, path = script, script.canonical
    limit = params.get("limit", DEFAULT_LIMIT)
    # One entry more than requested shows whether there are more.
    found = store.history(path, limit + 1)
    ended = {each.change_id for each in found if each.change_id is not None}
    unfinished = [
        each
        for each in waiting
        if (path is None or each.may_be_of(path)) and each.change_id not in ended
    ]
    is_known = any(each.files for each in found) or any(path in each.files for each in unfinished)
    left = (
        store.orphaned_temporary_files(_MOST_ENTRIES)
        if place is None
        else store.orphans_next_to(place)
    )
    if missing is not None and not is_known and not left:
        return _never_there(missing, params["path"], store)
    result: dict[str, Any] = {"changes": [_entry(each) for each in found[:limit]]}
    if len(found) > limit:
        result["truncated"] = True
    if left:
        result["leftBehind"] = {
            "message": f"Some writes were interrupted, and their records are gone. {WHAT_TO_DO}",
            "temporaryFiles": left[:_MOST_LEFT],
        }
    if unfinished:
        result["unfinished"] = [
            {"message": str(each), "state": each.state, **each.to_json()}
            for each in unfinished[:_MOST_UNFINISHED]
        ]
    return result


def _never_there(missing: SnippetError, path: str, store: ChangeStore) -> SnippetError:
    from difflib import get_close_matches  # noqa: PLC0415 - needed only on the way to an error

    by_name = _kept_names(store)
    name = posixpath.basename(path.replace("\\", "/"))
    alike = [by_name[each] for each in get_close_matches(name, by_name)]
    nearest = list(dict.fromkeys([*alike, *missing.details.get("nearest", ())]))[:_MOST_NEAREST]
    hint = (
        f"Did you mean {show(nearest[0])}?"
        if nearest
        else "get_history lists the recorded changes."
    )
    return SnippetError(
        ErrorCode.FILE_NOT_FOUND,
        f"{show(path)} does not exist, and the history has no change of it. {hint}",
        details={"nearest": nearest},
    )


def _named_alone(refused: SnippetError, path: str, store: ChangeStore) -> SnippetError:
    named = outside_roots(path)
    kept = None if named is None else _kept_names(store).get(posixpath.basename(named))
    if named is None or kept is None:
        return refused
    message = f"{show(named)} is not below Assets/ or Packages/. Send {show(kept)} instead."
    return replace(refused, message=message, details={"suggestion": kept})


def _kept_names(store: ChangeStore) -> dict[str, str]:
    by_name: dict[str, str] = {}
    for entry in store.history(None, _MOST_NAMES):
        for each in (path for file in entry.files for path in file.paths):
            by_name.setdefault(posixpath.basename(each), each)
    return by_name


def _undo(entry: ChangeEntry) -> dict[str, str]:
    """Return the arguments of ``undo_snippet`` for an entry; for a damaged one, those known."""
    if entry.taken_back is not None:
        return {}
    if entry.change_id is None and not entry.files:
        return {} if entry.hash_after is None else {"hashAfter": entry.hash_after}
    return undo_arguments(entry.change_id, entry.files)


def _rolled_back_message(entry: ChangeEntry) -> str:
    what = f"Change {entry.change_id}"
    became = "was given up" if entry.is_given_up else "was taken back"
    if entry.undo_of is not None:
        undone = f"change {entry.undo_of}"
        what = f"The undo of {undone}"
        if not entry.is_given_up:
            became = f"didn't happen, and {undone} is still in place"
    return (
        f"{what} {became}: during the write others changed these files, or moved their folder, so "
        f"they were left as they are. Their earlier content is in {entry.taken_back}"
    )


def file_entry(
    path: str, target: str | None, before: str | None, after: str | None
) -> dict[str, Any]:
    """Return the result for one file: its paths, a status, and its hashes."""
    status = "unchanged" if before == after else "edited"
    if before is None:
        status = "created"
    elif after is None:
        status = "deleted"
    elif target is not None:
        status = "moved"
    return without_none(
        {
            "path": path,
            "movedTo": target,
            "status": status,
            "hashBefore": before,
            "hashAfter": after,
        }
    )


def _entry(entry: ChangeEntry) -> dict[str, Any]:
    time = datetime.fromtimestamp(entry.time_s, UTC).isoformat(timespec="seconds")
    return without_none(
        {
            "time": time.replace("+00:00", "Z"),
            "client": entry.client,
            "source": entry.source,
            "fileCount": entry.count if entry.count > len(entry.files) else None,
            "undoable": entry.is_undoable,
            "damaged": None if entry.damage is None else f"the entry {entry.damage}",
            "blocked": entry.blocked,
            "takenBack": None if entry.taken_back is None else _rolled_back_message(entry),
            "undo": _undo(entry),
            "files": [
                {
                    **file_entry(each.path, each.target, each.before, each.after),
                    "firstLine": each.first_line,
                }
                for each in entry.files
            ],
        }
    )
