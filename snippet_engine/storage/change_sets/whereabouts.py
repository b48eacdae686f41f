"""Where a script is that a kept change has moved or deleted, for whoever asks by its old path.

Part of docs/design/engine.md §8. Told from the headers of the history alone: bounded as that is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from snippet_engine.errors import SnippetError
from snippet_engine.storage.history import History
from snippet_engine.storage.project import Project
from snippet_engine.storage.request_path import shown
from snippet_engine.storage.state_folder import path_key


@dataclass(frozen=True, slots=True)
class Departure:
    """What became of a script that a change took away from its path.

    ``moved_to`` is its last place that is known, ``None`` where it was deleted at its path, and
    ``change_id`` the change that moved it there; ``deleted_by`` is the one that deleted it, at once
    or after moves.
    """

    change_id: str
    moved_to: str | None
    deleted_by: str | None = None


def departure_from(history: History, path: str) -> Departure | None:
    """What took the script away that was at the canonical ``path``; ``None`` if no change that is
    kept did, or it was there again since."""
    key = path_key(path)
    found: Departure | None = None
    for entry in history.entries():
        header = history.change_header(entry) if entry.is_change else None
        if header is None:
            found = None if entry.path_key == key else found
            continue
        for file in header.files:
            leaves = file.target is not None or file.after is None
            if file.path == path and leaves:
                deleted_by = entry.ticket if file.target is None else None
                found = Departure(entry.ticket, file.target, deleted_by)
            elif path in file.paths:
                found = None
            elif found is not None and leaves and file.path == found.moved_to:
                if file.target is None:
                    found = replace(found, deleted_by=entry.ticket)
                else:
                    found = Departure(entry.ticket, file.target)
    return found


def with_departure(
    error: SnippetError, project: Project, history: History, asked: str
) -> SnippetError:
    """``file_not_found`` of the path that was ``asked`` for, with what took its script away.

    The error as it is where nothing that is kept did.
    """
    script = project.locate_new(asked)
    if isinstance(script, SnippetError):
        return error
    departure = departure_from(history, script.canonical)
    if departure is None:
        return error
    to, deleted_by = departure.moved_to, departure.deleted_by
    there = None if to is None else project.named(to)
    is_there = deleted_by is None and there is not None and there.is_taken
    if is_there and to is not None:
        told = f"was moved to {shown(to)} by change {departure.change_id}. Send that path."
    elif deleted_by is not None:
        first = "was" if to is None else f"was moved to {shown(to)}, then"
        told = f"{first} deleted by change {deleted_by}."
    elif to is not None:
        told = f"was moved to {shown(to)} by change {departure.change_id}, and is gone."
    else:
        return error
    nearest = [each for each in error.details.get("nearest", ()) if each != to]
    details: dict[str, Any] = {
        **error.details,
        "nearest": [to, *nearest] if is_there else nearest,
        **({} if to is None else {"movedTo": to, "movedBy": departure.change_id}),
        **({} if deleted_by is None else {"deletedBy": deleted_by}),
    }
    return replace(error, message=f"{shown(script.relative)} {told}", details=details)
