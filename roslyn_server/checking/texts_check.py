"""Judge the texts of assemblies whose names and types can't be judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from roslyn_server.compiler.answers import ProjectError
from roslyn_server.compiler.calls import Cancellation
from roslyn_server.compiler.compiled_project import TextsAlone
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

    def __init__(self, builds: ProjectBuilds, unreadable: UnreadableScripts) -> None:
        self._builds = builds
        self._unreadable = unreadable
        self._alone = TextsAlone()

    def of(self, assembly: str) -> tuple[Composition, bool] | None:
        """Return an assembly that can't be judged, without its unreadable scripts.

        Also returns whether its symbols come from a build. ``None`` if nothing is known.
        """
        found = self._builds.texts_of(assembly)
        return found and (self._unreadable.readable(found[0]), found[1])

    def check(self, assemblies: Sequence[str], cancellation: Cancellation) -> Texts:
        """Return the errors in the texts of assemblies."""
        found = [each for name in assemblies if (each := self.of(name)) is not None]
        errors = [
            each
            for composed, knows in found
            for each in self._alone.errors(composed, cancellation, knows_symbols=knows)
        ]
        files = sum(len(each.sources) for each, _ in found)
        return Texts(errors, files)
