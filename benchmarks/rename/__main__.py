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
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

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
from benchmarks.rename.measured_server import Call, MeasuredServer, serving
from roslyn_server.toolchains.packages import FetchError

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
