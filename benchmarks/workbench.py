"""A Unity project with one script in a temporary folder, and what is measured on it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tree_sitter
import tree_sitter_c_sharp

from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import SnippetError

SCRIPT = "Assets/Scripts/Generated.cs"
"""The script's project-relative path."""

_LANGUAGE = tree_sitter.Language(tree_sitter_c_sharp.language())


class Workbench:
    """The project below ``root``, an empty folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.script = root / SCRIPT
        self.script.parent.mkdir(parents=True)
        (root / "Packages").mkdir()
        (root / "Packages" / "manifest.json").write_text('{"dependencies": {}}\n')
        (root / "ProjectSettings").mkdir()
        version = root / "ProjectSettings" / "ProjectVersion.txt"
        version.write_text("m_EditorVersion: 2022.3.62f1\n")

    def open_engine(self) -> SnippetEngine:
        """Return a new engine on the project."""
        engine = SnippetEngine.open(self.root)
        if isinstance(engine, SnippetError):
            raise RuntimeError(engine.message)
        return engine

    def edit_cold(self, request: Mapping[str, Any]) -> dict[str, Any] | SnippetError:
        """Make one ``edit_snippet`` with a new engine."""
        return self.open_engine().edit_snippet(request)

    def bare_write(self, data: bytes) -> None:
        """Replace the script as safely as the engine does, with nothing around it."""
        temporary = self.script.with_suffix(".bare")
        with temporary.open("wb", buffering=0) as file:
            file.write(data)
            os.fsync(file.fileno())
        temporary.replace(self.script)
        if os.name != "nt":
            folder = os.open(self.script.parent, os.O_RDONLY)
            os.fsync(folder)
            os.close(folder)


def must_succeed(answer: dict[str, Any] | SnippetError, status: str) -> Mapping[str, Any]:
    """Return the engine's answer with ``status``. Raises ``RuntimeError`` for another."""
    if isinstance(answer, SnippetError) or answer["status"] != status:
        raise RuntimeError(f"expected {status}, got {answer}")
    return answer


def cold_parse(data: bytes) -> None:
    """Parse once with a new parser: the reference of every ratio."""
    tree_sitter.Parser(_LANGUAGE).parse(data)
