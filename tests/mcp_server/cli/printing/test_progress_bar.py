"""A bar, and what of it fits on a terminal."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import hostile_server
import project_server
import pytest
from rich.console import Console
from rich.progress import Progress
from running_server import SCRIPT
from terminal import run_on_terminal
from this_system import command_line, needs_posix

from mcp_server.cli.printing.progress import columns_for
from mcp_server.contract.catalog import CATALOG

PROJECT, JUDGE = (
    command_line([sys.executable, "-S", str(each.__file__)])
    for each in (project_server, hostile_server)
)


@pytest.mark.parametrize("width", [30, 40, 59, 60, 80, 120])
@pytest.mark.parametrize("counts", [True, False])
def test_on_a_narrow_terminal_the_description_gives_way(width: int, counts: bool) -> None:
    shown = io.StringIO()
    console = Console(file=shown, width=width)
    progress = Progress(*columns_for(width, counts=counts), console=console)
    progress.add_task("Assembly-CSharp-Editor-firstpass", total=4000, completed=1000)
    console.print(progress.get_renderable())
    (line,) = shown.getvalue().splitlines()
    assert line.startswith("Asse")
    assert ("1000/4000" if counts else "25%") in line
    assert "0:00:00" in line or "-:--:--" in line  # it has not begun
    assert "…" in line or "firstpass" in line
    assert len(line) <= width


@needs_posix
@pytest.mark.parametrize(
    ("server", "tool", "params"),
    [
        (PROJECT, "check_project", {}),
        (f"{JUDGE} none", "validate_script", {"path": SCRIPT}),
    ],
)
def test_what_asks_a_compiler_shows_that_it_goes_on(
    project: Path, server: str, tool: str, params: dict[str, str]
) -> None:
    def shown(*options: str) -> str:
        call = ("tool", "call", tool, "--json", json.dumps(params), *options)
        return run_on_terminal(*call, cwd=project, stdout_too=False)[1]

    title = CATALOG[tool].title
    assert title in shown("--lsp", server)
    assert title not in shown("--lsp", server, "--quiet")
    assert title not in shown("--lsp", "off")
