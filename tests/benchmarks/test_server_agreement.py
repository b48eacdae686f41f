"""The two paths to a verdict see the same text: a small run of ``benchmarks.server_agreement``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable

import pytest


def test_the_server_says_what_its_compiler_says(one_in: Callable[[int], int]) -> None:
    sample = 25 // one_in(6)
    # A process of its own, as a process can load one compiler.
    command = [
        sys.executable,
        "-m",
        "benchmarks.server_agreement",
        "--json",
        "--sample",
        str(sample),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode and not os.environ.get("CI") and "could not" in done.stderr:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["differences"] == []
    told = {(each["truth"], each["server_refuses"]): each["cases"] for each in found["counts"]}
    assert told["broken", True] >= sample // 2
    assert told["valid", False] >= sample // 2
    assert not {("broken", False), ("valid", True)} & set(told)
