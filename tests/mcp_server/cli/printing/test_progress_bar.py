"""A bar, and what of it fits on a terminal."""

from __future__ import annotations

import io
import json
import sys
import threading
from pathlib import Path

import hostile_server
import project_server
import pytest
from rich.console import Console
from rich.progress import Progress
from running_server import SCRIPT, run_cli
from terminal import run_on_terminal
from this_system import command_line, needs_posix

from mcp_server.cli import progress
from mcp_server.cli.commands import check_command
from mcp_server.cli.progress import columns_for
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
    shown_bar = Progress(*columns_for(width, counts=counts), console=console)
    shown_bar.add_task("Assembly-CSharp-Editor-firstpass", total=4000, completed=1000)
    console.print(shown_bar.get_renderable())
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


class _Heard(io.StringIO):
    """A stream that is no terminal, and says when something was written."""

    def __init__(self) -> None:
        super().__init__()
        self.line = threading.Event()

    def flush(self) -> None:
        if self.getvalue():
            self.line.set()


def test_without_a_terminal_a_line_tells_of_what_takes_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = _Heard()
    monkeypatch.setattr(sys, "stderr", stream)
    with progress.progress_bar("Checking", patience_s=0.01):
        assert stream.line.wait(60)
    assert stream.getvalue() == "Checking: still running after 0.01 s.\n"


def test_nothing_tells_where_that_was_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", _Heard())
    monkeypatch.setattr(progress, "Timer", None)
    with progress.progress_bar("Checking", patience_s=0.0, quiet=True):
        pass
    with progress.progress_bar("Bundles"):
        pass


def test_a_check_that_takes_long_says_so(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_command, "_PATIENCE_S", 0.0)
    done = run_cli("check", "--lsp", PROJECT, "--output", "json", cwd=project)
    assert "Checking the project: still running after 0 s." in done.stderr
    assert json.loads(done.stdout)
    done = run_cli("check", "--lsp", PROJECT, "--quiet", cwd=project)
    assert "still running" not in done.stderr
