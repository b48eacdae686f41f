"""Name the local packages outside of Assets and Packages: their assets aren't searched."""

from __future__ import annotations

import json
import os
from pathlib import Path

OUTSIDE = "it is a package outside of Assets and Packages"

_MANIFEST = "Packages/manifest.json"
_LARGEST = 1024 * 1024
_OF_FOLDER = "file:"


def packages_outside(root: Path) -> list[str]:
    """Return the folders and archives outside that a readable manifest names."""
    try:
        with (root / _MANIFEST).open("rb") as opened:
            manifest = json.loads(opened.read(_LARGEST).decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return []
    listed = manifest.get("dependencies") if isinstance(manifest, dict) else None
    own, found = root.resolve(), []
    for value in listed.values() if isinstance(listed, dict) else []:
        if isinstance(value, str) and value.startswith(_OF_FOLDER):
            folder = Path(os.path.normpath(own / "Packages" / value.removeprefix(_OF_FOLDER)))
            if not any(folder.is_relative_to(own / each) for each in ("Assets", "Packages")):
                inside = folder.is_relative_to(own)
                found.append((folder.relative_to(own) if inside else folder).as_posix())
    return sorted(found)
