"""ARCHITECTURE.md and the guides for developers name files and folders that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GUIDES = ("add-a-check", "add-a-client", "add-a-fix-generator", "add-a-tool")
PAGES = ("ARCHITECTURE.md", "CONTRIBUTING.md", *(f"docs/howto/{each}.md" for each in GUIDES))

_PATH = re.compile(r"`([\w.]+/[\w./]*|[\w.]+\.(?:py|md|toml))`")
_IN_PICTURE = re.compile(
    r"(?<![\w/])((?:snippet_engine|mcp_server|unity_bridge|lsp_client)(?:/[\w.]+)*)"
)
IN_PROJECTS = ("Packages/", "Library/")
"""Folders of a Unity project."""


@pytest.mark.parametrize("page", PAGES)
def test_every_path_leads_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    paths = {each for each in _PATH.findall(text) if not each.startswith(IN_PROJECTS)}
    paths |= {each.rstrip(".") for each in _IN_PICTURE.findall(text)}
    assert [each for each in sorted(paths) if not (ROOT / each).exists()] == []


def test_the_architecture_is_an_overview() -> None:
    page = ROOT / "ARCHITECTURE.md"
    assert page.stat().st_size <= 12 * 1024
    assert len(_PATH.findall(page.read_text(encoding="utf-8"))) > 15
