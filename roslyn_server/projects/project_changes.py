"""What changed of a project since Unity last built it, besides scripts and definitions.

Part of docs/design/roslyn.md §3 "References": packages that came or went and symbols of the player
settings show in no script, and would be compiled with all the same. Told by what the files hold, as
their times say nothing once they came out of a repository.
"""

from __future__ import annotations

from pathlib import Path

from roslyn_server.projects.builds import Unknown, stamp_of
from roslyn_server.projects.definition_changes import Look, told_symbols
from roslyn_server.projects.package_changes import package_changes
from roslyn_server.projects.project_symbols import SETTINGS
from roslyn_server.projects.symbol_changes import PROFILES, symbol_changes


class ProjectChanges:
    """Looks at the project at ``root``."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._found: tuple[object, tuple[Unknown, ...]] = None, ()

    def since(self, looking: Look, stamps: tuple[object, ...]) -> tuple[Unknown, ...]:
        """What the builds don't know of, each a reason not to believe that all was judged.

        ``stamps`` are those of definitions and of the response files beside them.
        """
        builds, packages = looking.builds, looking.packages
        profiles = sorted((self._root / PROFILES).glob("*.asset"))
        files = (self._root / SETTINGS, self._root / "Assets/csc.rsp", *profiles)
        of = builds, packages, stamps, profiles, tuple(map(stamp_of, files))
        if self._found[0] != of:
            told = told_symbols(looking)
            changes = [
                *package_changes(packages, builds),
                *symbol_changes(self._root, builds, packages, told),
            ]
            self._found = of, tuple(Unknown("references_stale", each) for each in changes)
        return self._found[1]
