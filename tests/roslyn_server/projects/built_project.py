"""A project on disk with what its last build left: everything older than that, unless said."""

from __future__ import annotations

import json
import os
from pathlib import Path

from roslyn_server.projects.build import Composition, Unknown
from roslyn_server.projects.project_builds import ProjectBuilds

BUILT_S = 1_700_000_000
ARTIFACTS = "Library/Bee/artifacts/1900b0aE.dag"


class BuiltProject:
    """Writes files, and tells what is known of the assemblies then."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, name: str, content: object, *, when: int = BUILT_S - 60) -> Path:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content)
        file.write_text(text, encoding="utf-8")
        os.utime(file, (when, when))
        return file

    def built(self, assembly: str, *lines: str, refers_to: tuple[str, ...] = ()) -> None:
        """As if that had been the last build."""
        references = (f'-r:"{ARTIFACTS}/{each}.ref.dll"' for each in refers_to)
        text = "\n".join(["-target:library", *references, *lines, ""])
        self.write(f"{ARTIFACTS}/{assembly}.rsp", text)
        self.write("Library/Bee/tundra.log.json", "{}\n", when=BUILT_S)

    def asking(self) -> ProjectBuilds:
        """What is asked, to be asked again."""
        return ProjectBuilds(self.root)

    def sources(self, assembly: str) -> tuple[str, ...]:
        """What an assembly consists of."""
        found = ProjectBuilds(self.root).compositions()
        assert not isinstance(found, Unknown)
        composed = found[assembly]
        assert isinstance(composed, Composition), composed
        return composed.sources

    def unknown(self) -> dict[str, str]:
        """What is said of each assembly that can't be told."""
        found = ProjectBuilds(self.root).compositions()
        assert not isinstance(found, Unknown)
        return {name: each.message for name, each in found.items() if isinstance(each, Unknown)}

    def changes(self) -> list[str]:
        """What is said of the project."""
        return [each.message for each in ProjectBuilds(self.root).changes()]
