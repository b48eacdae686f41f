"""What can be said of scripts in assemblies whose names and types can't be judged to the full.

Part of docs/design/roslyn.md §3 "The whole project". Their texts are judged by themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from roslyn_server.compiler.answers import ProjectError
from roslyn_server.compiler.calls import Cancellation
from roslyn_server.compiler.compiled_project import CompiledFrom, TextsAlone
from roslyn_server.projects.build import Composition
from roslyn_server.projects.project_builds import ProjectBuilds
from roslyn_server.projects.scripts.unreadable import UnreadableScripts


@dataclass(frozen=True, slots=True)
class Texts:
    """What was found in texts, and in how many."""

    errors: list[ProjectError]
    files: int


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
            for each in self._alone.errors(
                compiled_from(name, composed), cancellation, knows_symbols=knows
            )
        ]
        files = sum(len(each.sources) for each, _ in found.values())
        return Texts(errors, files)


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
