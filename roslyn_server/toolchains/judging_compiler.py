"""Which compiler judges a project, and whether Unity compiles that project with an older one.

Part of docs/design/roslyn.md §3 "Toolchains". Of releases that aren't in the table nothing is said.
"""

from __future__ import annotations

from dataclasses import dataclass

from roslyn_server.toolchains.candidates import Discovery, Source
from snippet_engine.project_settings import version_numbers

_FIRST_RELEASES = (((2022, 2), 4), ((2021, 2), 3))
"""From which release on Unity compiles with which major version of Roslyn, up to 6000.5."""

FIRST_OF_NEWER_FLOW = 4
"""The first that finds more values of variables, under whatever version of the language."""

_AFTER = (6000, 6)
"""From this release on it may be another; before the first one it was an older one."""


@dataclass(frozen=True, slots=True)
class JudgingCompiler:
    """A compiler that is hosted.

    ``version`` is Roslyn's; ``origin`` says where it is from; ``editor`` is the version of the
    Editor that has it, empty if none has that was looked for.
    """

    version: str = ""
    origin: str = ""
    editor: str = ""

    def unitys_older(self, editor: str) -> int | None:
        """The major version of Unity's Roslyn in an Editor, if it is known to be an older one."""
        numbers = version_numbers(editor)
        major = self.version.partition(".")[0]
        if numbers is None or numbers[:2] >= _AFTER or editor == self.editor or not major.isdigit():
            return None
        unitys = next((each for first, each in _FIRST_RELEASES if numbers[:2] >= first), 2)
        return unitys if unitys < int(major) else None


def judging_compiler(found: Discovery, version: str) -> JudgingCompiler:
    """The compiler of that version, as it was found."""
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
