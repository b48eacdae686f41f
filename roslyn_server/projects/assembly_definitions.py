"""Which assembly a script belongs to by the ``.asmdef`` files as they are now.

Part of docs/design/roslyn.md §3 "References": they may have changed since the last build, and then
what that build knew doesn't hold.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

_MAX_BYTES = 1024 * 1024

PREDEFINED = frozenset(
    (
        "Assembly-CSharp",
        "Assembly-CSharp-Editor",
        "Assembly-CSharp-firstpass",
        "Assembly-CSharp-Editor-firstpass",
    )
)
"""The assemblies of scripts that no definition claims."""


@dataclass(frozen=True, slots=True)
class AssemblyDefinition:
    """The definition that claims a script.

    ``name`` is ``None`` where an ``.asmref`` names the assembly by GUID. ``references`` are
    assembly names, and GUIDs with their prefix ``GUID:``. ``is_plain`` tells that it says nothing
    besides, that is, nothing which a build doesn't show.
    """

    file: Path
    name: str | None
    references: tuple[str, ...] = ()
    allows_unsafe: bool = False
    is_plain: bool = True


_SHOWN = frozenset(("name", "references", "allowUnsafeCode", "rootNamespace", "autoReferenced"))
"""What a definition says that a build shows, or that changes nothing in its assembly."""


def definition_of(root: Path, script: str) -> AssemblyDefinition | None:
    """The nearest definition upward from the script; ``None`` where there is none."""
    for folder in list(PurePosixPath(script).parents)[:-1]:
        absolute = root / folder
        try:
            names = [entry.name for entry in absolute.iterdir()]
        except OSError:
            continue
        definition = definition_in(absolute, names)
        if definition is not None:
            return definition
    return None


def definition_in(folder: Path, names: Iterable[str]) -> AssemblyDefinition | None:
    """The definition among the files of a folder, if there is one."""
    for suffix in (".asmdef", ".asmref"):
        for name in sorted(names):
            if name.lower().endswith(suffix):
                return _read(folder / name, suffix)
    return None


def _read(file: Path, suffix: str) -> AssemblyDefinition:
    try:
        with file.open("rb") as opened:
            content: Any = json.loads(opened.read(_MAX_BYTES).decode("utf-8-sig", "replace"))
    except (OSError, ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        return AssemblyDefinition(file, None)
    if suffix == ".asmref":
        target = str(content.get("reference", ""))
        return AssemblyDefinition(file, None if target.startswith("GUID:") else target)
    references = content.get("references")
    return AssemblyDefinition(
        file,
        str(content.get("name", "")),
        tuple(map(str, references)) if isinstance(references, list) else (),
        content.get("allowUnsafeCode") is True,
        not any(value for key, value in content.items() if key not in _SHOWN),
    )
