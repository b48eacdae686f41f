"""How long an agent waits for a hook."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter

from benchmarks.guard.agent import CLIENT, UNITY_CLI, Agent

BARE = "python -c pass"
HOOK = "unity-cli hook, before a good edit"
NO_SERVER = "unity-cli hook, no server"


def processes(agent: Agent, path: str, rounds: int, elsewhere: Path) -> Mapping[str, list[float]]:
    """Start a bare interpreter and hooks in turn; the seconds of each, from start to end."""
    text = (agent.root / path).read_bytes()
    event = agent.payload("PreToolUse", **agent.call(path, text + b"\n"))
    commands: Mapping[str, tuple[Sequence[str], bytes, Path]] = {
        BARE: ((sys.executable, "-c", "pass"), b"", agent.root),
        HOOK: ((UNITY_CLI, "hook", CLIENT), event, agent.root),
        NO_SERVER: ((UNITY_CLI, "hook", CLIENT), b"{}", elsewhere),
    }
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, (command, sent, folder) in commands.items():
            started = perf_counter()
            subprocess.run(
                command, input=sent, cwd=folder, env=environment, capture_output=True, check=True
            )
            if number:  # the first one writes the bytecode
                seconds[name].append(perf_counter() - started)
    return seconds


def edits(agent: Agent, paths: Sequence[str], rounds: int) -> None:
    """Write one script after the other, with the hooks around; the agent keeps the seconds."""
    for number in range(rounds):
        path = paths[number % len(paths)]
        text = (agent.root / path).read_bytes()
        call = agent.call(path, text + b"// %d\n" % number)
        agent.before(call)
        (agent.root / path).write_bytes(text + b"// %d\n" % number)
        agent.after(call)


def stops(agent: Agent, rounds: int) -> None:
    """End turns of a session that has changed nothing."""
    for _ in range(rounds):
        agent.stop()
