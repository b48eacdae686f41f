"""Measure how fast and how right the check of whole projects is.

    python -m benchmarks.project_check [--files N --assemblies M] [--rounds N]
    python -m benchmarks.project_check --agreement [--edits N] [--series N] [--hidden N] [--seed N]
    python -m benchmarks.project_check --kept [--edits N] [--process-every N] [--seed N]
    python -m benchmarks.project_check --changes

Without a size, projects of 100, 400, 1,500 and 5,000 files. ``--agreement`` compares what the check
says with what the compiler says, and ends with 1 if they differ anywhere. ``--kept`` does so with
what earlier checks kept, and nothing else known. ``--changes`` makes each kind of change since the
build, prints what Unity does then and where that is said, and ends with 1 if one is called clean
that isn't, or the other way round.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.project_check.agreement import Comparison
from benchmarks.project_check.compilers import Compiler, newest_compiler
from benchmarks.project_check.kept_index import KeptIndex
from benchmarks.project_check.layout import LaidOutProject, lay_out
from benchmarks.project_check.since_build import measure_changes
from benchmarks.project_check.speed import SIZES, Row, measure
from roslyn_server.toolchains.packages import FetchError


def main() -> int:
    """Measure, or compare; the exit code."""
    chosen = _parser().parse_args()
    try:
        compiler = newest_compiler()
        if chosen.agreement:
            return _agreement(compiler, chosen)
        if chosen.kept:
            return _kept(compiler, chosen)
        if chosen.changes:
            return _changes(compiler)
        sizes = [(chosen.files, chosen.assemblies)] if chosen.files else list(SIZES)
        for files, assemblies in sizes:
            _print(measure(compiler, files, assemblies, chosen.rounds))
    except FetchError as error:
        sys.exit(str(error))
    return 0


def _agreement(compiler: Compiler, chosen: argparse.Namespace) -> int:
    console = Console(highlight=False)
    with _project(compiler, chosen) as project:
        comparison = Comparison(compiler, project, lambda told: console.print(told, markup=False))
        with _until_interrupted(console):
            _compare(comparison, chosen)
    result = comparison.result
    console.print(
        f"{_size(project)}: "
        f"{result.states:,} states compared, {result.broken:,} with errors, "
        f"{result.held_against_csc} with csc as well, {result.cold} by a new server; "
        f"{len(result.differences)} differences"
    )
    console.print(f"Bound again: {dict(result.bound_again)}. Edits: {dict(result.kinds)}")
    return 1 if result.differences else 0


def _kept(compiler: Compiler, chosen: argparse.Namespace) -> int:
    console = Console(highlight=False)
    with _project(compiler, chosen) as project:
        compared = KeptIndex(compiler, project, lambda told: console.print(told, markup=False))
        with _until_interrupted(console):
            compared.compare(chosen.edits, chosen.seed, chosen.process_every)
    result = compared.result
    console.print(
        f"{_size(project)}: "
        f"{result.states:,} states compared, each by a new model, {result.broken:,} with errors, "
        f"{result.with_old_time:,} edits with the file's old time, "
        f"{result.processes} by a new process; {len(result.differences)} differences"
    )
    console.print(f"Compiled: {dict(result.compiled)}")
    return 1 if result.differences else 0


@contextmanager
def _project(compiler: Compiler, chosen: argparse.Namespace) -> Iterator[LaidOutProject]:
    """Return a project of the chosen size."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "project"
        root.mkdir()
        files, assemblies = chosen.files or 100, chosen.assemblies or 6
        yield lay_out(root, compiler, files=files, assemblies=assemblies)


@contextmanager
def _until_interrupted(console: Console) -> Iterator[None]:
    """End a comparison at Ctrl-C; its results so far are printed."""
    try:
        yield
    except KeyboardInterrupt:
        console.print("Interrupted.")


