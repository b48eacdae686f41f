"""Measure the start of ``unity-cli`` commands against a bare interpreter.

    python -m benchmarks.start_up [--rounds N]

Bytecode is on disk, as an ordinary install leaves it. Each round starts, in turn, an interpreter
that does nothing, one that imports click, and the commands; one of them previews one edit of 1,000
lines, by itself and by the project's running server. Then, in turn, servers over stdio until
the answer to ``initialize``: the MCP SDK's own with nothing around it, and ``unity-cli mcp`` where
it has to start the project's server, and where it joins one.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep

from rich.console import Console
from rich.table import Table

from benchmarks.edit_sites import edit_request, sites_of
from benchmarks.generated_csharp import csharp_of_lines
from benchmarks.measuring import Samples, repeat
from benchmarks.workbench import SCRIPT, Workbench

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
_EDIT_HERE = "unity-cli tool call edit_snippet --here"
_EDIT_THERE = "unity-cli tool call edit_snippet, server running"


def measure(rounds: int) -> Samples:
    """Start every command ``rounds`` times."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    samples = Samples()

    def start(command: Sequence[str]) -> None:
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)

    with _served_project() as project:
        preview = (_UNITY_CLI, "--project", str(project.root), "tool", "call", "edit_snippet")
        text = project.script.read_text()
        params = json.dumps(edit_request(SCRIPT, "preview", sites_of(text)[:1], 7))
        commands = {
            **_COMMANDS,
            _EDIT_HERE: (*preview, "--here", "--json", params),
            _EDIT_THERE: (*preview, "--json", params),
        }
        for command in commands.values():  # writes the bytecode
            start(command)

        def round_of(_number: int) -> None:
            for name, command in commands.items():
                samples.timed(name, start, command)

        repeat(round_of, seconds=0, at_least=rounds, at_most=rounds)
    return samples


@contextmanager
def _served_project() -> Iterator[Workbench]:
    """Return a project with a script of 1,000 lines, and a server of its own."""
    with TemporaryDirectory() as folder:
        project = Workbench(Path(folder))
        (project.root / "Library").mkdir()
        project.script.write_text(csharp_of_lines(1_000))
        serve = (_UNITY_CLI, "serve", "--project", folder, "--port", str(_free_port()))
        server = subprocess.Popen(serve, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            assert server.stdout is not None
            server.stdout.readline()  # its address, once it answers
            yield project
        finally:
            server.terminate()
            server.communicate(timeout=60)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "start_up", "version": "0"},
    },
}
_SDK = "the SDK's server over stdio"
_STARTS = "unity-cli mcp, no server running"
_JOINS = "unity-cli mcp, server running"


def measure_mcp(rounds: int) -> Samples:
    """Start every server over stdio ``rounds`` times; each until its first answer."""
    samples = Samples()
    with TemporaryDirectory() as folder:
        Workbench(Path(folder))
        port = str(_free_port())
        options = ("--project", folder, "--lsp", "off", "--port", port)
        bare = (sys.executable, "-m", "benchmarks.bare_server", "--stdio")
        ours = (_UNITY_CLI, "mcp", *options)

        def round_of(_number: int) -> None:
            samples.timed(_SDK, _first_answer, bare).close()
            first = samples.timed(_STARTS, _first_answer, ours)
            samples.timed(_JOINS, _first_answer, ours).close()
            first.close()  # the server ends with its last client
            _await_end(int(port))

        repeat(round_of, seconds=0, at_least=rounds, at_most=rounds)
    return samples


class _Answered:
    """A server over stdio that has answered once."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def close(self) -> None:
        """End its input, and wait for its end."""
        self._process.communicate(timeout=60)


def _first_answer(command: Sequence[str]) -> _Answered:
    """Start a server, and ask it to initialize. Raises ``RuntimeError`` where it doesn't."""
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(_INITIALIZE).encode() + b"\n")
    process.stdin.flush()
    answer = process.stdout.readline()
    if b'"serverInfo"' not in answer:
        process.kill()
        raise RuntimeError(f"{command} answered {answer!r}")
    return _Answered(process)


def _await_end(port: int) -> None:
    """Wait until nobody listens there any more, a minute at most."""
    end = monotonic() + 60
    while monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return
        sleep(0.05)
    raise RuntimeError("the server that was started for its clients outlives them")


def main() -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(allow_abbrev=False, description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    rounds = parser.parse_args().rounds
    samples = measure(rounds)
    table = Table("command", "median ms", "least ms", "more than bare, ms", "ratio to bare")
    bare = samples.least_ms(_BARE)
    for name in (*_COMMANDS, _EDIT_HERE, _EDIT_THERE):
        least = samples.least_ms(name)
        table.add_row(
            name,
            f"{samples.median_ms(name):.0f}",
            f"{least:.0f}",
            f"{least - bare:.0f}",
            f"{least / bare:.1f}",
        )
    Console().print(table)
    samples = measure_mcp(rounds)
    table = Table("until the answer to initialize", "median ms", "least ms", "ratio to the SDK's")
    for name in (_SDK, _STARTS, _JOINS):
        ratio = samples.ratio(name, _SDK).middle
        median, least = samples.median_ms(name), samples.least_ms(name)
        table.add_row(name, f"{median:.0f}", f"{least:.0f}", f"{ratio:.2f}")
    Console().print(table)


if __name__ == "__main__":
    main()
