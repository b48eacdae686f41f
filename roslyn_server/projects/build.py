"""How an assembly was last built, and why it can't be judged by that: the values.

Implements docs/design/roslyn.md §3 "References".
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PureWindowsPath
from typing import Final

from roslyn_server.projects.files import relative_to
from roslyn_server.protocol import SEMANTIC_NOT_CHECKED, NotChecked, NotCheckedReason

EDITOR: Final = "UNITY_EDITOR"
"""What each build for the Editor defines, and no player's."""

EDITORS_SYMBOLS: Final = frozenset((EDITOR, "UNITY_INCLUDE_TESTS"))
"""What the Editor's define; the second one a player's has for its tests alone."""

_PLAYERS = re.compile(r"(?:^Player.*|P(?:Dev)?(?:Dbg)?)\.dag$")


@dataclass(frozen=True, slots=True)
class Build:
    """One assembly's compiler command line.

    ``origin`` is the file that says it; ``stamp`` changes when that file does. ``arguments`` are
    as ``csc`` takes them, relative paths being relative to ``folder``. Of what they say,
    ``references`` are the referenced assemblies' names, ``analyzers`` the libraries that may
    generate sources or have opinions on them. ``sources`` are the scripts that it was made of,
    project-relative, in order. ``fault`` says what keeps the command line from being read, if
    anything does; there are no ``arguments`` then. ``symbols`` are those that it defines,
    ``plugins`` the referenced libraries that lie in the project or in packages, project-relative,
    ``options`` what else it tells the compiler, as :func:`.build_options` has it.
    """

    assembly: str
    origin: Path
    stamp: tuple[int, ...]
    folder: Path
    arguments: tuple[str, ...]
    references: frozenset[str]
    allows_unsafe: bool
    analyzers: tuple[Path, ...]
    sources: tuple[str, ...]
    fault: str | None = None
    symbols: frozenset[str] = field(default=frozenset(), compare=False)
    plugins: frozenset[str] = field(default=frozenset(), compare=False)
    options: tuple[str, ...] = field(default=(), compare=False)

    @property
    def is_players(self) -> bool:
        """Whether Unity made it, and for a player: without what it defines for the Editor."""
        is_unitys = any(each.startswith("UNITY_") for each in self.symbols)
        return EDITOR not in self.symbols and (is_unitys or is_players(self.origin.parent.name))


def is_players(dag: str) -> bool:
    """Whether a dag is of a player's scripts, by its name."""
    return _PLAYERS.search(dag) is not None


class BuildSet:
    """The builds of a project that were read together; the same one while none has changed."""

    def __init__(self, builds: Iterable[Build]) -> None:
        self.by_assembly: Mapping[str, Build] = {build.assembly: build for build in builds}
        """Every build, by its assembly's name."""
        self._by_script: dict[str, Build] = {}
        for build in self.by_assembly.values():
            for script in build.sources:
                self._by_script.setdefault(script, build)

    @cached_property
    def symbols(self) -> frozenset[str]:
        """What any of them defines."""
        return frozenset().union(*(each.symbols for each in self.by_assembly.values()))

    @cached_property
    def common_symbols(self) -> frozenset[str]:
        """What all of them define, but for those that define nothing."""
        defined = [each.symbols for each in self.by_assembly.values() if each.symbols]
        return frozenset.intersection(*defined) if defined else frozenset()

    @cached_property
    def references(self) -> frozenset[str]:
        """What any of them refers to."""
        return frozenset().union(*(each.references for each in self.by_assembly.values()))

    @cached_property
    def plugins(self) -> frozenset[str]:
        """The libraries of the project that any of them refers to."""
        return frozenset().union(*(each.plugins for each in self.by_assembly.values()))

    @cached_property
    def usual_language(self) -> str | None:
        """The version of the language that most of them are told, as an option."""
        options = (option for each in self.by_assembly.values() for option in each.options)
        told = Counter(each for each in options if each.startswith("langversion"))
        return told.most_common(1)[0][0] if told else None

    def build_of(self, script: str) -> Build | None:
        """The build that compiled the script at a project-relative path, if there is one."""
        return self._by_script.get(script)


@dataclass(frozen=True, slots=True)
class Library:
    """A library, and when it was written, in nanoseconds."""

    path: Path
    written_ns: int


@dataclass(frozen=True, slots=True)
class Composition:
    """What an assembly consists of now, which its build can no longer tell alone.

    ``sources`` are the scripts that belong to it, project-relative, in the order in which they are
    compiled; ``generators`` the libraries that make further ones of them, ``analyzers`` those that
    have opinions on them, as they are now.
    """

    build: Build
    sources: tuple[str, ...]
    generators: tuple[Library, ...] = ()
    analyzers: tuple[Library, ...] = ()

    @property
    def is_as_listed(self) -> bool:
        """Whether its build lists just these sources: none has come or gone since."""
        return self.sources == self.build.sources


@dataclass(frozen=True, slots=True)
class Unknown:
    """Why names and types in a script can't be checked, for people."""

    reason: NotCheckedReason
    message: str
    detail: str = ""

    def to_json(self) -> NotChecked:
        """The value as the coverage request answers it."""
        return {
            "code": SEMANTIC_NOT_CHECKED,
            "reason": self.reason,
            "message": self.message,
            "detail": self.detail,
        }


def script_paths(root: Path, paths: Iterable[str]) -> tuple[str, ...]:
    """The scripts that a build names, wherever they lie, as paths from the project's folder."""
    listed = (each.replace("\\", "/") for each in paths)
    return tuple(
        relative_to(root, each) if os.path.isabs(each) else each  # noqa: PTH117 - of many
        for each in listed
    )


_OF_PROJECT = ("Assets/", "Packages/", "Library/PackageCache/")


def plugins_among(references: Iterable[str]) -> frozenset[str]:
    """Those that lie in the project, or in packages, of project-relative paths and others."""
    paths = (each.replace("\\", "/") for each in references)
    return frozenset(each for each in paths if each.startswith(_OF_PROJECT))


def assembly_name(path: str) -> str:
    """The assembly that a reference's file holds: ``Game`` of ``…/Game.ref.dll``."""
    return PureWindowsPath(path).name.removesuffix(".dll").removesuffix(".ref")
