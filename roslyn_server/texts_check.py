"""What can be said of scripts in assemblies whose names and types can't be judged to the full.

Part of docs/design/roslyn.md §3 "The whole project". Their texts are judged by themselves; and
without any build their names together, as far as no library can change what these mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from roslyn_server.compiler.answers import ProjectError
from roslyn_server.compiler.calls import Cancellation
from roslyn_server.compiler.compiled_project import CompiledFrom
from roslyn_server.compiler.texts_alone import TextsAlone
from roslyn_server.projects.builds import Composition
from roslyn_server.projects.project_builds import ProjectBuilds
from roslyn_server.projects.unreadable_scripts import UnreadableScripts


@dataclass(frozen=True, slots=True)
class Texts:
    """What was found in texts, and in how many."""

    errors: list[ProjectError]
    files: int
    named: frozenset[str] = frozenset()
    """The assemblies of which names were judged as well, as far as that goes."""


class TextsCheck:
    """Checks texts of a project; Roslyn must be loaded. Not for two threads at a time."""

    def __init__(self, builds: ProjectBuilds | None, unreadable: UnreadableScripts | None) -> None:
        self._builds = builds
        self._unreadable = unreadable
        self._alone = TextsAlone()

    def of(self, assembly: str) -> tuple[Composition, bool] | None:
        """What is known of an assembly that can't be judged, without scripts that can't be read.

        With it comes whether its symbols are a build's. ``None`` where nothing is known.
        """
        found = self._builds.texts_of(assembly) if self._builds is not None else None
        if found is None or self._unreadable is None:
            return found
        return self._unreadable.readable(found[0]), found[1]

    def check(self, assemblies: Sequence[str], cancellation: Cancellation) -> Texts:
        """What is wrong with the texts of assemblies. Raises ``CancelledError``."""
        found = {name: each for name in assemblies if (each := self.of(name)) is not None}
        errors = [
            each
            for name, (composed, knows) in found.items()
            for each in self._in_texts(name, composed, cancellation, knows_symbols=knows)
        ]
        defined = {name: each for name, (each, knows) in found.items() if not knows}
        in_names, named = self._in_names(defined, {each.assembly for each in errors}, cancellation)
        files = sum(len(each.sources) for each, _ in found.values())
        return Texts([*errors, *in_names], files, named)

    def _in_texts(
        self, name: str, composed: Composition, cancellation: Cancellation, *, knows_symbols: bool
    ) -> list[ProjectError]:
        compiled = compiled_from(name, composed)
        return self._alone.errors(compiled, cancellation, knows_symbols=knows_symbols)

    def _in_names(
        self, asked: Mapping[str, Composition], wrong: Iterable[str], cancellation: Cancellation
    ) -> tuple[list[ProjectError], frozenset[str]]:
        """What is wrong in assemblies that definitions tell of, if no text of theirs is.

        With it come those that were judged.
        """
        if self._builds is None or not asked:
            return [], frozenset()
        known_of = self._builds.known_of_names()
        if not known_of.all_scripts:
            return [], frozenset()
        broken = set(wrong)
        known = dict(asked)
        left = [each for composed in asked.values() for each in composed.build.references]
        while left:
            name = left.pop()
            found = self.of(name) if name not in known else None
            if found is None:
                continue
            known[name] = found[0]
            left += found[0].build.references
            if self._in_texts(name, found[0], cancellation, knows_symbols=False):
                broken.add(name)
        references = {
            name: each.build.references
            for name, each in known.items()
            if not _reaches(name, broken, known)
        }
        errors = self._alone.errors_in_names(
            references,
            cancellation,
            is_only_unity_unknown=known_of.all_but_unity,
            knows_unity=known_of.unity,
        )
        return [each for each in errors if each.assembly in asked], frozenset(
            asked.keys() & references.keys()
        )


def _reaches(name: str, broken: set[str], known: Mapping[str, Composition]) -> bool:
    """Whether an assembly, or one that it refers to by way of others, is among ``broken``."""
    seen: set[str] = set()
    left = [name]
    while left:
        each = left.pop()
        if each in broken:
            return True
        if each in known and each not in seen:
            seen.add(each)
            left += known[each].build.references
    return False


def compiled_from(name: str, composed: Composition) -> CompiledFrom:
    """What the compiler is told of an assembly."""
    build = composed.build
    return CompiledFrom(
        name,
        build.arguments,
        (*build.stamp, *(each.written_ns for each in (*composed.generators, *composed.analyzers))),
        build.folder,
        composed.sources,
        composed.is_as_listed,
        tuple(str(each.path) for each in composed.generators),
        tuple(str(each.path) for each in composed.analyzers),
    )
