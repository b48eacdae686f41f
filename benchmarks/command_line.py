"""Measure a whole ``unity-cli tool call edit_snippet`` process, cold.

Its bytecode is on disk, as an ordinary install leaves it; nothing else is kept between runs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.edit_sites import edit_request, sites_of
from benchmarks.generated_csharp import csharp_of_lines
from benchmarks.measuring import Samples, Spread, repeat
from benchmarks.workbench import SCRIPT, Workbench


@dataclass(frozen=True)
class CommandLineFigures:
    """Wall time of one process, in milliseconds; ``interpreter_ms`` is ``python -c pass``.

    ``ratio`` is that of the one to the other, with its quartiles.
    """

    lines: int
    median_ms: float
    p90_ms: float
    interpreter_ms: float
    ratio: Spread
    rounds: int


def measure_command_line(bench: Workbench, *, lines: int, rounds: int) -> CommandLineFigures:
    """Preview one edit of a file of ``lines`` lines, a new process each time."""
    text = csharp_of_lines(lines)
    bench.script.write_text(text, encoding="utf-8", newline="")
    params = json.dumps(edit_request(SCRIPT, "preview", sites_of(text)[:1], 7))
    unity_cli = Path(sysconfig.get_path("scripts")) / "unity-cli"
    call: Sequence[str | Path] = [
        unity_cli,
        "--project",
        bench.root,
        "tool",
        "call",
        "edit_snippet",
        "--json",
        params,
    ]
    nothing = [sys.executable, "-c", "pass"]
    samples = Samples()

    def one_round(_: int) -> None:
        samples.timed("interpreter", _run, nothing)
        samples.timed("unity-cli", _run, call)

    _run(call)
    repeat(one_round, seconds=0, at_least=rounds, at_most=rounds)
    return CommandLineFigures(
        lines=lines,
        median_ms=samples.median_ms("unity-cli"),
        p90_ms=samples.p90_ms("unity-cli"),
        interpreter_ms=samples.median_ms("interpreter"),
        ratio=samples.ratio("unity-cli", "interpreter"),
        rounds=rounds,
    )


def _run(command: Sequence[str | Path]) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(command, capture_output=True, check=False, env=environment)
    if done.returncode != 0:
        raise RuntimeError(f"exit code {done.returncode}: {done.stdout!r} {done.stderr!r}")
