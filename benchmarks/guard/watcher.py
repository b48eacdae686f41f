"""What the watcher costs at rest, and how soon it has what another program wrote.

    python -m benchmarks.guard.watcher [--files N] [--seconds N] [--saves N] [--rate N]

A real server on a project of ``--files`` scripts; the same server without a project is the
reference. Then ``--saves`` saves at ``--rate`` a second, each compared with what is known.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from threading import Thread

from rich.console import Console

from benchmarks.generated_csharp import csharp_of_bytes

_TICKS = os.sysconf("SC_CLK_TCK")
_LONGEST_S = 120


class Server:
    """A running server and its log."""

    def __init__(self, folder: Path, *options: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        command = (sys.executable, "-m", "mcp_server.cli", "serve", "--lsp", "off")
        self._process = subprocess.Popen(
            [*command, "--port", str(port), "--log-format", "json", "--verbose", *options],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._events: SimpleQueue[dict[str, object]] = SimpleQueue()
        Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._events.put(json.loads(line))

    def wait_for(self, name: str) -> dict[str, object]:
        """Wait for an event of the log."""
        while True:
            found = self._events.get(timeout=_LONGEST_S)
            if found.get("event") == name:
                return found

    def used_s(self) -> float:
        """Return the processor time so far, in seconds."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def memory_mb(self) -> float:
        """Return the memory that is its own now."""
        for line in Path(f"/proc/{self._process.pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Private_Dirty:"):
                return int(line.split()[1]) / 1024
        return 0.0

    def stop(self) -> None:
        """End it."""
        self._process.terminate()
        self._process.wait(_LONGEST_S)


@contextmanager
def running(folder: Path, *options: str) -> Iterator[Server]:
    """Run a server."""
    server = Server(folder, *options)
    try:
        yield server
    finally:
        server.stop()


def at_rest(server: Server, seconds: float) -> float:
    """Return the share of a core that it takes, in percent."""
    began_s, used_s = time.monotonic(), server.used_s()
    time.sleep(seconds)
    return (server.used_s() - used_s) / (time.monotonic() - began_s) * 100


def main() -> int:
    """Measure."""
    parser = argparse.ArgumentParser(allow_abbrev=False, description=__doc__)
    parser.add_argument("--files", type=int, default=1500)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--saves", type=int, default=10_000)
    parser.add_argument("--rate", type=int, default=200)
    chosen = parser.parse_args()
    console = Console(highlight=False, width=120)
    with tempfile.TemporaryDirectory() as folder:
        _measure(console, Path(folder), chosen)
    return 0


def _measure(console: Console, folder: Path, chosen: argparse.Namespace) -> None:
    empty, game = folder / "empty", folder / "Game"
    empty.mkdir()
    for each in ("Assets/Scripts", "Packages", "ProjectSettings", "Library"):
        (game / each).mkdir(parents=True)
    scripts = [game / f"Assets/Scripts/S{number}.cs" for number in range(chosen.files)]
    for number, script in enumerate(scripts):
        script.write_text(f"// {number}\n{csharp_of_bytes(8_000)}")
    with running(empty) as server:
        server.wait_for("server_state")
        time.sleep(2)
        console.print(
            f"no project: {at_rest(server, chosen.seconds):.2f} % of a core at rest, "
            f"{server.memory_mb():.0f} MB"
        )
    with running(game) as server:
        known = server.wait_for("scripts_known")
        console.print(
            f"{chosen.files:,} scripts are known after {known['duration_ms']} ms, "
            f"{known['kept_mb']} MB kept"
        )
        time.sleep(2)
        console.print(
            f"{chosen.files:,} scripts: {at_rest(server, chosen.seconds):.2f} % of a core at rest, "
            f"{server.memory_mb():.0f} MB"
        )
        began_s = time.monotonic()
        scripts[0].write_text("class S0 { }\n")
        server.wait_for("outside_change")
        console.print(f"an entry {time.monotonic() - began_s:.2f} s after a save")
        used_s, began_s = server.used_s(), time.monotonic()
        for number in range(chosen.saves):
            scripts[number % chosen.files].write_text(f"class S {{ int n = {number}; }}\n")
            time.sleep(max(0.0, began_s + number / chosen.rate - time.monotonic()))
        took_s = time.monotonic() - began_s
        server.wait_for("many_scripts_changed")
        console.print(
            f"{chosen.saves:,} saves at {chosen.saves / took_s:.0f} a second: "
            f"{(server.used_s() - used_s) / took_s * 100:.0f} % of a core, "
            f"{server.memory_mb():.0f} MB afterwards"
        )
    with running(game) as server:
        known = server.wait_for("scripts_known")
        console.print(f"the next start: {known['duration_ms']} ms")


if __name__ == "__main__":
    sys.exit(main())
