"""Which assembly Unity compiles a script into.

Part of docs/design/change-sets.md §2: the nearest assembly definition on the way up decides, else
the folder's name. Looks at the disk each time, as definitions come and go.
"""

from __future__ import annotations

import json
from pathlib import Path

_FIRST_PASS = ("plugins", "standard assets", "pro standard assets", "iphone standard assets")
"""Unity looks at these names in lower case, and so at that of ``Editor``."""

_MAX_BYTES = 64 * 1024


_NOT_COMPILED = ("streamingassets", "webgltemplates")
"""Folders at the top of ``Assets`` whose files are copied as they are, whatever they hold."""


def uncompiled_name(script: str) -> str | None:
    """The name on a project-relative path for which Unity compiles no script there, if one is.

    The rules are those of Unity's manual, "Special folder names". (One more, ``.tmp``, is of files
    alone, and none that is called so is a script.)
    """
    names = script.split("/")
    if names[0] == "..":
        return None  # in a folder of the user's that the project has a package in
    if names[0] == "Assets" and len(names) > 2 and names[1].lower() in _NOT_COMPILED:
        return names[1]
    return next((n for n in names if n[:1] == "." or n[-1:] == "~" or n.lower() == "cvs"), None)


def assembly_of(root: Path, script: str) -> str:
    """What the script at a project-relative path is compiled into, in words; it need not exist."""
    *folders, _ = script.split("/")
    for depth in range(len(folders), 0, -1):
        found = _definition_in(root, "/".join(folders[:depth]))
        if found is not None:
            return found
    if folders[0] != "Assets":
        return "no assembly"
    lower = [each.lower() for each in folders[1:]]
    first = "-firstpass" if lower and lower[0] in _FIRST_PASS else ""
    return f"Assembly-CSharp{'-Editor' if 'editor' in lower else ''}{first}"


def _definition_in(root: Path, folder: str) -> str | None:
    try:
        names = sorted(each.name for each in (root / folder).iterdir())
    except OSError:
        return None
    for name in names:
        if name.lower().endswith(".asmdef"):
            return _said(root / folder / name, "name") or name[: -len(".asmdef")]
        if name.lower().endswith(".asmref"):
            said = _said(root / folder / name, "reference")
            # A reference by GUID would have to be looked up in every .meta file.
            return said if said and not said.startswith("GUID:") else f"what {folder}/{name} names"
    return None


def _said(file: Path, key: str) -> str | None:
    try:
        if not file.is_file() or file.stat().st_size > _MAX_BYTES:
            return None
        said = json.loads(file.read_text("utf-8-sig", "replace"))
    except (OSError, ValueError, RecursionError):
        return None
    name = said.get(key) if isinstance(said, dict) else None
    return name if isinstance(name, str) and name else None
