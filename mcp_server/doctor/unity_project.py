"""The Unity project, and our package in it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import unity_bridge
from mcp_server.doctor.check import Check
from mcp_server.local_tools import LocalTools

PACKAGE_NAME = "com.unitysnippet.mcp"
_SHIPPED = Path(unity_bridge.__file__).parent / "unity_package"
_EDITOR_VERSION = re.compile(r"^m_EditorVersion:\s*(\S+)", re.MULTILINE)
_NO_PROJECT = "Run this below a folder with Assets/ and ProjectSettings/, or give --project PATH."


def check_project(project: Path | None) -> list[Check]:
    """Whether the script tools can work in the project."""
    if project is None:
        return [Check("Unity project", False, "none was found", _NO_PROJECT, required=True)]
    unusable = LocalTools(project).open()
    if unusable is not None:
        return [
            Check("Unity project", False, unusable.message, _NO_PROJECT, required=True),
        ]
    editor = _EDITOR_VERSION.search(_text(project / "ProjectSettings" / "ProjectVersion.txt"))
    made_with = f"Unity {editor[1]}" if editor else "of an unknown Unity version"
    return [Check("Unity project", True, f"{project} ({made_with})", required=True)]


def check_package(project: Path | None) -> list[Check]:
    """Whether the project has our package, in the version that this installation ships."""
    name = "Unity package"
    if project is None:
        return [Check(name, False, "no project to look in", _NO_PROJECT)]
    shipped = _version(_SHIPPED)
    install = f"unity-cli plugin install --project {project}"
    embedded = _version(project / "Packages" / PACKAGE_NAME)
    if embedded is None:
        source = _dependency(project)
        if source is not None:
            return [Check(name, True, f"{PACKAGE_NAME} from {source}")]
        return [Check(name, False, f"{PACKAGE_NAME} is not in the project", install)]
    if shipped is not None and embedded != shipped:
        return [Check(name, False, f"{embedded} is installed, {shipped} is shipped", install)]
    return [Check(name, True, f"{PACKAGE_NAME} {embedded}")]


def _version(folder: Path) -> str | None:
    """The version of the package in ``folder``; ``None`` if there is none."""
    document = _document(folder / "package.json")
    found = document.get("version") if document.get("name") == PACKAGE_NAME else None
    return found if isinstance(found, str) else None


def _dependency(project: Path) -> str | None:
    """Where the project's manifest gets our package from, if it does."""
    dependencies = _document(project / "Packages" / "manifest.json").get("dependencies")
    found = dependencies.get(PACKAGE_NAME) if isinstance(dependencies, Mapping) else None
    return found if isinstance(found, str) else None


def _document(file: Path) -> Mapping[str, Any]:
    try:
        document = json.loads(_text(file))
    except ValueError:
        return {}
    return document if isinstance(document, Mapping) else {}


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig", errors="replace")
    except OSError:
        return ""
