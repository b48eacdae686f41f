"""A small real project, and a watcher of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from watched_scripts import SCRIPT, TEXT, Watched, watching


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A Unity project with one script."""
    folder = tmp_path / "Game"
    for each in ("Assets/Scripts", "Packages", "ProjectSettings", "Library"):
        (folder / each).mkdir(parents=True)
    (folder / SCRIPT).write_bytes(TEXT)
    return folder


@pytest.fixture
def watched(root: Path) -> Iterator[Watched]:
    """Its watcher, once every script is known."""
    with watching(root) as found:
        yield found
