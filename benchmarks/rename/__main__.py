"""How long renames and references take, in a large project, through the server.

    python -m benchmarks.rename [--scripts 1500] [--assets 10000] [--megabytes 2000]
                                [--renames 40] [--folder FOLDER]

Writes the project (``generated_project``), starts ``unity-cli serve``, and asks it with the MCP
SDK's client. Times are in seconds, with the processor's time of the server and all processes that
it started. Ratios are to what the same run took for a reference: reading every byte of the assets,
or ``grep -rlw`` of the name, both with warm files. Other work on the machine lengthens the times:
the load is printed, too. ``--folder`` keeps the project for the next run.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import socket
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from mcp import Client
from rich.console import Console
from rich.table import Table

from benchmarks.project_check.compilers import newest_compiler
from benchmarks.rename.generated_project import (
    FEW,
    MANY,
    SOUGHT,
    Sought,
    component_path,
    generate,
    script_of,
)
from roslyn_server.toolchains.packages import FetchError

_LONGEST_S = 600.0


@dataclass(frozen=True, slots=True)
class Call:
    """What one call took. ``progress`` counts the reports that came meanwhile."""

    seconds: float
    cpu_seconds: float
    progress: int
    result: dict[str, Any]


class MeasuredServer:
    """One server, and a client of it."""

    def __init__(self, pid: int, client: Client) -> None:
        self._pid = pid
        self._client = client

    async def call(
        self,
        tool: str,
        arguments: dict[str, object],
    ) -> Call:
        """Call a tool. Raises ``RuntimeError`` if it answers with an error."""
        reports = 0

        async def told(progress: float, total: float | None, message: str | None) -> None:
            nonlocal reports
            reports += 1
            del progress, total, message

        cpu, started = self._cpu_seconds(), time.perf_counter()
        answer = await self._client.call_tool(tool, arguments, _LONGEST_S, told)
        took, used = time.perf_counter() - started, self._cpu_seconds() - cpu
        if answer.is_error:
            raise RuntimeError(f"{tool} {arguments}: {answer.structured_content}")
        return Call(took, used, reports, answer.structured_content or {})

    def memory_mib(self) -> list[tuple[str, float, float]]:
        """Return for each process its name, and how much it holds and held at most. Linux only."""
        found = []
        for pid in _tree(self._pid):
            status = Path(f"/proc/{pid}/status").read_text()
            held = {
                line.split(":")[0]: int(line.split()[1]) / 1024
                for line in status.splitlines()
                if line.startswith(("VmRSS", "VmHWM"))
            }
            words = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
            name = next((each for each in words if "roslyn_server" in each), Path(words[1]).name)
            found.append((name, held.get("VmRSS", 0.0), held.get("VmHWM", 0.0)))
        return found

    def _cpu_seconds(self) -> float:
        ticks = 0
        for pid in _tree(self._pid):
            told = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += int(told[11]) + int(told[12])
        return ticks / os.sysconf("SC_CLK_TCK")


@asynccontextmanager
async def serving(root: Path) -> AsyncIterator[MeasuredServer]:
    """Start ``unity-cli serve`` on a project; end it afterwards."""
    program = str(Path(sysconfig.get_path("scripts")) / "unity-cli")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [program, "serve", "--project", str(root), "--lsp", "auto", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        async with Client(f"http://127.0.0.1:{port}/mcp") as client:
            yield MeasuredServer(process.pid, client)
    finally:
        process.terminate()
        process.communicate(timeout=60)


def _tree(pid: int) -> Iterator[int]:
    """Yield a process and all that it started, also through others."""
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in children.read_text().split():
            yield from _tree(int(child))


_WARM = 2
"""Fields of each kind that are asked before the measured ones."""


def main() -> int:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.rename",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--scripts", type=int, default=1_500)
    parser.add_argument("--assets", type=int, default=10_000)
    parser.add_argument("--megabytes", type=int, default=2_000)
    parser.add_argument("--renames", type=int, default=40, help="with few references")
    parser.add_argument("--folder", type=Path, help="keep the project there")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = (chosen.folder or Path(folder)).resolve() / "project"
        try:
            compiler = newest_compiler()
            if not root.is_dir():
                root.mkdir(parents=True)
                generate(root, compiler, chosen.scripts, chosen.assets, chosen.megabytes << 20)
        except FetchError as error:
            sys.exit(str(error))
        asyncio.run(_measure(root, chosen.renames))
    return 0


async def _measure(root: Path, renames: int) -> None:
    console = Console(highlight=False, width=120)
    load = os.getloadavg()
    components = len(list(root.glob("Assets/Game*/*.cs")))
    assets = [each for each in root.glob("Assets/Folder*/*") if each.is_file()]
    _read_all(assets)
    reading = _timed(partial(_read_all, assets))
    table = Table("what", "calls", "median s", "p90 s", "cpu s", "of reading", "of grep")
    rows: list[tuple[str, list[Call]]] = []
    grep = statistics.median(_timed(partial(_grep, root, each.name)) for each in SOUGHT[:3])
    reports: list[int] = []
    for kept in (False, True):
        if not kept:
            _forget(root)
        async with serving(root) as server:
            first = await server.call("check_project", {})
            named = "kept" if kept else "first"
            rows.append((f"check of all scripts, {named}", [first]))
            index = await server.call("rename_symbol", _rename(SOUGHT[0], components, "keep"))
            reports.append(index.progress)
            rows.append((f"preview, index of assets {named}", [index]))
            if kept:
                rows += await _warm(server, components, renames)
            memory = server.memory_mib()
    size = sum(each.stat().st_size for each in assets)
    for name, calls in rows:
        seconds = sorted(each.seconds for each in calls)
        median, p90 = statistics.median(seconds), seconds[int(len(seconds) * 0.9)]
        cpu = statistics.median(each.cpu_seconds for each in calls)
        table.add_row(
            name, str(len(calls)), f"{median:.3f}", f"{p90:.3f}", f"{cpu:.3f}",
            f"{median / reading:.2f}", f"{median / grep:.2f}",
        )  # fmt: skip
    console.print(
        f"{len(list(root.rglob('*.cs')))} scripts, {len(assets)} asset files, {size >> 20} MiB; "
        f"reading all {reading:.2f} s, grep {grep:.2f} s"
    )
    console.print(table)
    console.print(
        f"progress reports: {reports[0]} during the first index, {reports[1]} with a kept one"
    )
    for process, mib, peak in memory:
        console.print(f"memory of {process}: {mib:.0f} MiB, at most {peak:.0f} MiB")
    console.print(f"load before {load[0]:.1f}, after {os.getloadavg()[0]:.1f}")


async def _warm(
    server: MeasuredServer, components: int, renames: int
) -> list[tuple[str, list[Call]]]:
    rows: list[tuple[str, list[Call]]] = []
    for count, wanted in ((FEW, renames), (MANY, renames // 4)):
        fields = [each for each in SOUGHT if each.count == count]
        for each in fields[:_WARM]:
            await server.call("rename_symbol", _rename(each, components, "keep"))
        fields = fields[_WARM:]
        for mode in ("keep", "rewrite"):
            asked = [_rename(each, components, mode) for each in _cycled(fields, wanted)]
            calls = [await server.call("rename_symbol", each) for each in asked]
            rows.append((f"preview, {count} in scripts and assets, {mode}", calls))
        places = [_place(each, components) for each in _cycled(fields, wanted)]
        found = [await server.call("find_references", each) for each in places]
        rows.append((f"references, {count} in scripts and assets", found))
    return rows


def _cycled(fields: Sequence[Sought], wanted: int) -> list[Sought]:
    return [fields[at % len(fields)] for at in range(wanted)]


def _place(field: Sought, components: int) -> dict[str, object]:
    number = script_of(field, components)
    symbol = f"Game.Component{number}.{field.name}"
    return {"path": component_path(number, components), "symbolPath": symbol}


def _rename(field: Sought, components: int, mode: str) -> dict[str, object]:
    more = {"newName": f"{field.name}Renamed", "mode": "preview", "assets": mode}
    return {**_place(field, components), **more, "timeout_ms": 300_000}


def _forget(root: Path) -> None:
    """Remove what an earlier run kept."""
    for each in (root / "Library" / "SnippetEngine").rglob("*"):
        if each.is_file():
            each.unlink()


def _grep(root: Path, name: str) -> None:
    folder = str(root / "Assets")
    subprocess.run(["grep", "-rlw", name, folder], stdout=subprocess.DEVNULL, check=True)


def _read_all(files: Sequence[Path]) -> None:
    for each in files:
        with each.open("rb") as file:
            while file.read(1 << 22):
                pass


def _timed(work: Callable[[], None]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


if __name__ == "__main__":
    sys.exit(main())
