"""Names that are two here and one elsewhere: only letter case or composition tells them apart.

Implements docs/design/systems.md "Names". A project with both ``Player.cs`` and ``player.cs`` can't
be checked out on Windows or macOS, and there the one overwrites the other.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Sequence
from pathlib import Path


def one_name(name: str) -> str:
    """Equal for names, or paths, that are one where case and composition are ignored."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).lower())


def existing_twin(root: Path, inside: Sequence[str]) -> tuple[str, ...] | None:
    """What is there under another spelling of the path ``inside`` of ``root``, up to the first
    segment that is spelled otherwise; ``None`` if nothing is.

    Lists one folder at most.
    """
    folder = str(root)
    for depth, segment in enumerate(inside):
        path = os.path.join(folder, segment)  # noqa: PTH118 - as project does it
        if os.path.lexists(path):
            folder = path
            continue
        try:
            names = os.listdir(folder)  # noqa: PTH208
        except OSError:
            return None
        meant = one_name(segment)
        twins = sorted(name for name in names if name != segment and one_name(name) == meant)
        return (*inside[:depth], twins[0]) if twins else None
    return None
