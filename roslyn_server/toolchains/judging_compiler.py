"""Name the compiler that judges a project, and whether Unity's own is older.

Releases that aren't in the table count as unknown.
"""

from __future__ import annotations

from dataclasses import dataclass

from roslyn_server.toolchains.candidates import Discovery, Source
from snippet_engine.project_settings import version_numbers

_FIRST_RELEASES = (((2022, 2), 4), ((2021, 2), 3))
"""First Unity release with each major version of Roslyn, up to 6000.5."""

FIRST_OF_NEWER_FLOW = 4
"""The first version that finds more variables assigned, in any language version."""

_AFTER = (6000, 6)
"""From this release on Unity's compiler is unknown."""


@dataclass(frozen=True, slots=True)
class JudgingCompiler:
    """The Roslyn that judges a project."""

    version: str = ""
    """Roslyn's version."""
    origin: str = ""
    """The name of the installation that it was found in."""
    editor: str = ""
    """The version of the Unity Editor that contains it; empty if none does."""

    def unitys_older(self, editor: str) -> int | None:
        """Return the major version of that Editor's Roslyn, if it is surely older than this one."""
        numbers = version_numbers(editor)
        major = self.version.partition(".")[0]
        if numbers is None or numbers[:2] >= _AFTER or editor == self.editor or not major.isdigit():
            return None
        unitys = next((each for first, each in _FIRST_RELEASES if numbers[:2] >= first), 2)
        return unitys if unitys < int(major) else None


def judging_compiler(found: Discovery, version: str) -> JudgingCompiler:
    """Return the chosen compiler with its ``version``, and where it was found."""
    chosen = found.chosen
    if chosen is None or chosen.toolchain is None:
        return JudgingCompiler(version)
    own = (
        each.name.removeprefix("Unity ")
        for each in found.candidates
        if each.source is Source.UNITY_EDITOR
        and each.toolchain is not None
        and each.toolchain.roslyn_dir == chosen.toolchain.roslyn_dir
    )
    return JudgingCompiler(version, chosen.name, next(own, ""))
