"""``python -m benchmarks.lint [--quick]``: many bundles, with one worker and with two.

10,000 bundles (1,000 with ``--quick``) over a Unity project's scripts, one in a hundred with a
fault, checked by ``unity-cli lint``'s own code with 1 and 2 processes, and as the shards 1/2 and
2/2. Prints bundles a second, and the ratio to the same requests given to one bare engine in this
process: what reading, placing and handing round the bundles costs, or what a second processor
brings. Fails if the results differ, or if the shards are not a disjoint and complete division.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple, ParamSpec, TypeVar

from benchmarks.edit_sites import edit_request, sites_of
from benchmarks.generated_csharp import csharp_of_lines
from benchmarks.workbench import Workbench
from mcp_server.bundles.bundle import BundleFile
from mcp_server.bundles.discovery import Shard, find_bundles
from mcp_server.bundles.findings import BundleReport
from mcp_server.contract.errors import ToolError
from mcp_server.garbage import collect_seldom
from mcp_server.lint.run import Target, lint

P = ParamSpec("P")
T = TypeVar("T")

SCRIPTS = 100
LINES = 200
"""How many scripts the bundles edit, and how many lines each has."""

_FAULTY = 100
"""One bundle in so many has a fault."""


@dataclass(frozen=True)
class Figures:
    """One way of checking all bundles. ``ratio`` is its speed over the bare engine's.

    ``cpu_seconds`` are of all processes: where they are far less than ``seconds`` a worker, the
    machine was busy with something else, and the ratios say little. Windows counts this one only.
    """

    what: str
    seconds: float
    cpu_seconds: float
    bundles_per_second: float
    ratio: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; 1 if the ways do not agree."""
    parser = argparse.ArgumentParser(allow_abbrev=False, description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="1,000 bundles")
    chosen = parser.parse_args(arguments)
    count = 1_000 if chosen.quick else 10_000
    collect_seldom()  # as the command does, and also for the bare engine
    with tempfile.TemporaryDirectory() as folder:
        bench = Workbench(Path(folder))
        requests = write_bundles(bench.root, count)
        figures, faults = measure(bench, requests)
    print(f"{count:,} bundles, {SCRIPTS} scripts of {LINES} lines")
    print(f"{'':14}{'seconds':>9}{'CPU s':>8}{'bundles/s':>11}{'ratio':>8}")
    for each in figures:
        print(
            f"{each.what:14}{each.seconds:9.2f}{each.cpu_seconds:8.2f}"
            f"{each.bundles_per_second:11.0f}"
            f"{each.ratio:7.2f}x"
        )
    print("\n".join(faults) or "identical with 1 and 2 workers; shards disjoint and complete")
    return 1 if faults else 0


def write_bundles(root: Path, count: int) -> list[dict[str, Any]]:
    """Write scripts and, in ``root/Edits``, ``count`` bundles; return each one's request."""
    text = csharp_of_lines(LINES)
    sites = sites_of(text)
    for number in range(SCRIPTS):
        script = root / "Assets" / f"S{number}.cs"
        script.write_text(f"// {number}\n{text}", encoding="utf-8", newline="")
    requests = []
    for number in range(count):
        site = [sites[number % len(sites)]]
        request = edit_request(f"Assets/S{number % SCRIPTS}.cs", "apply", site, number % 7)
        if number % _FAULTY == 0:
            request["path"] = "Assets/Nowhere.cs"
        bundle = root / "Edits" / f"{number // 1000:03}" / f"{number:06}.snippet.json"
        bundle.parent.mkdir(parents=True, exist_ok=True)
        bundle.write_text(json.dumps(request, indent=2), encoding="utf-8")
        requests.append(request)
    return requests


def measure(bench: Workbench, requests: list[dict[str, Any]]) -> tuple[list[Figures], list[str]]:
    """Return the figures, and what was wrong."""
    root, edits = bench.root, [bench.root / "Edits"]

    def found(shard: Shard | None = None) -> tuple[BundleFile, ...]:
        bundles = find_bundles(edits, shown_from=root).bundles
        return tuple(each for each in bundles if shard is None or shard.holds(each, root))

    def check(bundles: Sequence[BundleFile], workers: int) -> list[BundleReport]:
        reports = lint(Target(root, "off"), bundles, workers, lambda _: None)
        if isinstance(reports, ToolError):
            raise RuntimeError(reports.message)
        return reports

    halves = [
        [each for number, each in enumerate(requests) if number % SCRIPTS % 2 == half]
        for half in (0, 1)
    ]

    def two_engines() -> None:
        with ProcessPoolExecutor(2) as pool:
            list(pool.map(_preview, [bench] * 2, halves))

    _, reference = _timed(_preview, bench, requests)
    _, of_engines = _timed(two_engines)
    serial, of_one = _timed(lambda: check(found(), 1))
    parallel, of_two = _timed(lambda: check(found(), 2))
    shards = [_timed(lambda part: check(found(part), 1), Shard(n, 2)) for n in (1, 2)]
    count = len(requests)
    rows = [
        ("bare engine", count, reference),
        ("2 engines", count, of_engines),
        ("1 worker", count, of_one),
        ("2 workers", count, of_two),
        *((f"shard {n}/2", len(reports), taken) for n, (reports, taken) in enumerate(shards, 1)),
    ]
    figures = [
        Figures(
            what,
            round(taken.wall_s, 3),
            round(taken.cpu_s, 3),
            round(n / taken.wall_s, 1),
            round(n / taken.wall_s / (count / reference.wall_s), 3),
        )
        for what, n, taken in rows
    ]
    return figures, _faults(serial, parallel, [reports for reports, _ in shards])


def _preview(bench: Workbench, requests: Sequence[dict[str, Any]]) -> None:
    """Give the requests to an engine of their own."""
    engine = bench.open_engine()
    for request in requests:
        engine.edit_snippet({**request, "mode": "preview"})


def _faults(
    serial: list[BundleReport], parallel: list[BundleReport], shards: list[list[BundleReport]]
) -> list[str]:
    faults = []
    wrong = sum(report.errors for report in serial)
    if wrong != -(-len(serial) // _FAULTY):
        faults.append(f"{wrong} errors were found, not one in {_FAULTY} bundles")
    if parallel != serial:
        faults.append("two workers found something else than one")
    together = sorted((report for part in shards for report in part), key=lambda r: r.file)
    if together != serial:
        faults.append("the shards together are not the whole")
    return faults


class _Taken(NamedTuple):
    wall_s: float
    cpu_s: float


def _timed(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> tuple[T, _Taken]:
    """Return the result of ``work``, and what it took, with the processes that it started."""
    start, cpu = perf_counter(), sum(os.times()[:4])
    result = work(*args, **kwargs)
    return result, _Taken(perf_counter() - start, sum(os.times()[:4]) - cpu)


if __name__ == "__main__":
    sys.exit(main())
