"""Whether scripts of the project can be written, as far as can be seen without writing."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from snippet_engine.storage.system.links import is_link

MAX_SCRIPTS = 200
"""Most scripts that are checked."""

MAX_FOLDERS = 500
"""Most folders that are searched for them."""

_STATE = ("Library", "SnippetEngine")
_PARTS = ("locks", "pending", "history")
"""The parts that every edit needs."""


def why_not_writable(project: Path) -> str | None:
    """Return why no edit can be applied in ``project``, and what to do, if that can be seen.

    Folders are checked by the rights of this user, scripts by their owner's write bit, as an edit
    does.
    """
    wrong = _why_not_in(project / "Assets") or _why_nothing_is_kept(project)
    if wrong is not None:
        return wrong
    scripts = list(islice(_scripts(project / "Assets"), MAX_SCRIPTS))
    locked = {each for each in scripts if not each.stat().st_mode & stat.S_IWUSR}
    barred = {each for each in {script.parent for script in scripts} if _why_not_in(each)}
    if not scripts or any(each not in locked and each.parent not in barred for each in scripts):
        return None
    count = len(scripts)
    if not locked:
        others = ", nor in the other folders with scripts" if len(barred) > 1 else ""
        return (
            f"this user may not write in {scripts[0].parent}{others} ({count} scripts were "
            "checked): correct the rights"
        )
    all_of = f"all {count} scripts that were checked are" if count > 1 else "the script is"
    first_locked = next(each for each in scripts if each in locked)
    where = f", or in folders that this user may not write in, as {min(barred)}" if barred else ""
    return (
        f"{all_of} read-only, as {first_locked.relative_to(project).as_posix()}{where}: make "
        "the scripts to edit writable (or check them out of version control)"
    )


def _why_not_in(folder: Path) -> str | None:
    """Return why nothing can be created or replaced in ``folder``, which exists."""
    # Windows says true of any folder: its own rights can't be checked in this way.
    if os.access(folder, os.W_OK | os.X_OK):
        return None
    return f"this user may not write in {folder}: correct the rights of that folder"


def _why_nothing_is_kept(project: Path) -> str | None:
    """Return why the records of edits can't be kept where they are, or would be created."""
    library, ours = project / _STATE[0], project.joinpath(*_STATE)
    parts = [ours / part for part in _PARTS]
    for folder in (library, ours, *parts):
        # Below Library everything is ours, and no link is followed there.
        if os.path.lexists(folder) and (
            not folder.is_dir() or (folder != library and is_link(folder))
        ):
            return f"{folder} is not a folder: move it away, or delete it"
    there = (next(each for each in (part, *part.parents) if each.is_dir()) for part in parts)
    return next((wrong for folder in there if (wrong := _why_not_in(folder))), None)


def _scripts(assets: Path) -> Iterator[Path]:
    for folder, inner, names in islice(os.walk(assets), MAX_FOLDERS):
        inner.sort()
        for name in sorted(names):
            script = Path(folder, name)
            if name.endswith(".cs") and script.is_file():
                yield script
