"""A picture of a terminal session: commands that are really run, on a terminal of their own."""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

PROJECT = Path(__file__).parents[1] / "fixtures" / "unity-project"
WIDTH = 108
SCRIPT = "Assets/Scripts/Player.cs"
EDIT = ("unity-cli", "edit", SCRIPT, "--replace", "if (amount < 0) return health;")
EDIT = (*EDIT, "--with", "if (amount < 0 || !IsAlive) return health;", "--apply")
"""An edit of a line that was remembered wrongly: the script has ``<=``."""


@dataclass(frozen=True, slots=True)
class Typed:
    """One command, and what the terminal showed of it, with its colours."""

    command: str
    shown: str


def record() -> list[Typed]:
    """Run an edit that is refused, the request that it offers, and the undo, in a copy."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "game"
        shutil.copytree(PROJECT, project)
        refused = _type(EDIT, project, exit_code=1)
        offer = re.search(
            r"^offer 1 [^\n]*?: (\{.*\})$", _without_colours(refused.shown), re.MULTILINE
        )
        if offer is None:
            raise ValueError(f"no request is offered: {refused.shown}")
        applied = _type(("unity-cli", "tool", "call", "edit_snippet", "--json", offer[1]), project)
        return [refused, applied, _type(("unity-cli", "undo"), project)]


def _type(command: tuple[str, ...], project: Path, exit_code: int = 0) -> Typed:
    return Typed(shlex.join(command), on_terminal(command, project, exit_code))


def _without_colours(shown: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", shown)


def _environment() -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("UNITY_CLI_")}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**kept, "PATH": path, "TERM": "xterm-256color", "COLUMNS": str(WIDTH)}
    environment.pop("NO_COLOR", None)
    return environment


@contextmanager
def background(command: tuple[str, ...], cwd: Path) -> Iterator[None]:
    """Run a command until the block ends."""
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, cwd=cwd, stdout=quiet, stderr=quiet, env=_environment()) as run:
        try:
            yield
        finally:
            run.terminate()


def session_svg(typed: list[Typed]) -> str:
    """The session as a picture that needs nothing from elsewhere."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    for each in typed:
        console.print(Text.assemble(("$ ", "bold green"), (each.command, "bold")))
        console.print(Text.from_ansi(each.shown.rstrip()))
        console.print()
    plain = re.sub(r"@font-face \{\{.*?\}\}", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    svg = console.export_svg(
        title="unity-cli", theme=MONOKAI, code_format=plain, unique_id="session"
    )
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


def on_terminal(command: tuple[str, ...], cwd: Path, exit_code: int) -> str:
    """Return what a command shows on a terminal.

    Raises ``CalledProcessError`` if it ends with another exit code.
    """
    import pty

    ours, theirs = pty.openpty()
    shown: list[bytes] = []

    def read() -> None:
        try:
            while chunk := os.read(ours, 65536):
                shown.append(chunk)
        except OSError:  # how Linux says that the other end is closed
            return

    reader = threading.Thread(target=read)
    try:
        with subprocess.Popen(
            command,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=theirs,
            env=_environment(),
        ) as process:
            os.close(theirs)
            reader.start()
            process.wait()
            reader.join()
    finally:
        os.close(ours)
    text = b"".join(shown).decode().replace("\r\n", "\n")
    if process.returncode != exit_code:
        raise subprocess.CalledProcessError(process.returncode, command, text)
    return text
