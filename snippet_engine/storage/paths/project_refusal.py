"""Why a path leads to no script that may be written, and a folder is no project, in words.

Part of docs/design/engine.md §6.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.storage.paths.request_path import shown

_MAX_SHOWN_FOLDER = 65
"""So many code points of a folder's path are told, so that two fit into a message."""


def kind_of(mode: int) -> str:
    """What isn't a regular file, in words."""
    if stat.S_ISDIR(mode):
        return "a folder"
    if stat.S_ISLNK(mode):
        return "a link that leads in a circle"
    return "a FIFO" if stat.S_ISFIFO(mode) else "a device or socket"


def not_allowed(relative: str, why: str) -> SnippetError:
    """``path_not_allowed``; ``why`` goes on after the path."""
    return SnippetError(
        ErrorCode.PATH_NOT_ALLOWED,
        f"{shown(relative)} {why}. Send a path of a .cs file inside Assets/ or Packages/.",
    )


def in_package_cache(relative: str) -> SnippetError:
    """``read_only``, of what lies in the cache of packages."""
    return SnippetError(
        ErrorCode.READ_ONLY,
        f"{shown(relative)} belongs to a downloaded package, which Unity restores. To change it, "
        "copy its folder from Library/PackageCache to Packages/.",
    )


def why_no_project(folder: Path) -> str:
    """What is wrong with ``folder``, which has no ``Assets``, and what to name instead."""
    if not os.path.exists(folder):
        return f"There is no folder {_end_of(folder)}. Name the folder that holds Assets."
    lacks = "has no Assets folder" if os.path.isdir(folder) else "is not a folder"
    above = next((each for each in folder.parents if os.path.isdir(each / "Assets")), None)
    instead = "the folder that holds Assets" if above is None else _end_of(above)
    return f"{_end_of(folder)} is not a Unity project: it {lacks}. Name {instead}."


def _end_of(folder: Path) -> str:
    """The folder's path; of a long one the end, where paths differ."""
    text = str(folder)
    return text if len(text) <= _MAX_SHOWN_FOLDER else "…" + text[1 - _MAX_SHOWN_FOLDER :]
