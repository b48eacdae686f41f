"""``get_history``: what was done to the scripts and can be undone, newest first.

Implements docs/design/engine.md §5 "Undo".
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.storage.change_list import ChangeEntry
from snippet_engine.storage.change_record import ChangedFile
from snippet_engine.storage.change_store import ChangeStore
from snippet_engine.storage.project import Project

DEFAULT_LIMIT = 20


def get_history(
    project: Project, store: ChangeStore, params: Mapping[str, Any]
) -> dict[str, Any] | SnippetError:
    """The tool's result for checked parameters. Errors: ``path_not_allowed``."""
    path = None
    if "path" in params:
        script = project.locate(params["path"])
        if isinstance(script, SnippetError) and script.code is ErrorCode.FILE_NOT_FOUND:
            # What was deleted, or moved away, has a history too.
            script = project.locate_new(params["path"])
        if isinstance(script, SnippetError):
            return script
        path = script.canonical
    limit = params.get("limit", DEFAULT_LIMIT)
    # One more than asked for tells whether there are more.
    found = store.history(path, limit + 1)
    result: dict[str, Any] = {"changes": [_entry(each) for each in found[:limit]]}
    if len(found) > limit:
        result["truncated"] = True
    return result


def undo_arguments(entry: ChangeEntry) -> dict[str, str]:
    """What ``undo_snippet`` takes to undo it."""
    if entry.change_id is not None:
        return {"changeId": entry.change_id}
    (file,) = entry.files
    assert file.after is not None
    return {"path": file.path, "hashAfter": file.after}


def status_of(before: str | None, after: str | None, target: str | None) -> str:
    """What became of a file, in a word."""
    if before is None:
        return "created"
    if after is None:
        return "deleted"
    if target is not None:
        return "moved"
    return "unchanged" if before == after else "edited"


def _entry(entry: ChangeEntry) -> dict[str, Any]:
    time = datetime.fromtimestamp(entry.time_s, UTC).isoformat(timespec="seconds")
    return {
        "time": time.replace("+00:00", "Z"),
        **({} if entry.client is None else {"client": entry.client}),
        "undoable": entry.is_undoable,
        "undo": undo_arguments(entry),
        "files": [_file(each) for each in entry.files],
    }


def _file(file: ChangedFile) -> dict[str, Any]:
    return {
        "path": file.path,
        **({} if file.target is None else {"movedTo": file.target}),
        "status": status_of(file.before, file.after, file.target),
        **({} if file.before is None else {"hashBefore": file.before}),
        **({} if file.after is None else {"hashAfter": file.after}),
        "firstLine": file.first_line,
    }
