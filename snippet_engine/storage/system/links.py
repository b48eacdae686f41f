"""What stands for another place: symbolic links, and Windows' junctions.

Implements docs/design/systems.md "Names". A junction leads to another folder as a link does, but is
a folder to whoever asks for its kind. Windows marks in a reparse point's tag whether it stands
for another place (*name surrogate*); one that doesn't, such as a file kept in a cloud, is no link.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from snippet_engine.storage.system.long_paths import within_reach

_NAME_SURROGATE = 0x2000_0000
"""``IsReparseTagNameSurrogate`` of Windows' ``winnt.h``."""

_LINK = "a link"


def is_link(path: str | os.PathLike[str]) -> bool:
    """Whether something that leads elsewhere has that path; ``False`` if nothing has it."""
    try:
        return leads_elsewhere(os.lstat(path))
    except OSError:
        return False


def link_on_the_way(root: Path, names: Sequence[str]) -> Sequence[str] | None:
    """The ``names`` from ``root`` on, down to the first that is a link; ``None`` if none is."""
    found = no_folder_on_the_way(root, names)
    return found[0] if found is not None and found[1] == _LINK else None


def leads_elsewhere(status: os.stat_result) -> bool:
    """Whether what ``lstat`` told is a link or a junction."""
    tag: int = getattr(status, "st_reparse_tag", 0)
    return stat.S_ISLNK(status.st_mode) or bool(tag & _NAME_SURROGATE)


def no_folder_on_the_way(root: Path, names: Sequence[str]) -> tuple[Sequence[str], str] | None:
    """The ``names`` from ``root`` on, down to the first that something else than a folder has, and
    what that is in words; ``None`` if there is none before the first that nothing has."""
    for depth in range(1, len(names) + 1):
        try:
            status = os.lstat(within_reach(root.joinpath(*names[:depth])))
        except OSError:
            return None
        if leads_elsewhere(status):
            return names[:depth], _LINK
        if not stat.S_ISDIR(status.st_mode):
            return names[:depth], "a file" if stat.S_ISREG(status.st_mode) else "no folder"
    return None
