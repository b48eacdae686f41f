"""Judge the texts of assemblies whose names and types can't be judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from roslyn_server.compiler.answers import ProjectError
from roslyn_server.compiler.calls import Cancellation
from roslyn_server.compiler.compiled_project import CompilerInput, TextsAlone
from roslyn_server.projects.build import Composition
from roslyn_server.projects.project_builds import ProjectBuilds
from roslyn_server.projects.scripts.unreadable import UnreadableScripts


@dataclass(frozen=True, slots=True)
class Texts:
    """The errors in texts, and the number of files."""

    errors: list[ProjectError]
    files: int


class TextsCheck:
    """Checks texts of a project; Roslyn must be loaded. Not thread-safe."""

    def __init__(self, builds: ProjectBuilds | None, unreadable: UnreadableScripts | None) -> None:
        self._builds = builds
        self._unreadable = unreadable
        self._alone = TextsAlone()

    def of(self, assembly: str) -> tuple[Composition, bool] | None:
        """Return an assembly that can't be judged, without unreadable scripts.

        Also returns whether its symbols come from a build. ``None`` if nothing is known.
        """
        found = self._builds.texts_of(assembly) if self._builds is not None else None
        if found is None or self._unreadable is None:
            return found
        return self._unreadable.readable(found[0]), found[1]

    def check(self, assemblies: Sequence[str], cancellation: Cancellation) -> Texts:
        """Return the errors in the texts of assemblies. Raises ``CancelledError``."""
        found = {name: each for name in assemblies if (each := self.of(name)) is not None}
        errors = [
            each
            for name, (composed, knows) in found.items()
            for each in self._alone.errors(
                compiler_input(name, composed), cancellation, knows_symbols=knows
            )
        ]
        files = sum(len(each.sources) for each, _ in found.values())
        return Texts(errors, files)


def compiler_input(name: str, composed: Composition) -> CompilerInput:
    """Return what the compiler needs to know of an assembly."""
    build = composed.build
    return CompilerInput(
        name,
        build.arguments,
        (*build.stamp, *(each.written_ns for each in (*composed.generators, *composed.analyzers))),
        build.folder,
        composed.sources,
        composed.is_as_listed,
        tuple(str(each.path) for each in composed.generators),
        tuple(str(each.path) for each in composed.analyzers),
    )
