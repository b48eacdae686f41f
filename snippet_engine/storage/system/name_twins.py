"""Names that are two here and one elsewhere: only letter case or composition tells them apart.

Implements docs/design/systems.md "Names". A project with both ``Player.cs`` and ``player.cs`` can't
be checked out on Windows or macOS, and there the one overwrites the other.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

WHY_ONE = "names that differ in letter case or composition only are one on Windows and macOS"


def one_name(name: str) -> str:
    """Equal for names, or paths, that are one where case and composition are ignored."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).lower())


def existing_twin(root: Path, inside: Sequence[str]) -> tuple[str, ...] | None:
    """What is there under another spelling of the path ``inside`` of ``root``, up to the first
    segment that is spelled otherwise; ``None`` if nothing is.

    Lists one folder at most.
    """

    def is_there(path: Sequence[str]) -> bool:
        return os.path.lexists(os.path.join(root, *path))  # noqa: PTH118 - as project does it

    def names_in(path: Sequence[str]) -> Iterable[str]:
        try:
            return os.listdir(os.path.join(root, *path))  # noqa: PTH118, PTH208
        except OSError:
            return ()

    return twin_among(inside, is_there, names_in)


def twin_among(
    inside: Sequence[str],
    is_there: Callable[[Sequence[str]], bool],
    names_in: Callable[[Sequence[str]], Iterable[str]],
) -> tuple[str, ...] | None:
    """:func:`existing_twin` wherever the files are: told what is there, and a folder's names."""
    for depth, segment in enumerate(inside):
        if is_there(inside[: depth + 1]):
            continue
        meant, names = one_name(segment), names_in(inside[:depth])
        twins = sorted(name for name in names if name != segment and one_name(name) == meant)
        return (*inside[:depth], twins[0]) if twins else None
    return None
