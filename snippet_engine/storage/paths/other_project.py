"""Paths of another project or worktree: they name no script of the project that is served.

Part of docs/design/engine.md §6. Read from its ``Assets`` on, such a path would lead to a script
of the same name here, which its sender didn't mean.
"""

from __future__ import annotations

import os
from pathlib import Path

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.storage.paths.request_path import SCRIPT_ROOTS, local_path, shown

_SERVED = frozenset(each.casefold() for each in SCRIPT_ROOTS)


def refuse_other_project(path: str, root: Path) -> SnippetError | None:
    """``path_not_allowed`` if ``path`` lies in another project or worktree than that in ``root``.

    A relative path is read from ``root``, and from each folder above it. Of each folder on the way
    it is asked only whether it has ``Assets`` or ``.git``. ``details["project"]`` is the name of
    the project that is served.
    """
    plain = local_path(path)
    is_absolute = plain.startswith("/") or plain[1:2] == ":"
    bases = (root,) if is_absolute else (root, *root.parents)
    if not any(_leads_elsewhere(base, plain, root) for base in bases):
        return None
    what = "That absolute path" if is_absolute else shown(path)
    return SnippetError(
        ErrorCode.PATH_NOT_ALLOWED,
        f"{what} is in another project or worktree. {shown(root.name)} is served here: "
        "name the other's folder with --project.",
        details={"project": root.name},
    )


def _leads_elsewhere(base: Path, plain: str, root: Path) -> bool:
    """Whether a folder on the way to ``plain`` is a project or worktree, and not ``root``'s."""
    place = Path(os.path.normpath(base / plain))
    if place.is_relative_to(root):
        top = place.relative_to(root).parts[:1]
        if top and top[0].casefold() in _SERVED:
            return False
    for folder in reversed(place.parents):
        if not os.path.isdir(folder):
            return False
        # A checkout next to the project is no reading of a path such as Scripts/Player.cs.
        is_worktree = base not in root.parents and os.path.lexists(folder / ".git")
        if is_worktree or os.path.isdir(folder / "Assets"):
            real = Path(os.path.realpath(folder))
            if real != root and real not in root.parents:
                return True
    return False
