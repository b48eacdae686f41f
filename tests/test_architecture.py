"""ARCHITECTURE.md and the guides name what exists; each folder's docstring names its modules."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GUIDES = ("add-a-check", "add-a-client", "add-a-fix-generator", "add-a-tool")
PAGES = ("ARCHITECTURE.md", "CONTRIBUTING.md", *(f"docs/howto/{each}.md" for each in GUIDES))

_PATH = re.compile(r"`([\w.]+/[\w./]*|[\w.]+\.(?:py|md|toml))`")
_IN_PICTURE = re.compile(
    r"(?<![\w/])((?:snippet_engine|mcp_server|unity_bridge|lsp_client|unity_assets)(?:/[\w.]+)*)"
)
PACKAGES = (
    "snippet_engine",
    "mcp_server",
    "lsp_client",
    "unity_bridge",
    "roslyn_server",
    "unity_assets",
)
FOLDERS = [
    file.parent.relative_to(ROOT).as_posix()
    for package in PACKAGES
    for file in sorted((ROOT / package).rglob("__init__.py"))
]

NOT_OURS = ("Packages/", "Library/", ".venv/")
"""Folders of a Unity project, and of the environment, which ``dev.py`` makes."""


@pytest.mark.parametrize("page", PAGES)
def test_every_path_leads_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    paths = {each for each in _PATH.findall(text) if not each.startswith(NOT_OURS)}
    paths |= {each.rstrip(".") for each in _IN_PICTURE.findall(text)}
    assert [each for each in sorted(paths) if not (ROOT / each).exists()] == []


def test_the_architecture_is_an_overview() -> None:
    page = ROOT / "ARCHITECTURE.md"
    assert page.stat().st_size <= 12 * 1024
    assert len(_PATH.findall(page.read_text(encoding="utf-8"))) > 15


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_docstring_of_a_folder_names_its_modules(folder: str) -> None:
    tree = ast.parse((ROOT / folder / "__init__.py").read_text(encoding="utf-8"))
    docstring = ast.get_docstring(tree)
    assert docstring is not None
    modules = {file.stem for file in (ROOT / folder).glob("*.py")} - {"__init__", "__main__"}
    assert [each for each in sorted(modules) if not re.search(rf"\b{each}\b", docstring)] == []
