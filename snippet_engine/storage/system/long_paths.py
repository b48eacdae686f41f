"""Use paths beyond Windows' limit of 260 characters.

Implements docs/design/systems.md "Names". With ``\\\\?\\`` in front Windows takes a path as it is,
up to 32,767 characters; otherwise long ones work only if an administrator allowed it.
"""

from __future__ import annotations

import os
import sys

_SHORT = 248
"""Longest folder path that works without it, including C's terminating character; a file's is
260.
"""

_AS_IT_IS = "\\\\?\\"
_AS_IT_IS_ON_A_SERVER = "\\\\?\\UNC\\"


def within_reach(path: str | os.PathLike[str], windows: bool = sys.platform == "win32") -> str:
    """Return ``path``, absolute and normalised, in a form that the system accepts at any length."""
    text = os.fspath(path)
    if not windows or len(text) < _SHORT or text.startswith(_AS_IT_IS):
        return text
    if text.startswith("\\\\"):
        return _AS_IT_IS_ON_A_SERVER + text[2:]
    return _AS_IT_IS + text if text[1:3] == ":\\" else text


def real_path(path: str, windows: bool = sys.platform == "win32") -> str:
    """Return ``os.path.realpath`` of a path of any length, in the usual spelling."""
    found = os.path.realpath(within_reach(path, windows))
    if not windows:
        return found
    if found.startswith(_AS_IT_IS_ON_A_SERVER):
        return "\\\\" + found.removeprefix(_AS_IT_IS_ON_A_SERVER)
    return found.removeprefix(_AS_IT_IS)
