"""Measure what the guard costs, and how often it is wrong.

    python -m benchmarks.guard [--rounds N] [--files N] [--commits N] [--seed N] [--no-compiler]

Times: a hook's process in bare interpreters of the same run, and the server's answers on a project
of ``--files`` scripts, with the embedded validator alone and with the compiler warm. Then
``--commits`` real commits are replayed as plain writes, with the folder of mirrors in
``UNITY_SNIPPET_HISTORIES`` (0: none).
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from rich.console import Console
from rich.table import Table

from benchmarks.guard.agent import CLIENT, UNITY_CLI, Agent, percentile, serving
from benchmarks.guard.replay import Replayed, compare, replay
from benchmarks.project_check.compilers import newest_compiler
from benchmarks.project_check.layout import lay_out
from benchmarks.real_commits import commits_of, mirrors

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


_WARM_CALLS = 3
_EXAMPLES = 20


def main() -> int:
    """Measure and replay; 1 if anything was wrong."""
    parser = argparse.ArgumentParser(
        allow_abbrev=False, description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--files", type=int, default=1500)
    parser.add_argument("--commits", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-compiler", action="store_true")
    chosen = parser.parse_args()
    console = Console(highlight=False, width=120)
    if chosen.rounds:
        _time(console, chosen)
    if not chosen.commits:
        return 0
    if not mirrors():
        console.print("No mirrors: set UNITY_SNIPPET_HISTORIES to a folder of them.")
        return 1
    commits = [each for mirror in mirrors() for each in commits_of(mirror)]
    random.Random(chosen.seed).shuffle(commits)
    replayed = replay(commits, chosen.commits, chosen.seed)
    false = compare(replayed)
    _print_replayed(console, replayed, false)
    return 1 if replayed.wrong or false else 0


def _time(console: Console, chosen: argparse.Namespace) -> None:
    compiler = newest_compiler()
    with TemporaryDirectory(prefix="guard-") as folder:
        root = Path(folder).resolve() / "project"
        root.mkdir()
        project = lay_out(root, compiler, files=chosen.files, assemblies=max(1, chosen.files // 50))
        paths = random.Random(chosen.seed).sample(project.sources, min(200, len(project.sources)))
        with serving(root, "off") as port:
            agent = Agent(root, port, "timing")
            _print_processes(console, processes(agent, paths[0], chosen.rounds, Path(folder)))
            _measure(console, agent, paths, chosen.rounds, f"{chosen.files} files, embedded")
            agent.close()
        if chosen.no_compiler:
            return
        os.environ["UNITY_SNIPPET_ROSLYN_DIR"] = str(compiler.toolchain.roslyn_dir)
        os.environ["UNITY_SNIPPET_DOTNET_ROOT"] = str(compiler.toolchain.dotnet_root)
        with serving(root, "auto") as port:
            agent = Agent(root, port, "warming")
            _warm_up(agent)
            _measure(console, agent, paths, chosen.rounds, f"{chosen.files} files, compiler warm")
            agent.close()


def _warm_up(agent: Agent) -> None:
    for _ in range(_WARM_CALLS):
        agent.check_project()


def _measure(console: Console, agent: Agent, paths: Sequence[str], rounds: int, title: str) -> None:
    stops(Agent(agent.root, agent.port, "idle"), 3)
    agent.seconds.clear()
    idle = Agent(agent.root, agent.port, "nothing changed")
    edits(agent, paths, rounds)
    stops(idle, rounds)
    table = Table(title=f"{title}: milliseconds until the answer")
    for column in ("event", "p50", "p90", "most"):
        table.add_column(column, justify="right")
    for name, seconds in {**agent.seconds, **idle.seconds}.items():
        shown = (f"{percentile(seconds, each):.1f}" for each in (50, 90, 100))
        table.add_row(name, *shown)
    console.print(table)


def _print_processes(console: Console, seconds: Mapping[str, Sequence[float]]) -> None:
    table = Table(title="One process, start to end")
    for column in ("command", "p50 ms", "p90 ms", "bare interpreters (p50)"):
        table.add_column(column, justify="right")
    bare = percentile(seconds[BARE], 50)
    for name, each in seconds.items():
        middle, high = percentile(each, 50), percentile(each, 90)
        table.add_row(name, f"{middle:.1f}", f"{high:.1f}", f"{middle / bare:.2f}x")
    console.print(table)


def _print_replayed(console: Console, replayed: Replayed, false: Sequence[str]) -> None:
    table = Table(title="Real commits, written with the hooks around each write")
    for column in ("what", "count"):
        table.add_column(column, justify="right")
    for name, count in replayed.counts.most_common():
        table.add_row(name, f"{count:,}")
    for name, seconds in replayed.seconds.items():
        shown = " / ".join(f"{percentile(seconds, each):.1f}" for each in (50, 90, 100))
        table.add_row(f"{name}: ms p50 / p90 / most", shown)
    console.print(table)
    for title, examples in (("false alarms", false), ("wrong", replayed.wrong)):
        console.print(f"{title}: {len(examples)}")
        for each in examples[:_EXAMPLES]:
            console.print(f"  {each}", markup=False)


if __name__ == "__main__":
    sys.exit(main())
