"""A picture of a terminal session: commands that are really run, on a terminal of their own."""

from __future__ import annotations

import io
import json
import os
import re
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


def _edit(mode: str) -> str:
    anchor = {"type": "text", "target": "speed > 10"}
    instruction = {"operation": "replace", "anchor": anchor, "newText": "speed > maxSpeed"}
    return json.dumps({"path": SCRIPT, "mode": mode, "instructions": [instruction]})


FILES = {
    "preview.json": _edit("preview"),
    "apply.json": _edit("apply"),
}
"""What the commands read."""

UNDO = "undo.json"
COMMANDS = (
    ("cat", "preview.json"),
    ("unity-cli", "tool", "call", "edit_snippet", "--params-file", "preview.json"),
    ("unity-cli", "tool", "call", "edit_snippet", "--params-file", "apply.json"),
    ("unity-cli", "tool", "call", "undo_snippet", "--params-file", UNDO),
)


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
        for name, text in FILES.items():
            (project / name).write_text(text + "\n", encoding="utf-8")
        typed: list[Typed] = []
        for command in COMMANDS:
            shown = _on_terminal(command, project)
            typed.append(Typed(" ".join(command), shown))
            after = re.search(r"hashAfter +(sha256:[0-9a-f]{64})", shown)
            if after is not None:
                undo = {"path": SCRIPT, "hashAfter": after[1]}
                (project / UNDO).write_text(json.dumps(undo), encoding="utf-8")
        return typed


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
