"""axe-core, which finds what keeps people from using a page."""

from __future__ import annotations

from pathlib import Path

import pytest
from npm_packages import npm_packages


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> str:
    """The script of axe-core, got by npm."""
    base = tmp_path_factory.getbasetemp()
    folder = Path(base if worker_id == "master" else base.parent) / "axe"
    return (npm_packages(folder, "axe-core@4") / "axe-core" / "axe.min.js").read_text("utf-8")
