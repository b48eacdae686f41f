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
from dataclasses import dataclass
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

PROJECT = Path(__file__).parents[1] / "fixtures" / "unity-project"
WIDTH = 108
SCRIPT = "Assets/Scripts/Player.cs"


EDIT = ("unity-cli", "edit", SCRIPT, "--replace", "speed > 10", "--with", "speed > maxSpeed")
COMMANDS = (("unity-cli", "symbols", SCRIPT), EDIT, (*EDIT, "--apply"), ("unity-cli", "undo"))


@dataclass(frozen=True, slots=True)
class Typed:
    """One command, and what the terminal showed of it, with its colours."""

    command: str
    shown: str


def record() -> list[Typed]:
    """Run the commands in a copy of the example project."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "game"
        shutil.copytree(PROJECT, project)
        return [Typed(shlex.join(each), _on_terminal(each, project)) for each in COMMANDS]


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


def _on_terminal(command: tuple[str, ...], cwd: Path) -> str:
    """What a command shows on a terminal; raises ``CalledProcessError`` if it fails."""
    import pty

    ours, theirs = pty.openpty()
    shown: list[bytes] = []

    def read() -> None:
        try:
            while chunk := os.read(ours, 65536):
                shown.append(chunk)
        except OSError:  # how Linux says that the other end is closed
            return

    kept = {k: v for k, v in os.environ.items() if not k.startswith("UNITY_CLI_")}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**kept, "PATH": path, "TERM": "xterm-256color", "COLUMNS": str(WIDTH)}
    environment.pop("NO_COLOR", None)
    reader = threading.Thread(target=read)
    try:
        with subprocess.Popen(
            command,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=theirs,
            env=environment,
        ) as process:
            os.close(theirs)
            reader.start()
            process.wait()
            reader.join()
    finally:
        os.close(ours)
    text = b"".join(shown).decode().replace("\r\n", "\n")
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command, text)
    return text