def _size(project: LaidOutProject) -> str:
    return f"{len(project.sources)} files in {len(project.assemblies)} assemblies"


def _changes(compiler: Compiler) -> int:
    table = Table(title="Changed since the build")
    for column in ("of", "change", "Unity", "said in", "check"):
        table.add_column(column)
    with tempfile.TemporaryDirectory() as folder:
        found = measure_changes(
            compiler,
            Path(folder).resolve(),
            lambda kind, each, answer: table.add_row(
                kind, each.what, each.unity, each.source, answer
            ),
        )
    console = Console(highlight=False, width=160)
    console.print(table)
    for name, told in (("clean", found.false_cleans), ("alarm", found.false_alarms)):
        for each in told:
            console.print(f"FALSE {name}: {each}", markup=False)
    console.print(
        f"{found.changes} kinds of changes, {found.answers} answers: "
        f"{len(found.false_cleans)} false cleans, {len(found.false_alarms)} false alarms."
    )
    return 1 if found.false_cleans or found.false_alarms else 0


def _compare(comparison: Comparison, chosen: argparse.Namespace) -> None:
    comparison.unchanged()
    if chosen.edits:
        comparison.single_edits(chosen.edits, chosen.seed, csc_every=chosen.csc_every)
    if chosen.hidden:
        comparison.hidden(chosen.hidden, chosen.seed)
    for number in range(chosen.series):
        seed = chosen.seed + number
        comparison.series(chosen.length, seed, cold_every=chosen.cold_every)


def _print(row: Row) -> None:
    table = Table(title="Milliseconds (90th percentile), and times the resident compile")
    for column in ("files", "assemblies", "cold", "nothing changed", "a body", "a declaration"):
        table.add_column(column, justify="right")
    for column in ("csc each", "compile cold", "bound anew", "MB", "MB compile"):
        table.add_column(column, justify="right")
    by_processor = row.cold_processor_to_resident
    also = "" if by_processor is None else f", processor {by_processor:.2f}×"
    table.add_row(
        f"{row.files:,}",
        str(row.assemblies),
        f"{row.cold_ms:,.0f} ({row.cold_to_resident:.2f}×{also})",
        f"{row.nothing_ms:,.0f} ({row.nothing_p90_ms:,.0f})",
        f"{row.body_ms:,.0f} ({row.body_p90_ms:,.0f})",
        f"{row.declaration_ms:,.0f} ({row.declaration_p90_ms:,.0f})",
        "" if row.csc_ms is None else f"{row.csc_ms:,.0f}",
        f"{row.resident_cold_ms:,.0f}",
        f"{row.resident_ms:,.0f}",
        f"{row.memory_mb:,.0f}",
        f"{row.resident_mb:,.0f}",
    )
    Console(width=160).print(table)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(allow_abbrev=False, prog="python -m benchmarks.project_check")
    parser.add_argument("--files", type=int, help="about so many files, instead of all sizes")
    parser.add_argument("--assemblies", type=int, default=6, help="with --files")
    parser.add_argument("--rounds", type=int, default=20, help="changes of each kind")
    parser.add_argument("--agreement", action="store_true", help="compare with the compiler")
    parser.add_argument("--kept", action="store_true", help="the same with a kept index")
    parser.add_argument(
        "--process-every", type=int, default=100, metavar="N", help="with --kept: a new process"
    )
    parser.add_argument("--changes", action="store_true", help="each change since the build")
    parser.add_argument("--edits", type=int, default=3_000, help="single edits to compare after")
    parser.add_argument("--series", type=int, default=3, help="series of edits")
    parser.add_argument("--length", type=int, default=100, help="edits in a series")
    parser.add_argument("--hidden", type=int, default=30, help="edits below that errors hide")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--csc-every", type=int, default=0, metavar="N", help="ask csc itself, too, each N edits"
    )
    parser.add_argument(
        "--cold-every", type=int, default=0, metavar="N", help="a new server, too, each N edits"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
