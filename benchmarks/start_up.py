"""What it takes until ``unity-cli`` does something, against a bare interpreter.

    python -m benchmarks.start_up [--rounds N]

Bytecode is on disk, as an ordinary install leaves it. Each round starts, in turn, an interpreter
that does nothing, one that imports click, and the commands.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.measuring import Samples, repeat

_UNITY_CLI = str(Path(sysconfig.get_path("scripts")) / "unity-cli")
_BARE = "python -c pass"

_COMMANDS: Mapping[str, Sequence[str]] = {
    _BARE: (sys.executable, "-c", "pass"),
    "python -c 'import click'": (sys.executable, "-c", "import click"),
    "unity-cli --help": (_UNITY_CLI, "--help"),
    "unity-cli tool call --help": (_UNITY_CLI, "tool", "call", "--help"),
    "unity-cli tool list": (_UNITY_CLI, "tool", "list"),
    "unity-cli client list": (_UNITY_CLI, "client", "list"),
}


def measure(rounds: int) -> Samples:
    """Start every command ``rounds`` times."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    samples = Samples()

    def start(command: Sequence[str]) -> None:
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)

    for command in _COMMANDS.values():  # writes the bytecode
        start(command)

    def round_of(_number: int) -> None:
        for name, command in _COMMANDS.items():
            samples.timed(name, start, command)

    repeat(round_of, seconds=0, at_least=rounds, at_most=rounds)
    return samples


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    samples = measure(parser.parse_args().rounds)
    table = Table("command", "median ms", "least ms", "more than bare, ms", "ratio to bare")
    bare = samples.least_ms(_BARE)
    for name in _COMMANDS:
        least = samples.least_ms(name)
        table.add_row(
            name,
            f"{samples.median_ms(name):.0f}",
            f"{least:.0f}",
            f"{least - bare:.0f}",
            f"{least / bare:.1f}",
        )
    Console().print(table)


if __name__ == "__main__":
    main()
