"""Find the script that a recorded change moved or deleted, for a request with its old path.

Part of docs/design/engine.md §8. Reads only the headers of the history.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from snippet_engine.errors import SnippetError, show
from snippet_engine.source_text import content_hash
from snippet_engine.storage.paths.nearest_files import nearest_scripts
from snippet_engine.storage.paths.project import Project, ScriptPath
from snippet_engine.storage.paths.request_path import SCRIPT_ROOTS
from snippet_engine.storage.records.history import History
from snippet_engine.storage.records.history_entry import HistoryEntry
from snippet_engine.storage.records.write_record import ChangedFile
from snippet_engine.storage.state_folder import path_key
from snippet_engine.storage.system.portable_names import one_name
from snippet_engine.storage.system.true_names import folded

_IS_NEAR = 60
"""Longest path of a script that a message can name, in code points."""


@dataclass(frozen=True, slots=True)
class Departure:
    """How a change moved or deleted the script at ``path``."""

    path: str
    change_id: str
    """The change that moved it to ``moved_to``."""
    moved_to: str | None
    """Its last known place; ``None`` if it was deleted at its path."""
    deleted_by: str | None = None
    """The change that deleted it."""
    hash: str | None = None
    """Its hash after its last write; ``None`` if unknown or another script is in its place."""


def departure_from(history: History, path: str) -> Departure | None:
    """Return the change that moved or deleted the script at ``path``, in any spelling."""
    spelled = one_name(path)
    return _departure(history, path.__eq__) or _departure(
        history, lambda other: other != path and one_name(other) == spelled
    )


def _departure(history: History, is_meant: Callable[[str], bool]) -> Departure | None:
    found: Departure | None = None
    for entry in history.entries():
        header = history.header(entry) if entry.is_change else None
        if header is None:
            found = None if found is None else _written(found, entry)
            continue
        for file in header.files:
            leaves = file.target is not None or file.after is None
            if is_meant(file.path) and leaves:
                deleted_by = entry.ticket if file.target is None else None
                found = Departure(file.path, entry.ticket, file.target, deleted_by, file.after)
            elif any(map(is_meant, file.paths)):
                found = None
            elif found is not None and found.moved_to in file.paths:
                found = _moved_on(found, entry.ticket, file)
    return found


def _written(found: Departure, entry: HistoryEntry) -> Departure | None:
    if entry.path_key == path_key(found.path):
        return None
    if found.moved_to is not None and entry.path_key == path_key(found.moved_to):
        return replace(found, hash=entry.after)
    return found


def _moved_on(found: Departure, change_id: str, file: ChangedFile) -> Departure:
    if file.path != found.moved_to or file.before is None:
        return replace(found, hash=None)
    if file.target is not None:
        return Departure(found.path, change_id, file.target, hash=file.after)
    if file.after is None:
        return replace(found, deleted_by=change_id)
    return replace(found, hash=file.after)


def with_departure(
    error: SnippetError, project: Project, history: History, asked: str
) -> SnippetError:
    """Add to ``file_not_found`` the recorded change that moved or deleted the script, if any."""
    script = project.locate_new(asked)
    if isinstance(script, SnippetError):
        return error
    departure = departure_from(history, script.canonical)
    if departure is None:
        return error
    to, deleted_by = departure.moved_to, departure.deleted_by
    there = None if to is None or deleted_by is not None else project.named(to)
    near = [each for each in error.details.get("nearest", ()) if each != to]
    details: dict[str, Any] = {}
    if deleted_by is not None:
        first = "was" if to is None else f"was moved to {show(to)}, then"
        told = f"{first} deleted by change {deleted_by}."
    elif to is None:
        return error
    elif there is None or not there.is_taken:
        told = f"was moved to {show(to)} by change {departure.change_id}, and is gone."
        alike = _same_name(project, to)
        told += f" {alike[0]} has its name." if alike and len(alike[0]) <= _IS_NEAR else ""
        near = list(dict.fromkeys([*alike, *near]))
    else:
        told = f"was moved to {show(to)} by change {departure.change_id}"
        near = [to, *near]
        if _holds(there, departure.hash):
            told += ". Send that path."
        else:
            told += ", which has another text now: check whether it is the same script."
            details["changedSince"] = True
    details |= {} if to is None else {"movedTo": to, "movedBy": departure.change_id}
    details |= {} if deleted_by is None else {"deletedBy": deleted_by}
    return replace(
        error,
        message=f"{show(departure.path)} {told}",
        details={**error.details, "nearest": near, **details},
    )


def _same_name(project: Project, path: str) -> list[str]:
    name = folded(path.rpartition("/")[2])
    found = nearest_scripts(project.root, SCRIPT_ROOTS, path)
    return [each for each in found if folded(each.rpartition("/")[2]) == name]


def _holds(script: ScriptPath, known: str | None) -> bool:
    snapshot = script.read()
    return not isinstance(snapshot, SnippetError) and content_hash(snapshot.data) == known
