"""The values that describe how an assembly was last built, or why the build can't be used."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PureWindowsPath
from typing import Final

from roslyn_server.protocol import NotChecked, NotCheckedReason

EDITOR: Final = "UNITY_EDITOR"
"""Every Editor build defines it, and no player's build."""

EDITORS_SYMBOLS: Final = frozenset((EDITOR, "UNITY_INCLUDE_TESTS"))
"""Editor builds define both; a player's build has the second for its tests only."""

_PLAYERS = re.compile(r"(?:^Player.*|P(?:Dev)?(?:Dbg)?)\.dag$")


@dataclass(frozen=True, slots=True)
class Build:
    """One assembly's compiler command line."""

    assembly: str
    origin: Path
    """The file that it was read from."""
    stamp: tuple[int, ...]
    """Changes with ``origin``, the files it includes, and those it takes severities from."""
    folder: Path
    """Paths in ``arguments`` are relative to this."""
    arguments: tuple[str, ...]
    """As for ``csc``; none if there is a ``fault``."""
    references: frozenset[str]
    """The names of the referenced assemblies."""
    allows_unsafe: bool
    analyzers: tuple[Path, ...]
    """Libraries with analyzers or generators."""
    sources: tuple[str, ...]
    """The compiled scripts in order, project-relative."""
    fault: str | None = None
    """Why the command line can't be read."""
    symbols: frozenset[str] = field(default=frozenset(), compare=False)
    plugins: frozenset[str] = field(default=frozenset(), compare=False)
    """The referenced libraries in the project or in packages."""
    options: tuple[str, ...] = field(default=(), compare=False)
    """All other options, in normal form."""

    @property
    def language(self) -> str:
        """The language version that the options name, or else ``default``."""
        prefix = "langversion:"
        named = (each.removeprefix(prefix) for each in self.options if each.startswith(prefix))
        return next(reversed([*named]), "default")

    @property
    def api_level(self) -> frozenset[str]:
        """The symbols of .NET's API that it is compiled against, as ``NET_STANDARD``."""
        return frozenset(each for each in self.symbols if each.startswith("NET"))

    @property
    def own_analyzers(self) -> frozenset[str]:
        """The analyzers and generators in the project, project-relative."""
        inside = (each for each in self.analyzers if each.is_relative_to(self.folder))
        return frozenset(each.relative_to(self.folder).as_posix() for each in inside)

    @property
    def is_players(self) -> bool:
        """Whether Unity built it for a player, so without the Editor's symbols."""
        is_unitys = any(each.startswith("UNITY_") for each in self.symbols)
        return EDITOR not in self.symbols and (is_unitys or is_players(self.origin.parent.name))


def is_players(dag: str) -> bool:
    """Return whether a dag's name says that it builds a player's scripts."""
    return _PLAYERS.search(dag) is not None


class BuildSet:
    """All builds of a project, read together; the same object until one changes."""

    def __init__(self, builds: Iterable[Build]) -> None:
        self.by_assembly: Mapping[str, Build] = {build.assembly: build for build in builds}
        self._by_script: dict[str, Build] = {}
        for build in self.by_assembly.values():
            for script in build.sources:
                self._by_script.setdefault(script, build)

    @cached_property
    def symbols(self) -> frozenset[str]:
        """All symbols that any build defines."""
        return frozenset().union(*(each.symbols for each in self.by_assembly.values()))

    @cached_property
    def common_symbols(self) -> frozenset[str]:
        """The symbols that all builds define, ignoring builds without symbols."""
        defined = [each.symbols for each in self.by_assembly.values() if each.symbols]
        return frozenset.intersection(*defined) if defined else frozenset()

    @cached_property
    def references(self) -> frozenset[str]:
        """All assemblies that any build references."""
        return frozenset().union(*(each.references for each in self.by_assembly.values()))

    @cached_property
    def references_of_level(self) -> Mapping[frozenset[str], Counter[str]]:
        """By API level, how many builds reference each assembly; ``""`` counts the builds."""
        found: dict[frozenset[str], Counter[str]] = defaultdict(Counter)
        for each in self.by_assembly.values():
            found[each.api_level].update(("", *each.references))
        return found

    @cached_property
    def plugins(self) -> frozenset[str]:
        """All libraries of the project that any build references."""
        return frozenset().union(*(each.plugins for each in self.by_assembly.values()))

    @cached_property
    def usual_language(self) -> str | None:
        """The ``langversion`` option of most builds."""
        options = (option for each in self.by_assembly.values() for option in each.options)
        versions = Counter(each for each in options if each.startswith("langversion"))
        return versions.most_common(1)[0][0] if versions else None

    def build_of(self, script: str) -> Build | None:
        """Return the build that compiled the script at a project-relative path."""
        return self._by_script.get(script)


@dataclass(frozen=True, slots=True)
class Composition:
    """An assembly's present scripts, generators and analyzers."""

    build: Build
    sources: tuple[str, ...]
    """Its scripts in compilation order, project-relative."""
    generators: tuple[Path, ...] = ()
    """Libraries that generate sources."""
    analyzers: tuple[Path, ...] = ()
    """Libraries that analyze sources."""

    @property
    def is_as_listed(self) -> bool:
        """Whether no script was added or removed since the build."""
        return self.sources == self.build.sources


@dataclass(frozen=True, slots=True)
class Unknown:
    """Why names and types in a script can't be checked: a reason code and a sentence."""

    reason: NotCheckedReason
    message: str
    detail: str = ""
    as_built: Composition | None = field(default=None, compare=False, repr=False)
    """What the assembly would consist of if only its scripts had changed since the last build."""

    def to_json(self) -> NotChecked:
        """Return the JSON object for a coverage's list of what was not checked."""
        return {"reason": self.reason, "message": self.message, "detail": self.detail}


def assembly_name(path: str) -> str:
    """Return the assembly that a reference's file holds: ``Game`` for ``…/Game.ref.dll``."""
    return PureWindowsPath(path).name.removesuffix(".dll").removesuffix(".ref")


def first_few(names: Sequence[str]) -> str:
    """Return the first names for a sentence, and how many more there are."""
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
