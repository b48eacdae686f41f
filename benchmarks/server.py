"""Measure the server next to a bare MCP SDK server, on one machine in one run.

    python -m benchmarks.server [--quick]

Cold start to an answered ``tools/list``; memory; a trivial call; a full round trip to an Editor
that answers at once, over each of the two roads. Both servers are called in turn by the SDK's own
client.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from mcp import Client
from rich.console import Console
from rich.table import Table
from websockets.asyncio.client import connect

TRIVIAL_CALL_AIM = 1.3

CONSOLE = {"entries": [], "count": 0, "truncated": False}


@dataclass(frozen=True)
class Figure:
    """One thing measured: medians, and the spread from the 10th to the 90th percentile."""

    name: str
    unit: str
    ours: float
    ours_p10: float
    ours_p90: float
    bare: float
    samples: int

    @property
    def ratio(self) -> float:
        """Return how many times as much as the bare server it takes."""
        return self.ours / self.bare


class _Process:
    """One server in a process of its own."""

    def __init__(self, command: list[str]) -> None:
        self.started = perf_counter()
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self._process.stdout is not None
        said = self._process.stdout.readline().strip()
        self.url = said if said.startswith("http") else f"http://127.0.0.1:{said}/mcp"

    def memory_mib(self) -> float:
        """Return its resident memory. Linux only; elsewhere 0."""
        status = Path(f"/proc/{self._process.pid}/status")
        if not status.exists():
            return 0.0
        (line,) = (each for each in status.read_text().splitlines() if each.startswith("VmRSS"))
        return int(line.split()[1]) / 1024

    def stop(self) -> None:
        """End it."""
        self._process.terminate()
        self._process.communicate(timeout=20)


@contextmanager
def _ours(*options: str) -> Iterator[_Process]:
    program = str(Path(sysconfig.get_path("scripts")) / "unity-cli")
    process = _Process([program, "serve", "--lsp", "off", "--port", str(_free_port()), *options])
    try:
        yield process
    finally:
        process.stop()


@contextmanager
def _bare() -> Iterator[_Process]:
    process = _Process([sys.executable, "-m", "benchmarks.bare_server"])
    try:
        yield process
    finally:
        process.stop()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def _cold_start(server: Callable[[], AbstractContextManager[_Process]]) -> float:
    """Return the milliseconds from a process's start to its answer to ``tools/list``."""
    with server() as process:
        async with Client(process.url) as client:
            await client.list_tools()
            return (perf_counter() - process.started) * 1000


@asynccontextmanager
async def _editor(url: str) -> AsyncIterator[None]:
    """Start an Editor that answers every request at once."""

    async def answer(plugin: Any) -> None:
        async for message in plugin:
            frame = json.loads(message)
            if frame["type"] == "ping":
                pong = {"type": "pong", "editor_state": "ready", "seq": 0}
                await plugin.send(json.dumps(pong))
            elif frame["type"] == "execute":
                result = {"type": "result", "status": "ok", "result": CONSOLE}
                await plugin.send(json.dumps({**result, "request_id": frame["request_id"]}))

    async with connect(url, compression=None) as plugin:
        hello = {"type": "hello", "plugin_version": "0", "state": "ready"}
        await plugin.send(json.dumps(hello))
        await plugin.recv()
        answering = asyncio.create_task(answer(plugin))
        try:
            yield
        finally:
            answering.cancel()


