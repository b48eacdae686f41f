"""The quickstart's part on the bench, run as printed, but for a port that is free."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from running_server import TIMEOUT_S, environment, free_port

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

    def shows(self, words: str) -> None:
        with self._printed:
            seen = self._printed.wait_for(lambda: words in "".join(self._lines), TIMEOUT_S)
        assert seen, f"no {words!r} in:\n{''.join(self._lines)}"

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


def test_three_terminals(on_mono: object, tmp_path: Path) -> None:
    (_, serve), (_, bench), (kind, typed), (_, calls), (kind_too, broken), (_, compiles) = blocks()
    assert (kind, kind_too) == ("text", "text")
    port = free_port()
    server = Terminal(f"{serve.strip()} --port {port}")
    editor = Terminal(f"{bench.strip()} --port {port} --project {tmp_path}")

    def call(line: str) -> tuple[int, str]:
        command = line.replace("tool call", f"tool call --url http://127.0.0.1:{port}/mcp")
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            env=environment(PATH=str(Path(sys.executable).parent) + ":" + os.environ["PATH"]),
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    try:
        server.shows("unity_hello")
        editor.types(typed)
        editor.shows("-- reloaded")
        answers = [call(line) for line in calls.strip().splitlines()]
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
