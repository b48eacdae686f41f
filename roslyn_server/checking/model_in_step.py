"""The compiler's model of a project, brought in step with the disk before each question."""

from __future__ import annotations

from roslyn_server.checking.texts_check import compiler_input
from roslyn_server.compiler.compiled_project import Project
from roslyn_server.projects.build import Composition
from roslyn_server.projects.files import ScriptStamps
from roslyn_server.projects.project_builds import Compositions


class ModelInStep:
    """One model, and the stamps of what it was made from."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._scripts = ScriptStamps()
        self._libraries = ScriptStamps(is_time_enough=True)
        self._given = ScriptStamps()
        self._inputs: tuple[list[str], list[str]] = [], []
        """The paths of libraries, and of what else assemblies are given."""
        self._compositions: Compositions = {}
        """What the model was last given."""

    def update(self, known: Compositions) -> None:
        """Set what the project consists of, and tell which files may have changed."""
        if known is not self._compositions:
            self.project.set_assemblies(
                [
                    compiler_input(name, each)
                    for name, each in known.items()
                    if isinstance(each, Composition)
                ]
            )
            self._compositions = known
            self._inputs = self.project.inputs()
            self._given.possibly_changed(self._inputs[1])
        composed = [each for each in known.values() if isinstance(each, Composition)]
        scripts = {f"{each.build.folder}/{path}" for each in composed for path in each.sources}
        libraries, given = self._inputs
        changed = self._given.possibly_changed(given)
        self.project.mark_changed(
            self._scripts.possibly_changed(scripts),
            self._libraries.possibly_changed(libraries),
            changed,
        )
        if changed:
            self._inputs = self.project.inputs()
