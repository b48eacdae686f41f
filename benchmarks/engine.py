"""How fast ``edit_snippet`` is, against a bare tree-sitter parse of the same file.

    python -m benchmarks.engine [--json] [--quick] [--compare FILE] [--plot FILE]

*Cold*: an engine opened within the measured time, in this process, on content that no engine
saw before. *Warm*: the engine has seen the file, and looks ahead behind each apply, as a server
does between two requests; every round makes an edit that it has not seen. Imports and the
interpreter's start are in the command-line figure only. Each round measures in turn a cold parse,
a preview, an apply of another edit, and a bare write of the same bytes to the same place; figures
are medians over rounds.

``--compare`` takes what an earlier run printed with ``--json``. It says what got slower by more
than the noise of both runs, and exits with 1 if anything did. What is compared are ratios, of the
processor's time where this process does the work. ``--plot`` draws the medians as SVG.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

from benchmarks.command_line import measure_command_line
from benchmarks.comparison import compared, figures_of
from benchmarks.edit_sites import edit_request, sites_of, spread
from benchmarks.engine_plot import plot
from benchmarks.engine_report import Row, aims, figures, print_comparison, print_report
from benchmarks.generated_csharp import csharp_of_bytes, csharp_of_lines
from benchmarks.measuring import Samples, Spread, repeat
from benchmarks.workbench import SCRIPT, Workbench, cold_parse, must_succeed


@dataclass(frozen=True)
class Effort:
    """How long each case is measured, and how many processes are started."""

    seconds: float
    at_least: int
    at_most: int
    processes: int


_FULL = Effort(seconds=4.0, at_least=7, at_most=200, processes=21)
_QUICK = Effort(seconds=0.4, at_least=5, at_most=30, processes=5)


@dataclass(frozen=True)
class Case:
    """One file, a number of edits, and whether the engine knows the file."""

    file: str
    text: str
    edits: int
    warm: bool


def cases(*, quick: bool) -> Iterator[Case]:
    """Yield every case, small files first; quick: no 20,000 lines, 4 MB only warm with one edit."""
    for lines in (100, 1_000, 5_000) if quick else (100, 1_000, 5_000, 20_000):
        text = csharp_of_lines(lines)
        for edits in (1, 10):
            yield Case("plain", text, edits, warm=False)
            yield Case("plain", text, edits, warm=True)
    directives = csharp_of_lines(1_000, directives=True)
    yield Case("with #if", directives, 1, warm=False)
    yield Case("with #if", directives, 1, warm=True)
    large = csharp_of_bytes(4_000_000)
    yield Case("4 MB", large, 1, warm=True)
    if not quick:
        yield Case("4 MB", large, 1, warm=False)
        yield Case("4 MB", large, 10, warm=True)


def measure(case: Case, bench: Workbench, effort: Effort) -> tuple[Row, Row]:
    """Return the preview row and the apply row of one case."""
    samples = Samples()
    one_round = (_warm_round if case.warm else _cold_round)(case, bench, samples)
    repeat(one_round, seconds=effort.seconds, at_least=effort.at_least, at_most=effort.at_most)
    return _row("preview", case, samples), _row("apply", case, samples)


def _cold_round(case: Case, bench: Workbench, samples: Samples) -> Callable[[int], None]:
    sites = sites_of(case.text)

    def one_round(number: int) -> None:
        for mode, status in (("preview", "previewed"), ("apply", "applied")):
            data = f"{case.text}// {mode} {number}\n".encode()
            bench.script.write_bytes(data)
            request = edit_request(SCRIPT, mode, spread(sites, case.edits, number), 1_000 + number)
            samples.timed("parse", cold_parse, data)
            must_succeed(samples.timed(mode, bench.edit_cold, request), status)
        samples.timed("bare", bench.bare_write, data)

    return one_round


def _warm_round(case: Case, bench: Workbench, samples: Samples) -> Callable[[int], None]:
    bench.script.write_text(case.text, encoding="utf-8", newline="")
    engine = bench.open_engine()
    first = edit_request(SCRIPT, "preview", spread(sites_of(case.text), case.edits, 0), 1_000)
    must_succeed(engine.edit_snippet(first), "previewed")

    def one_round(number: int) -> None:
        data = bench.script.read_bytes()
        sites = sites_of(data.decode())
        samples.timed("parse", cold_parse, data)
        for mode, status in (("preview", "previewed"), ("apply", "applied")):
            turn = 2 * number + (mode == "apply") + 1
            request = edit_request(SCRIPT, mode, spread(sites, case.edits, turn), 1_000 + turn)
            must_succeed(samples.timed(mode, engine.edit_snippet, request), status)
        engine.look_ahead()  # as the server does between two requests
        samples.timed("bare", bench.bare_write, bench.script.read_bytes())

    return one_round


def _row(mode: str, case: Case, samples: Samples) -> Row:
    took, parse = samples.median_ms(mode), samples.median_ms("parse")
    bare = samples.median_ms("bare") if mode == "apply" else None
    return Row(
        case=mode,
        file=case.file,
        lines=case.text.count("\n"),
        bytes=len(case.text.encode()),
        edits=case.edits,
        state="warm" if case.warm else "cold",
        rounds=samples.count(mode),
        median_ms=took,
        p90_ms=samples.p90_ms(mode),
        least_ms=samples.least_ms(mode),
        parse_ms=parse,
        ratio_to_parse=took / parse,
        cpu_parses=samples.cpu_ratio(mode, "parse"),
        bare_write_ms=bare,
        beyond_write_ms=took - samples.median_ms("preview") - bare if bare is not None else None,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, then print tables or, with ``--json``, exactly one JSON document.

    Returns 1 if ``--compare`` finds anything slower, 2 if it has nothing to compare with.
    """
    parser = argparse.ArgumentParser(
        allow_abbrev=False, prog="python -m benchmarks.engine", description=__doc__
    )
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.add_argument("--quick", action="store_true", help="fewer files and rounds: under 30 s")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="what --json printed earlier")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the medians there, as SVG")
    chosen = parser.parse_args(arguments)
    recorded: dict[str, Spread] = {}
    if chosen.compare is not None:
        try:
            recorded = figures_of(json.loads(chosen.compare.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError, AttributeError) as error:
            print(f"{chosen.compare} is no recorded run: {error}", file=sys.stderr)
            return 2
    effort = _QUICK if chosen.quick else _FULL
    with tempfile.TemporaryDirectory() as folder:
        bench = Workbench(Path(folder))
        rows: list[Row] = []
        for case in cases(quick=chosen.quick):
            if sys.stderr.isatty():
                print(f"\r{case.file}, {len(case.text):,} bytes …\033[K", end="", file=sys.stderr)
            rows += measure(case, bench, effort)
        command_line = measure_command_line(bench, lines=1_000, rounds=effort.processes)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    if chosen.plot is not None:
        chosen.plot.write_text(plot(rows), encoding="utf-8")
    reached = aims(rows, command_line)
    now = figures(rows, command_line)
    changes = compared(recorded, now)
    if chosen.json:
        document = {
            "rows": [asdict(row) for row in rows],
            "command_line": asdict(command_line),
            "figures": now,
            "aims": [{**asdict(aim), "met": aim.met} for aim in reached],
            "slower": [each.name for each in changes if each.is_slower],
            "quick": chosen.quick,
            "environment": {
                "python": platform.python_version(),
                "tree_sitter": version("tree-sitter"),
                "tree_sitter_c_sharp": version("tree-sitter-c-sharp"),
                "platform": platform.platform(),
                "processors": os.cpu_count(),
            },
        }
        print(json.dumps(document, indent=2))
    else:
        print_report(rows, command_line, reached)
        if chosen.compare is not None:
            print_comparison(changes)
    return 1 if any(each.is_slower for each in changes) else 0


if __name__ == "__main__":
    sys.exit(main())