@asynccontextmanager
async def _with_pipeline() -> AsyncIterator[Client]:
    """Return a client of our server, which has found an Editor with Unity's Pipeline package."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        for part in ("Assets", "Packages", "ProjectSettings"):
            (project / part).mkdir()
        editor = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.pipeline_editor", folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        try:
            assert editor.stdout is not None
            editor.stdout.readline()
            with _ours("--project", folder, "--editor", "pipeline") as ours:
                async with Client(ours.url) as client:
                    while not await _is_ready(client):
                        await asyncio.sleep(0.1)
                    yield client
        finally:
            editor.communicate()


async def _is_ready(client: Client) -> bool:
    seen = (await client.call_tool("get_editor_state")).structured_content or {}
    return (seen.get("link"), seen.get("editor_state")) == ("pipeline", "ready")


async def _timed_call(client: Client, tool: str) -> float:
    started = perf_counter()
    called = await client.call_tool(tool)
    took = (perf_counter() - started) * 1000
    if called.is_error:
        raise RuntimeError(f"{tool} failed: {called.structured_content}")
    return took


def _figure(name: str, unit: str, ours: list[float], bare: list[float]) -> Figure:
    ordered = sorted(ours)
    tenth = len(ordered) // 10
    return Figure(
        name,
        unit,
        ours=median(ours),
        ours_p10=ordered[tenth],
        ours_p90=ordered[-1 - tenth],
        bare=median(bare),
        samples=len(ours),
    )


async def measure(*, starts: int, calls: int) -> list[Figure]:
    """Return all figures, measured on the two servers in turn."""
    cold: dict[str, list[float]] = {"ours": [], "bare": []}
    for _ in range(starts):
        cold["ours"].append(await _cold_start(_ours))
        cold["bare"].append(await _cold_start(_bare))
    trivial: dict[str, list[float]] = {"ours": [], "bare": []}
    round_trip: list[float] = []
    by_pipeline: list[float] = []
    with _ours() as ours, _bare() as bare:
        unity = ours.url.replace("http", "ws").replace("/mcp", "/unity")
        async with (
            # First, as it waits for processes: an Editor that waits with it would miss its pings.
            _with_pipeline() as to_pipeline,
            _editor(unity),
            Client(ours.url) as to_ours,
            Client(bare.url) as to_bare,
        ):
            await to_ours.list_tools()
            await to_bare.list_tools()
            for number in range(calls + calls // 10):
                samples = (
                    await _timed_call(to_ours, "get_editor_state"),
                    await _timed_call(to_bare, "trivial"),
                    await _timed_call(to_ours, "read_console"),
                    await _timed_call(to_pipeline, "read_console"),
                )
                if number >= calls // 10:  # the first ones warm up
                    trivial["ours"].append(samples[0])
                    trivial["bare"].append(samples[1])
                    round_trip.append(samples[2])
                    by_pipeline.append(samples[3])
            memory = [ours.memory_mib()], [bare.memory_mib()]
    figures = [
        _figure("cold start to tools/list", "ms", cold["ours"], cold["bare"]),
        _figure("trivial call (get_editor_state)", "ms", trivial["ours"], trivial["bare"]),
        _figure("round trip by the plugin (read_console)", "ms", round_trip, trivial["bare"]),
        _figure("round trip by the Pipeline (read_console)", "ms", by_pipeline, trivial["bare"]),
    ]
    return figures + ([_figure("memory after that", "MiB", *memory)] if memory[1][0] else [])


def print_report(figures: list[Figure]) -> None:
    """Print the table, and whether the aim is reached."""
    table = Table(title="unity-cli serve, beside a bare MCP SDK server")
    for heading in ("", "median", "p10 to p90", "bare", "ratio", "n"):
        table.add_column(heading, justify="left" if not heading else "right")
    for each in figures:
        table.add_row(
            each.name,
            f"{each.ours:.2f} {each.unit}",
            f"{each.ours_p10:.2f} to {each.ours_p90:.2f}",
            f"{each.bare:.2f} {each.unit}",
            f"{each.ratio:.2f}",
            str(each.samples),
        )
    Console().print(table)
    trivial = next(each for each in figures if each.name.startswith("trivial"))
    met = "reached" if trivial.ratio <= TRIVIAL_CALL_AIM else "NOT reached"
    Console().print(f"Aim: a trivial call at most {TRIVIAL_CALL_AIM} times a bare one: {met}.")


def main() -> None:
    """Measure, then print a table."""
    parser = argparse.ArgumentParser(
        allow_abbrev=False, prog="python -m benchmarks.server", description=__doc__
    )
    parser.add_argument("--quick", action="store_true", help="fewer samples: some ten seconds")
    chosen = parser.parse_args()
    starts, calls = (3, 200) if chosen.quick else (9, 1_500)
    print_report(asyncio.run(measure(starts=starts, calls=calls)))


if __name__ == "__main__":
    main()
