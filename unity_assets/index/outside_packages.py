"""The packages that a project takes from folders outside of it."""

from __future__ import annotations

import json
from pathlib import Path

_FOLDER = "file:"


def packages_elsewhere(root: Path) -> list[str]:
    """Return the folders outside the project that its manifest names; those that are there."""
    packages = root / "Packages"
    try:
        named = json.loads((packages / "manifest.json").read_bytes())["dependencies"]
        texts = [each for each in named.values() if isinstance(each, str)]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return []
    own = root.resolve()
    found = []
    for text in texts:
        if not text.startswith(_FOLDER) or "\0" in text:
            continue
        folder = packages / text.removeprefix(_FOLDER)
        if folder.is_dir() and not folder.resolve().is_relative_to(own):
            found.append(text.removeprefix(_FOLDER))
    return found
