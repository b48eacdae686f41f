"""``python -m tests.bench``, with a script, and on a machine without Mono."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from running_server import TIMEOUT_S, environment, free_port

from tests.bench.toolchains import ROOT


def bench(*arguments: str, typed: str = "", path: str | None = None) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench", "--port", str(free_port()), *arguments],
        cwd=ROOT,
        env=environment() if path is None else environment(PATH=path),
        input=typed,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_a_script_and_then_what_is_typed(on_mono: object, tmp_path: Path) -> None:
    script = tmp_path / "script.txt"
    script.write_text("# first\nlog error From the script\ncompile 10\nwait reloaded\n")
    options = ("--script", str(script), "--project", str(tmp_path / "project"))
    code, out, _ = bench(*options, typed="log warning Typed\nnonsense\nquit\n")
    assert code == 0
    assert "[error] From the script" in out
    assert "There is no command 'nonsense'. Type: help" in out
    assert out.index("-- reloaded") < out.index("[warning] Typed") < out.index("-- quit clean=True")


def test_without_mono_it_says_what_to_install(tmp_path: Path) -> None:
    code, _, problem = bench(path=str(tmp_path))
    assert code == 2
    assert problem.strip().startswith("Mono is not installed.")
    assert "mono-devel" in problem
    assert "--runtime coreclr" in problem
    assert "Traceback" not in problem


def test_a_script_that_is_not_there(on_mono: object, tmp_path: Path) -> None:
    code, _, problem = bench("--script", str(tmp_path / "none"))
    assert code == 2
    assert "none" in problem
    assert "Traceback" not in problem
