"""Symbolic links, and Windows' junctions (docs/design/systems.md "Names").

A junction looks like a folder. The tag of its reparse point says whether it leads elsewhere (*name
surrogate*); one that doesn't, such as a file stored in a cloud, is no link.
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
    """Return whether the path is a link or junction; ``False`` if it doesn't exist."""
    try:
        return leads_elsewhere(os.lstat(path))
    except OSError:
        return False


def link_on_the_way(root: Path, names: Sequence[str]) -> Sequence[str] | None:
    """Return the ``names`` from ``root`` on, down to the first that is a link, if any."""
    found = no_folder_on_the_way(root, names)
    return found[0] if found is not None and found[1] == _LINK else None


def leads_elsewhere(status: os.stat_result) -> bool:
    """Return whether the ``status`` of ``lstat`` is that of a link or a junction."""
    tag: int = getattr(status, "st_reparse_tag", 0)
    return stat.S_ISLNK(status.st_mode) or bool(tag & _NAME_SURROGATE)


def no_folder_on_the_way(root: Path, names: Sequence[str]) -> tuple[Sequence[str], str] | None:
    """Return the ``names`` down to the first that is no folder, and its kind, if any."""
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
