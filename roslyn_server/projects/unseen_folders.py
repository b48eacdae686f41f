"""Folders of scripts that couldn't be looked into: nothing can be said of what is in them.

So it is with scripts that are there by their names only: links that lead nowhere, pipes, devices.
Unity passes over these, but nobody can tell what was meant to be there.

Part of docs/design/roslyn.md §3 "The whole project". There may be scripts in them that change what
the others come to, so the assemblies that those would belong to can't be judged either.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from roslyn_server.projects.builds import Unknown
from snippet_engine.storage.os_failure import reason_of

UNCERTAIN = "has a name of which it isn't known whether Unity compiles what is there"
"""Of a folder: the rest of a sentence."""

_TOLD = 20
"""So many such folders are told one by one."""


@dataclass(frozen=True, slots=True)
class UnseenFolder:
    """A folder, by its project-relative path: why it wasn't looked into, in words, and the assembly
    that its scripts belong to unless it has a definition of its own, ``""`` if they have none.

    Or a single script."""

    path: str
    assembly: str
    why: str

    def to_unknown(self) -> Unknown:
        """What is said of it, also of an assembly that may have scripts there."""
        if self.path.lower().endswith(".cs"):
            return Unknown(
                "unreadable", f"Not all was checked: {self.path} can't be read ({self.why})."
            )
        fault = self.why if self.why == UNCERTAIN else f"can't be looked into ({self.why})"
        told = f"{self.path} {fault}"
        return Unknown(
            "unreadable",
            f"Scripts there were not checked: {told}. Give this user the right to, and check again."
            if self.why.startswith(_OF_RIGHTS)
            else f"Scripts there were not checked: {told}.",
        )


_OF_RIGHTS = ("permission denied", "operation not permitted", "access is denied")


def unread(root: Path, error: OSError) -> Unknown:
    """What is said of the project at ``root`` when something in it couldn't be read."""
    name = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else ""
    path = Path(os.path.abspath(name)) if name else root  # noqa: PTH100 - no link is followed
    shown = path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
    what = "the project" if path == root else shown
    why = reason_of(error).lower()
    return Unknown(
        "unreadable",
        f"Nothing was checked: {what} can't be read ({why}). Give this user the right to, and "
        "check again.",
    )


def told(folders: Iterable[UnseenFolder]) -> Iterator[Unknown]:
    """What is said of the project that has these."""
    listed = sorted(folders, key=lambda each: each.path)
    yield from (each.to_unknown() for each in listed[:_TOLD])
    if listed[_TOLD:]:
        more = len(listed) - _TOLD
        yield Unknown("unreadable", f"Nor were scripts in {more} more folders looked at.")


def concerning(
    assembly: str, sources: Iterable[str], folders: Iterable[UnseenFolder]
) -> Unknown | None:
    """That an assembly with these ``sources`` has scripts in one of ``folders``, or may have."""
    for each in folders:
        below = f"{each.path}/"
        if each.assembly == assembly or any(f"{source}/".startswith(below) for source in sources):
            return each.to_unknown()
    return None
