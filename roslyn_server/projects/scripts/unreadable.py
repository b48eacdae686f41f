"""Name the folders and scripts that can't be read.

Such a folder may have scripts that change the meaning of others. So their assemblies can't be
judged either.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from roslyn_server.projects.build import Composition, Unknown
from roslyn_server.projects.files import is_missing, plain_bytes, why_unreadable
from snippet_engine.source_text import MAX_FILE_BYTES
from snippet_engine.storage.os_failure import reason_of

UNCERTAIN = "has a name that Unity may or may not compile scripts under"
"""A predicate for a folder."""

_TOLD = 20
"""Maximum number of such folders to report one by one."""


@dataclass(frozen=True, slots=True)
class UnreadableFolder:
    """A folder, or single script, that couldn't be read."""

    path: str
    """Project-relative."""
    assembly: str
    """The assembly of its scripts, unless it has a definition of its own; ``""`` for none."""
    why: str
    """The reason."""

    def to_unknown(self) -> Unknown:
        """Return the reason, for the project or for an assembly that may have scripts there."""
        if self.path.lower().endswith(".cs"):
            return Unknown(
                "unreadable", f"Not everything was checked: {self.path} can't be read ({self.why})."
            )
        fault = self.why if self.why == UNCERTAIN else f"can't be looked into ({self.why})"
        what = f"{self.path} {fault}"
        return Unknown(
            "unreadable",
            f"Scripts there were not checked: {what}. Give this user access, and check again."
            if self.why.startswith(_OF_RIGHTS)
            else f"Scripts there were not checked: {what}.",
        )


_OF_RIGHTS = ("permission denied", "operation not permitted", "access is denied")


def unreadable_project(root: Path, error: OSError) -> Unknown:
    """Return the reason why nothing in the project at ``root`` could be checked."""
    name = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else ""
    path = Path(os.path.abspath(name)) if name else root  # noqa: PTH100 - no link is followed
    shown = path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
    what = "the project" if path == root else shown
    why = reason_of(error).lower()
    return Unknown(
        "unreadable",
        f"Nothing was checked: {what} can't be read ({why}). Give this user access, and check "
        "again.",
    )


def reasons_for(folders: Iterable[UnreadableFolder]) -> Iterator[Unknown]:
    """Yield the reasons for all unreadable folders."""
    listed = sorted(folders, key=lambda each: each.path)
    yield from (each.to_unknown() for each in listed[:_TOLD])
    if listed[_TOLD:]:
        more = len(listed) - _TOLD
        yield Unknown("unreadable", f"Scripts in {more} more folders were not checked either.")


def reason_for(
    assembly: str, sources: Iterable[str], folders: Iterable[UnreadableFolder]
) -> Unknown | None:
    """Return the reason if an assembly with these ``sources`` may have scripts in ``folders``."""
    for each in folders:
        below = f"{each.path}/"
        if each.assembly == assembly or any(f"{source}/".startswith(below) for source in sources):
            return each.to_unknown()
    return None


REASON: Final = "unreadable"

_NAMES = "Names and types were not checked"


class UnreadableScripts:
    """Scripts of the project at ``root`` that this user can't read.

    They are searched for only once the compiler has failed to read one, because asking about every
    script takes time. Those found are tried again each time.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: Mapping[str, str] = {}
        """The reason, by project-relative path."""
        self._left: tuple[object, list[str], Mapping[str, Composition | Unknown]] = None, [], {}

    def search(self, scripts: Iterable[str]) -> bool:
        """Look at all of ``scripts``; return whether the set of unreadable ones changed."""
        before, self._known = self._known, self._among(scripts)
        return self._known.keys() != before.keys()

    def mark_unknown(
        self, known: Mapping[str, Composition | Unknown]
    ) -> Mapping[str, Composition | Unknown]:
        """Return ``known`` with each assembly that can't be read in full marked unknown.

        Marks assemblies that reference one of these, too. Returns the same mapping until something
        changes.
        """
        if self._known:
            self._known = self._among(self._known)
        if not self._known:
            return known
        names = list(self._known)
        if self._left[0] is not known or self._left[1] != names:
            self._left = known, names, {**known, **self._unknown(known)}
        return self._left[2]

    def readable(self, composed: Composition) -> Composition:
        """Return an assembly without its unreadable scripts."""
        sources = tuple(each for each in composed.sources if each not in self._known)
        return replace(composed, sources=sources)

    def _unknown(self, known: Mapping[str, Composition | Unknown]) -> dict[str, Unknown]:
        composed = {name: each for name, each in known.items() if isinstance(each, Composition)}
        every = {name: self.reason_for(each.sources) for name, each in composed.items()}
        found = {name: each for name, each in every.items() if each is not None}
        following = dict(found)
        while following:  # mark dependents too: the library may be built from an older text
            causes = {
                name: next((at for at in following if at in each.build.references), None)
                for name, each in composed.items()
                if name not in found
            }
            following = {
                name: Unknown(
                    REASON, f"{_NAMES}: it refers to {cause}, which was not checked either."
                )
                for name, cause in causes.items()
                if cause is not None
            }
            found |= following
        return found

    def reason_for(self, sources: Iterable[str]) -> Unknown | None:
        """Return the reason if some of an assembly's ``sources`` can't be read."""
        unread = [each for each in sources if each in self._known]
        if not unread:
            return None
        more = f", and {len(unread) - 1} more" if unread[1:] else ""
        why = f"{unread[0]} can't be read ({self._known[unread[0]]}){more}"
        return Unknown(REASON, f"{_NAMES}: {why}.")

    def _among(self, scripts: Iterable[str]) -> dict[str, str]:
        found = {}
        for script in sorted(set(scripts)):
            why = _why_unread(self._root / script)
            if why is not None:
                found[script] = why
        return found


def _why_unread(script: Path) -> str | None:
    """Return why the compiler can't read a script; it opens none above ``MaxBytes`` of
    ``sources.cs``."""
    why = why_unreadable(script)
    if why is not None or is_missing(script):
        return why
    try:  # a failing disk shows only when read
        is_larger = len(plain_bytes(script, MAX_FILE_BYTES + 1)) > MAX_FILE_BYTES
    except OSError as error:
        return reason_of(error).lower()
    return f"larger than {MAX_FILE_BYTES // 1024**2} MB" if is_larger else None
