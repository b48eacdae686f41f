"""The quickstart's part on the bench, run as printed, but for the project's folder.

Nobody chooses a port: where another server has the usual one, the Editor finds its own.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from running_server import TIMEOUT_S, environment

from mcp_server.calls.server.server_file import DEFAULT_PORT
from tests.bench.toolchains import ROOT

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


def blocks() -> list[tuple[str, str]]:
    text = (ROOT / "quickstart.md").read_text(encoding="utf-8")
    part = text[text.index("## The Editor's tools, without Unity") :]
    return re.findall(r"^```(sh|text)\n(.*?)^```$", part, re.DOTALL | re.MULTILINE)


class Terminal:
    """A terminal with a command in it; what it prints can be awaited."""

    def __init__(self, command: str) -> None:
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        self.process = subprocess.Popen(
            ["bash", "-c", f"exec {command.strip()}"],
            cwd=ROOT,
            env=environment(PATH=path),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._lines: list[str] = []
        self._printed = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def shows(self, words: str, times: int = 1) -> None:
        with self._printed:
            seen = self._printed.wait_for(
                lambda: "".join(self._lines).count(words) >= times, TIMEOUT_S
            )
        assert seen, f"no {words!r}, {times} times, in:\n{''.join(self._lines)}"

    def types(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._printed:
                self._lines.append(line)
                self._printed.notify_all()


def in_project(command: str, project: Path) -> str:
    """``command`` with the test's project in the place of the one in the clone."""
    assert "build/bench-project" in command
    return command.replace("build/bench-project", str(project))


def test_three_terminals(on_mono: object, tmp_path: Path) -> None:
    (_, bench), (_, serve), (kind, typed), (_, calls), (kind_too, broken), (_, compiles) = blocks()
    assert (kind, kind_too) == ("text", "text")
    with socket.socket() as stranger:  # nobody's, unless somebody else has that port already
        with suppress(OSError):
            stranger.bind(("127.0.0.1", DEFAULT_PORT))
        three_terminals(bench, serve, typed, calls, broken, compiles, tmp_path / "project")


def three_terminals(
    bench: str, serve: str, typed: str, calls: str, broken: str, compiles: str, project: Path
) -> None:
    editor = Terminal(f"{bench.strip()} --project {project}")
    editor.shows("Type a command")
    server = Terminal(in_project(serve, project))
    to_there, *lines = calls.strip().splitlines()

    def call(line: str) -> tuple[int, str]:
        done = subprocess.run(
            ["bash", "-c", f"{in_project(to_there, project)} && {line}"],
            cwd=ROOT,
            env=environment(PATH=str(Path(sys.executable).parent) + ":" + os.environ["PATH"]),
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    try:
        server.shows("The Unity Editor is connected")
        editor.types(typed)
        editor.shows("-- reloaded")
        server.shows("The Unity Editor is connected", times=2)  # it connects anew
        answers = [call(line) for line in lines]
        (_, state), (_, console), (tests_code, tests), (play_code, _) = answers
        assert "ready" in state
        assert "Score is null" in console
        assert "CS0168" in console
        assert "Game.HealthTests.DiesAtZero" in tests
        assert (tests_code, play_code) == (1, 0), answers
        editor.types(broken)
        code, compiled = call(compiles.strip())
        assert code == 1
        assert "Assets/Scripts/Player.cs:12:9: error CS0103: The name 'speed'" in compiled
        editor.types("edited\n")
        code, compiled = call(compiles.strip())
        assert (code, compiled.partition(",")[0]) == (0, "compiled Assembly-CSharp")
        editor.types("quit\n")
        assert editor.process.wait(TIMEOUT_S) == 0
    finally:
        for terminal in (editor, server):
            if terminal.process.poll() is None:
                terminal.process.kill()
                terminal.process.wait(TIMEOUT_S)
