"""What the watcher costs at rest, and how soon it has what another program wrote.

    python -m benchmarks.guard.watcher [--files N] [--seconds N] [--saves N] [--rate N]

A real server on a project of ``--files`` scripts; the same server without a project is the
reference. Then ``--saves`` saves at ``--rate`` a second: each script's last text and the entries of
many changes are compared with what the watcher kept. 1 if anything is missing.
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
from mcp_server.watcher.known_texts import KnownTexts
from snippet_engine.source_text import content_hash
from snippet_engine.storage.records.history import DEFAULT_MAX_BYTES, DEFAULT_MAX_ENTRIES, History
from snippet_engine.storage.state_folder import StateFolder

_TICKS = os.sysconf("SC_CLK_TCK")
_LONGEST_S = 120
_SETTLED_S = 5
_SHOWN = 10


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
        self._reading = Thread(target=self._read, daemon=True)
        self._reading.start()

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

    def left(self, name: str) -> list[dict[str, object]]:
        """Return the events of the log that nobody waited for, once it has ended."""
        self._reading.join(_LONGEST_S)
        found = [self._events.get() for _ in range(self._events.qsize())]
        return [each for each in found if each.get("event") == name]

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
    """Measure; 1 if anything was lost."""
    parser = argparse.ArgumentParser(allow_abbrev=False, description=__doc__)
    parser.add_argument("--files", type=int, default=1500)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--saves", type=int, default=10_000)
    parser.add_argument("--rate", type=int, default=200)
    chosen = parser.parse_args()
    console = Console(highlight=False, width=120)
    with tempfile.TemporaryDirectory() as folder:
        return _measure(console, Path(folder), chosen)


def _measure(console: Console, folder: Path, chosen: argparse.Namespace) -> int:
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
        first = int(str(server.wait_for("many_scripts_changed")["files"]))
        time.sleep(_SETTLED_S)  # what was saved while the first ones were looked at
        console.print(
            f"{chosen.saves:,} saves at {chosen.saves / took_s:.0f} a second: "
            f"{(server.used_s() - used_s) / took_s * 100:.0f} % of a core, "
            f"{server.memory_mb():.0f} MB afterwards"
        )
    counts = [int(str(each["files"])) for each in server.left("many_scripts_changed")]
    wrong = _lost(game, scripts[: chosen.saves], [first, *counts])
    console.print(f"{len(wrong)} last texts or entries are wrong")
    for each in wrong[:_SHOWN]:
        console.print(f"  {each}", markup=False)
    with running(game) as server:
        known = server.wait_for("scripts_known")
        console.print(f"the next start: {known['duration_ms']} ms")
    return 1 if wrong else 0


def _lost(game: Path, saved: list[Path], counts: list[int]) -> list[str]:
    """Return what is missing or wrong: each last text, and the entries of many changes.

    ``counts`` has how many scripts the log says of each of them. An entry lists at most 20.
    """
    texts = KnownTexts(game)
    texts.load()
    paths = {each.relative_to(game).as_posix(): each.read_bytes() for each in saved}
    wrong = [
        f"{path}: its last text is not known" for path in paths if texts.text(path) != paths[path]
    ]
    history = History(
        StateFolder(game), max_bytes=DEFAULT_MAX_BYTES, max_entries=DEFAULT_MAX_ENTRIES
    )
    records = [history.read_change(each) for each in history.all_entries()]
    many = [each for each in records if each is not None and each.count]
    if sorted(each.count for each in many) != sorted(counts):
        wrong.append(f"entries of {[each.count for each in many]} scripts, of {counts} by the log")
    if max(counts) != len(saved):
        wrong.append(f"no entry counts all {len(saved)} scripts")
    for each in max(many, key=lambda record: record.time_s).files if many else ():
        if each.after != content_hash(paths[each.path]):
            wrong.append(f"{each.path}: the newest entry has another text")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
