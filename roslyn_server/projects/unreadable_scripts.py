"""Scripts that are there and that this user can't read: nothing can be said of what is in them.

Part of docs/design/roslyn.md §3 "The whole project". They are looked for once the compiler failed
to read one, as asking the system about every script would take its time before each answer; those
that were found are tried again each time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from roslyn_server.projects.builds import (
    Composition,
    Unknown,
    is_gone,
    plain_bytes,
    why_unreadable,
)
from snippet_engine.source_text import MAX_FILE_BYTES
from snippet_engine.storage.os_failure import reason_of

REASON: Final = "unreadable"

_NAMES = "Names and types were not checked"


class UnreadableScripts:
    """The unreadable scripts of the project at ``root``, as far as they are known."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: Mapping[str, str] = {}
        """Why, by the project-relative path."""
        self._left: tuple[object, list[str], Mapping[str, Composition | Unknown]] = None, [], {}

    def look(self, scripts: Iterable[str]) -> bool:
        """Look at all of ``scripts``; whether others can't be read than was known."""
        before, self._known = self._known, self._among(scripts)
        return self._known.keys() != before.keys()

    def without(
        self, known: Mapping[str, Composition | Unknown]
    ) -> Mapping[str, Composition | Unknown]:
        """``known``, but for the assemblies that have such scripts, and what refers to those.

        The same mapping as long as nothing has changed.
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
        """What an assembly consists of without such scripts."""
        sources = tuple(each for each in composed.sources if each not in self._known)
        return replace(composed, sources=sources)

    def _unknown(self, known: Mapping[str, Composition | Unknown]) -> dict[str, Unknown]:
        composed = {name: each for name, each in known.items() if isinstance(each, Composition)}
        every = {name: self.among(each.sources) for name, each in composed.items()}
        found = {name: each for name, each in every.items() if each is not None}
        following = dict(found)
        while following:  # nor what refers to it: its library may be of an older text
            causes = {
                name: next((at for at in following if at in each.build.references), None)
                for name, each in composed.items()
                if name not in found
            }
            following = {
                name: Unknown(REASON, f"{_NAMES}: nor were those in {cause}, which it refers to.")
                for name, cause in causes.items()
                if cause is not None
            }
            found |= following
        return found

    def among(self, sources: Iterable[str]) -> Unknown | None:
        """That some of an assembly's ``sources`` can't be read, if it is so."""
        lacking = [each for each in sources if each in self._known]
        if not lacking:
            return None
        more = f", and {len(lacking) - 1} more" if lacking[1:] else ""
        why = f"{lacking[0]} can't be read ({self._known[lacking[0]]}){more}"
        return Unknown(REASON, f"{_NAMES}: {why}.")

    def _among(self, scripts: Iterable[str]) -> dict[str, str]:
        found = {}
        for script in sorted(set(scripts)):
            why = _why_unread(self._root / script)
            if why is not None:
                found[script] = why
        return found


def _why_unread(script: Path) -> str | None:
    """Why the compiler read none of it; it opens no larger ones, ``MaxBytes`` of ``sources.cs``."""
    why = why_unreadable(script)
    if why is not None or is_gone(script):
        return why
    try:  # a disk tells that it fails only as it is read
        is_larger = len(plain_bytes(script, MAX_FILE_BYTES + 1)) > MAX_FILE_BYTES
    except OSError as error:
        return reason_of(error).lower()
    return f"larger than {MAX_FILE_BYTES // 1024**2} MB" if is_larger else None
