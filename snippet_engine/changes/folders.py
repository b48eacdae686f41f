"""Folders that a set names or empties (docs/design/change-sets.md §1 and §2)."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from snippet_engine.answer.warnings import Warn
from snippet_engine.change_request import Change, ChangeRequest
from snippet_engine.changes.planned_change import PlannedChange
from snippet_engine.errors import ErrorCode, Offer, SnippetError, show
from snippet_engine.limits import MAX_SET_FILES
from snippet_engine.storage.paths.project import Project

_SCRIPT = ".cs"
_MOST = 1_000


def folder_named(project: Project, request: ChangeRequest) -> SnippetError | None:
    """Return ``path_not_allowed`` for the first path that is a folder, and offer moves instead."""
    for index, change in enumerate(request.changes):
        folder = _folder(project, change.path)
        if folder is not None:
            scripts = list(islice(_scripts(folder), _MOST))
            advice = _message(change, len(scripts))
            offer = _moves(project, request, index, scripts)
            return SnippetError(
                ErrorCode.PATH_NOT_ALLOWED,
                f"{show(change.path)} is a folder. {advice}",
                details={"path": change.path, "scripts": len(scripts)},
                offers=() if offer is None else (offer,),
                file=index,
            )
    return None


def _folder(project: Project, path: str) -> Path | None:
    if path.endswith(_SCRIPT):
        return None
    # Locating a new script in the folder checks every folder on the way.
    inside = project.locate_new(f"{path.rstrip('/')}/A{_SCRIPT}")
    if isinstance(inside, SnippetError):
        return None
    return inside.real.parent if inside.real.parent.is_dir() else None


def _scripts(folder: Path) -> Iterator[str]:
    for here, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if name.endswith(_SCRIPT):
                yield (Path(here) / name).relative_to(folder).as_posix()


def _message(change: Change, count: int) -> str:
    many = f"{'over ' if count == _MOST else ''}{count:,}"
    of_all = f"each of its {many} scripts" if count > 1 else "its one script"
    sets = f", {MAX_SET_FILES} a set" if count > MAX_SET_FILES else ""
    if not count:
        return "It contains no script, and only scripts can be changed here."
    if change.move_to is not None:
        return (
            "A folder can't be moved as a whole: send a change with moveTo for "
            f"{of_all}{sets}. Other files stay."
        )
    if change.deletes:
        return (
            "A folder can't be deleted as a whole: send delete and expectedHash for "
            f"{of_all}{sets}."
        )
    return f"Send a change for {of_all}{sets}."


def _moves(
    project: Project, request: ChangeRequest, index: int, scripts: Sequence[str]
) -> Offer | None:
    change = request.changes[index]
    if change.move_to is None or change.instructions or not scripts:
        return None
    if len(request.changes) - 1 + len(scripts) > MAX_SET_FILES:
        return None
    old, new = change.path.rstrip("/"), change.move_to.rstrip("/")
    if new.endswith(_SCRIPT) or f"{new}/".startswith(f"{old}/"):
        return None
    moves = [Change(f"{old}/{each}", move_to=f"{new}/{each}") for each in scripts]
    for each in moves:
        target = project.locate_new(str(each.move_to))
        if isinstance(target, SnippetError) or target.is_taken:
            return None
    changes = (*request.changes[:index], *moves, *request.changes[index + 1 :])
    offered = replace(request, changes=changes)
    what = (
        f"a move of each of its {len(moves)} scripts" if len(moves) > 1 else "a move of its script"
    )
    return Offer(what, offered.to_json())


def emptied_folders(changes: Sequence[PlannedChange]) -> Iterator[tuple[int, Warn]]:
    """Yield ``empty_folder`` for each folder with a ``.meta`` that the set empties."""
    leaving: dict[Path, list[PlannedChange]] = defaultdict(list)
    for change in changes:
        if change.status == "deleted" or change.target is not None:
            leaving[change.script.real.parent].append(change)
    coming = {each.place.real for each in changes if each.new is not None}
    for folder, gone in leaving.items():
        names = {f"{each.script.name}{meta}" for each in gone for meta in ("", ".meta")}
        try:
            left = {each.name for each in folder.iterdir()} - names
        except OSError:  # unreadable, so its content is unknown
            continue
        has_meta = folder.with_name(f"{folder.name}.meta").is_file()
        if left or not has_meta or any(folder in each.parents for each in coming):
            continue
        last = gone[-1]
        named = last.script.relative.rpartition("/")[0]
        yield (
            last.index,
            Warn(
                "empty_folder",
                f"{show(named)} will be empty, and stays with its .meta: no tool here removes a "
                "folder.",
            ),
        )
