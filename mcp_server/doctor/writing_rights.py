"""Whether scripts of the project can be written, as far as can be told without writing."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

MAX_SCRIPTS = 200
"""So many scripts are looked at."""

MAX_FOLDERS = 500
"""So many folders are looked into for them."""

_STATE = ("Library", "SnippetEngine")


def why_not_writable(project: Path) -> str | None:
    """Why no edit can be applied in ``project``, and what to do; ``None`` if nothing is seen.

    Folders are asked for by the rights of this user, scripts by their owner's write bit, which an
    edit goes by.
    """
    for folder in (project / "Assets", _nearest(project)):
        # Under Windows this is true of any folder: its own rights can't be asked for so.
        if not os.access(folder, os.W_OK | os.X_OK):
            return f"this user may not write in {folder}: correct the rights of that folder"
    scripts = list(islice(_scripts(project / "Assets"), MAX_SCRIPTS))
    locked = [each for each in scripts if not each.stat().st_mode & stat.S_IWUSR]
    if not scripts or len(locked) < len(scripts):
        return None
    count = len(scripts)
    all_of = f"all of {count} scripts that were looked at are" if count > 1 else "the script is"
    return (
        f"{all_of} read-only, as {scripts[0].relative_to(project).as_posix()} is: make writable "
        "what is to be edited (or check it out, where version control has locked it)"
    )


def _nearest(project: Path) -> Path:
    """Where what edits keep of themselves is, or the folder that it would be made in."""
    wanted = project.joinpath(*_STATE)
    return next(each for each in (wanted, *wanted.parents) if each.is_dir() or each == project)


def _scripts(assets: Path) -> Iterator[Path]:
    for folder, inner, names in islice(os.walk(assets), MAX_FOLDERS):
        inner.sort()
        for name in sorted(names):
            script = Path(folder, name)
            if name.endswith(".cs") and script.is_file():
                yield script
