"""The names that a set makes: beside what is there, and beside each other.

Implements docs/design/change-sets.md §1: a name that is another one's on Windows and macOS is
refused here, and so is a folder where the set makes a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from snippet_engine.change_request import ChangeRequest
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.single_edit.versions import Drafts
from snippet_engine.storage.paths.project import Project, ScriptPath
from snippet_engine.storage.paths.request_path import shown
from snippet_engine.storage.system.name_twins import WHY_ONE, existing_twin, one_name


def twin_of(
    project: Project, script: ScriptPath, request: ChangeRequest, drafts: Drafts
) -> SnippetError | None:
    """``path_not_allowed`` for a new ``script`` that is there already by another spelling.

    Unless ``request`` takes that one away. Files alone: a folder stays where all of them leave it.
    """
    twin = existing_twin(script.real_root, script.inside)
    if twin is None:
        return None
    root = script.canonical.split("/")[: -len(script.inside)]
    there = "/".join((*root, *twin))
    whole = len(twin) == len(script.inside)
    spelled = "/".join((*root, *script.inside[: len(twin)]))
    leaves = request.leaves
    if there in leaves:
        return None
    other = project.named(there) if whole else None
    if other is not None and drafts.is_gone(other):
        return None
    if not whole and not script.real_root.joinpath(*twin).is_dir():
        return SnippetError(
            ErrorCode.PATH_NOT_ALLOWED,
            f"{shown(there)} is a file, and {shown(spelled)} would be a folder: {WHY_ONE}. "
            "Choose another name.",
        )
    if not whole and any(
        to is not None and path.startswith(f"{there}/") and to == spelled + path[len(there) :]
        for path, to in leaves.items()
    ):
        return SnippetError(
            ErrorCode.PATH_NOT_ALLOWED,
            f"{shown(there)} is there already, and {WHY_ONE}. To spell it so, rename the folder "
            "itself, in Unity.",
            details={"path": there},
        )
    instead = "/".join((*root, *twin, *script.inside[len(twin) :]))
    advice = f"Edit {shown(there)}" if whole else f"Send {shown(instead)}"
    return SnippetError(
        ErrorCode.PATH_NOT_ALLOWED,
        f"{shown(there)} is there already, and {WHY_ONE}. {advice}, or choose another name.",
        details={"suggestion": instead},
    )


def in_each_other_s_way(places: Mapping[int, ScriptPath]) -> Iterator[SnippetError]:
    """An error for each new file, by its change, whose path can't be there beside the others'."""
    files = {each.canonical: index for index, each in places.items()}
    spelled: dict[str, tuple[str, int]] = {}
    for index, place in places.items():
        folders = [str(each) for each in PurePosixPath(place.canonical).parents][:-1]
        for folder in folders:
            if folder in files:
                told = f"{shown(folder)} is a file by change {files[folder]}, so it is no folder."
                yield _refused(place, told, index)
                break
        for path in (place.canonical, *folders):
            other, first = spelled.setdefault(one_name(path), (path, index))
            if other != path:
                told = f"Change {first} makes {shown(other)}, and {WHY_ONE}."
                yield _refused(place, f"{told} Choose one spelling, or another name.", index)
                break


def _refused(place: ScriptPath, why: str, index: int) -> SnippetError:
    message = f"{shown(place.relative)} can't be made: {why}"
    return SnippetError(ErrorCode.PATH_NOT_ALLOWED, message).for_file(index)
