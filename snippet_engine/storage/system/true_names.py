"""Find the real names of files if a file system accepts others (docs/design/systems.md "Names").

macOS ignores case and composition: a request may name ``player.cs`` for ``Player.cs``. Written
under the request's name, the file would change its own, and its history would be another file's.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Sequence

from snippet_engine.storage.system.links import is_link

Lstat = Callable[[str], os.stat_result]
Names = Callable[[str], list[str]]


def true_names(
    root: str, inside: Sequence[str], lstat: Lstat = os.lstat, names: Names = os.listdir
) -> tuple[str, ...]:
    """Return the segments ``inside`` of the folder ``root`` as they are on disk, if they exist."""
    folder, found = root, []
    for segment in inside:
        name = _true_name(folder, segment, lstat, names)
        found.append(name)
        folder = os.path.join(folder, name)  # noqa: PTH118 - every request comes through here
    return tuple(found)


def names_alike(root: str, inside: Sequence[str]) -> tuple[str, ...]:
    """Return ``inside``, each name as the one existing that differs only in case or composition."""
    folder = root
    found: list[str] = []
    for depth, segment in enumerate(inside):
        try:
            listed = os.listdir(folder)  # noqa: PTH208 - names only
        except OSError:
            listed = []
        alike = [name for name in listed if folded(name) == folded(segment)]
        if segment not in alike and len(alike) != 1:
            return (*found, *inside[depth:])
        found.append(segment if segment in alike else alike[0])
        folder = os.path.join(folder, found[-1])  # noqa: PTH118
        if is_link(folder):
            return (*found, *inside[depth + 1 :])
    return tuple(found)


def _true_name(folder: str, segment: str, lstat: Lstat, names: Names) -> str:
    other = segment.swapcase()
    if other == segment and segment.isascii():
        return segment
    try:
        meant = lstat(os.path.join(folder, segment))  # noqa: PTH118
        if segment.isascii():
            lstat(os.path.join(folder, other))  # noqa: PTH118
        listed = names(folder)
    except OSError:
        return segment  # the usual case: there is nothing by the other name
    if segment in listed:
        return segment
    alike = [name for name in listed if folded(name) == folded(segment)]
    if len(alike) == 1:
        # It is there by a name that isn't listed. Numbers of files tell nothing here: some file
        # systems give out another one for each name.
        return alike[0]
    for name in alike:
        try:
            if _same(meant, lstat(os.path.join(folder, name))):  # noqa: PTH118
                return name
        except OSError:
            continue
    return segment


def _same(one: os.stat_result, other: os.stat_result) -> bool:
    return (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)


def folded(name: str) -> str:
    """Return ``name`` in a spelling that ignores case and composition."""
    return unicodedata.normalize("NFC", name).casefold()
