"""A Python with which edits are judged wrongly is refused, as ``requires-python`` has it."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from running_server import run_cli

from mcp_server.cli import entry

PYPROJECT = Path(__file__).parents[3] / "pyproject.toml"


def test_it_is_the_one_that_an_installation_requires() -> None:
    required = tomllib.loads(PYPROJECT.read_text())["project"]["requires-python"]
    assert required == ">=" + ".".join(map(str, entry._OLDEST_PYTHON))


@pytest.mark.parametrize("output", ["text", "json"])
def test_an_older_one_is_refused(
    project: Path, monkeypatch: pytest.MonkeyPatch, output: str
) -> None:
    class OldSystem:
        version_info = (3, 11, 4, "final", 0)

        def __getattr__(self, name: str) -> Any:
            return getattr(sys, name)

    monkeypatch.setattr(entry, "sys", OldSystem())
    done = run_cli("--output", output, "tool", "list", cwd=project)
    assert done.returncode == 2
    said = done.stderr if output == "text" else json.loads(done.stdout)["error"]["message"]
    assert "needs Python 3.11.5 or newer: under Python 3.11.4, " in said
