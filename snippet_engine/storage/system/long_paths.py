"""Paths that Windows' own limit of 260 characters would cut off.

Implements docs/design/systems.md "Names". With ``\\\\?\\`` in front Windows takes a path as it is,
up to 32,767 characters; otherwise long ones are reached only where an administrator allowed that.
"""

from __future__ import annotations

import os
import sys

_SHORT = 248
"""A folder's path may have so many characters with the end that C puts to it; a file's 260."""

_AS_IT_IS = "\\\\?\\"
_AS_IT_IS_ON_A_SERVER = "\\\\?\\UNC\\"


def within_reach(path: str | os.PathLike[str], windows: bool = sys.platform == "win32") -> str:
    """``path``, absolute and normalised, so that the system takes it however long it is."""
    text = os.fspath(path)
    if not windows or len(text) < _SHORT or text.startswith(_AS_IT_IS):
        return text
    if text.startswith("\\\\"):
        return _AS_IT_IS_ON_A_SERVER + text[2:]
    return _AS_IT_IS + text if text[1:3] == ":\\" else text


def real_path(path: str, windows: bool = sys.platform == "win32") -> str:
    """``os.path.realpath``, in the form that people write, of a path of any length."""
    found = os.path.realpath(within_reach(path, windows))
    if not windows:
        return found
    if found.startswith(_AS_IT_IS_ON_A_SERVER):
        return "\\\\" + found.removeprefix(_AS_IT_IS_ON_A_SERVER)
    return found.removeprefix(_AS_IT_IS)
