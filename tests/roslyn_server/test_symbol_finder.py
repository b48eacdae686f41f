"""The server finds and renames what Roslyn's own workspace does, on real packages."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from roslyn_server.toolchains.install import ROSLYN_4_8
from roslyn_server.toolchains.pairing import Toolchain

_REPOSITORY = Path(__file__).parents[2]


@pytest.mark.timeout(600)
def test_references_and_renames_are_roslyns(
    roslyn_4_8: Toolchain, one_in: Callable[[int], int]
) -> None:
    symbols, renames = 600 // one_in(6), 100 // one_in(10)
    sizes = ["--files", "60", "--assemblies", "4", "--seed", "5"]
    counts = ["--symbols", str(symbols), "--renames", str(renames)]
    command = [sys.executable, "-m", "benchmarks.rename.references", *sizes, *counts]
    run = subprocess.run(
        command, cwd=_REPOSITORY, env=dict(os.environ), capture_output=True, text=True, check=False
    )
    assert ROSLYN_4_8.version in str(roslyn_4_8.roslyn_dir)
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[:4000]
    assert f"{symbols:,} symbols" in run.stdout
