"""Measure the language server's verdicts, its start and its memory.

    python -m benchmarks.verdict [--scripts N] [--newest] [--quick]

*Cold*: from nothing to the first verdict of a server process, its start and Roslyn's loading
included. *Warm*: a verdict on an edit that was not seen before, on a script that was; half of the
edits are fine and half are not, for which the original is judged too. *Syntax* is measured in a
project that was never built, *semantics* in one of 400 scripts whose project file is there, after
ten edits. Each round measures in turn the embedded verdict and a bare Roslyn parse of the same
text, in this process; ratios are to these. Memory is that of the server's processes, after all of
it; *processor* is its time for one verdict of the two, in the server's processes and in this one.
The compiler is 4.8 as ``unity-cli roslyn install`` brings it, without native code; with
``--newest`` the newest that this machine has for tests, an SDK's with native code if there is one.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

from rich.console import Console
from rich.table import Table

from benchmarks.measuring import Samples, repeat, session_processor_s
from benchmarks.verdict_project import OTHER_SCRIPTS, SCRIPT, make_project, script_of_lines
from lsp_client.process.server_process import resident_mb
from lsp_client.servers.selection import Selection
from lsp_client.servers.server_table import ROSLYN_SERVER, Launch
from lsp_client.timing import Timing
from lsp_client.validator import LanguageServerValidator
from roslyn_server.toolchains.install import (
    ROSLYN_4_8,
    install,
    installed_toolchain,
    is_installed,
    parts,
)
from roslyn_server.toolchains.machine import this_machine
from roslyn_server.toolchains.packages import FetchError
from roslyn_server.toolchains.pairing import Toolchain
from snippet_engine.csharp.document_cache import DocumentCache
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.project_settings import ProjectLanguage
from snippet_engine.source_text import SourceText, decode
from snippet_engine.validation.embedded.embedded_validator import EmbeddedValidator
from snippet_engine.validation.validator import Verdict

STARTING_S = 120.0
"""So long a server may take to start, on however busy a machine, in seconds."""

SCRIPTS = 400
"""Scripts of the project in which semantics are measured."""

WARM_UP = 10
"""Edits of each script before any is measured."""

_LINES = (100, 1_000, 5_000)
_FINE = ("return sum + ", "return {} + sum + ")
_MISTAKES = {"syntax": ("var sum = ", "var {0} = ) "), "semantics": ("limit;", "lmit{};")}


@dataclass(frozen=True)
class Effort:
    """How often each thing is measured."""

    starts: int
    rounds: int


@dataclass(frozen=True)
class Row:
    """Verdicts of one kind on one script: milliseconds, medians and 90th percentiles."""

    lines: int
    coverage: str
    rounds: int
    fine_ms: float
    fine_p90_ms: float
    wrong_ms: float
    wrong_p90_ms: float
    embedded_ms: float
    parse_ms: float
    processor_ms: float | None
    """The processor's time for one verdict of the two, in the server and here, on average."""
    client_processor_ms: float
    """What of that was here."""

    @property
    def to_embedded(self) -> float:
        """Return a valid edit's verdict over the embedded validator's."""
        return self.fine_ms / self.embedded_ms

    @property
    def to_parse(self) -> float:
        """Return a valid edit's verdict over one Roslyn parse."""
        return self.fine_ms / self.parse_ms


@dataclass(frozen=True)
class Start:
    """The cost of a server: seconds to the first verdict, MB of its processes."""

    coverage: str
    cold_s: float
    memory_mb: float


def measure(
    toolchain: Toolchain, effort: Effort, scripts: int = SCRIPTS
) -> tuple[list[Start], list[Row]]:
    """Measure everything with the compiler of ``toolchain``, in a project of so many scripts."""
    from benchmarks.agreement.oracle import Oracle

    oracle = Oracle()
    libraries = next((toolchain.dotnet_root / "shared" / "Microsoft.NETCore.App").iterdir())
    starts: list[Start] = []
    rows: list[Row] = []
    for coverage in ("syntax", "semantics"):
        with tempfile.TemporaryDirectory() as folder:
            root = make_project(
                Path(folder).resolve() / "project",
                libraries if coverage == "semantics" else None,
                max(OTHER_SCRIPTS, scripts - 1),
            )
            cold = [_cold_s(root, toolchain, coverage) for _ in range(effort.starts)]
            with running_validator(root, toolchain) as validator:
                _first_verdict(validator, coverage)
                for lines in _LINES:
                    rows.append(_measured(validator, oracle, lines, coverage, effort.rounds))
                starts.append(
                    Start(coverage, median(cold), resident_mb(validator.server_pid or 0) or 0)
                )
    return starts, rows


def _cold_s(root: Path, toolchain: Toolchain, coverage: str) -> float:
    started = perf_counter()
    with running_validator(root, toolchain) as validator:
        _first_verdict(validator, coverage)
        return perf_counter() - started


@contextmanager
def running_validator(root: Path, toolchain: Toolchain) -> Iterator[LanguageServerValidator]:
    """Yield a validator that asks ``roslyn_server`` with that compiler."""
    command = [sys.executable, "-m", "roslyn_server", "--stdio", "--project", str(root)]
    command += ["--roslyn-dir", str(toolchain.roslyn_dir)]
    command += ["--dotnet-root", str(toolchain.dotnet_root)]
    selection = Selection("benchmark", launches=(Launch(ROSLYN_SERVER, tuple(command), root),))
    unhurried = Timing(verdict_s=STARTING_S, semantics_s=STARTING_S)
    validator = LanguageServerValidator(root, lambda: selection, ProjectLanguage(root), unhurried)
    try:
        yield validator
    finally:
        validator.close()


def _first_verdict(validator: LanguageServerValidator, coverage: str) -> None:
    """Ask until there is one of that coverage: what comes late is said to be missing."""
    for number in range(20):
        asked = _Asked(script_of_lines(100) + f"// {number}\n")
        verdict = asked.judged_by(validator, ("return sum + ", "return 1 + sum + "))
        if coverage in verdict.coverage:
            return
    raise RuntimeError(f"no verdict on the {coverage}: {verdict.not_checked}")


class _Asked:
    """A script whose edits are judged."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._documents = DocumentCache()
        self._before = self._documents.get(_source(text))

    def judged_by(
        self, validator: LanguageServerValidator | EmbeddedValidator, edit: tuple[str, str]
    ) -> Verdict:
        start = self._text.index(edit[0])
        edits = EditSet((TextEdit(start, start + len(edit[0]), edit[1]),))
        source = _source(edits.apply(self._text))
        after = self._documents.edited(self._before, source, edits)
        if isinstance(validator, EmbeddedValidator):
            return validator.validate(SCRIPT, self._before, after, edits)
        verdict = validator.validate(
            SCRIPT, self._before, after, edits, within_s=STARTING_S, patient=True
        )
        if not isinstance(verdict, Verdict):
            raise RuntimeError(verdict.message)
        return verdict


def _measured(
    validator: LanguageServerValidator, oracle: object, lines: int, coverage: str, rounds: int
) -> Row:
    from benchmarks.agreement.oracle import Oracle

    assert isinstance(oracle, Oracle)
    text = script_of_lines(lines)
    asked, embedded = _Asked(text), EmbeddedValidator()
    samples, parses, spent = Samples(), list[float](), list[list[float]]()
    oracle.parse_times_ms(text, 3)

    def one_round(number: int) -> None:
        fine = _FINE[0], _FINE[1].format(number)
        wrong = _MISTAKES[coverage][0], _MISTAKES[coverage][1].format(number)
        samples.timed("embedded", asked.judged_by, embedded, fine)
        parses.extend(oracle.parse_times_ms(text, 1))
        before_s = _processor_s(validator)
        taken = samples.timed("fine", asked.judged_by, validator, fine)
        refused = samples.timed("wrong", asked.judged_by, validator, wrong)
        spent.append(
            [now - then for now, then in zip(_processor_s(validator), before_s, strict=True)]
        )
        if taken.diagnostics or not refused.diagnostics or coverage not in taken.coverage:
            raise RuntimeError(f"{coverage}, {lines} lines: {taken}, {refused}")

    for number in range(WARM_UP):
        one_round(-1 - number)
    samples = Samples()
    spent.clear()
    repeat(one_round, seconds=0, at_least=rounds, at_most=rounds)
    server_s, here_s = (sum(each) / len(each) / 2 for each in zip(*spent, strict=True))
    is_known = session_processor_s(validator.server_pid or 0) is not None
    return Row(
        lines=text.count("\n"),
        coverage=coverage,
        rounds=rounds,
        fine_ms=samples.median_ms("fine"),
        fine_p90_ms=samples.p90_ms("fine"),
        wrong_ms=samples.median_ms("wrong"),
        wrong_p90_ms=samples.p90_ms("wrong"),
        embedded_ms=samples.median_ms("embedded"),
        parse_ms=median(parses),
        processor_ms=(server_s + here_s) * 1000 if is_known else None,
        client_processor_ms=here_s * 1000,
    )


def _processor_s(validator: LanguageServerValidator) -> list[float]:
    """Return the processor time of the server so far, 0 if it isn't known, and of this process."""
    return [session_processor_s(validator.server_pid or 0) or 0.0, process_time()]


def _source(text: str) -> SourceText:
    source = decode(text.encode())
    if not isinstance(source, SourceText):
        raise TypeError(source.message)
    return source


def _print(starts: list[Start], rows: list[Row], toolchain: Toolchain, scripts: int) -> None:
    table = Table(title="Verdicts of roslyn_server, milliseconds (90th percentile)")
    columns = ("lines", "coverage", "fine edit", "wrong edit", "embedded", "Roslyn parse")
    for column in (*columns, "fine to each", "processor"):
        table.add_column(column, justify="right")
    for row in rows:
        table.add_row(
            f"{row.lines:,}",
            row.coverage,
            f"{row.fine_ms:.1f} ({row.fine_p90_ms:.1f})",
            f"{row.wrong_ms:.1f} ({row.wrong_p90_ms:.1f})",
            f"{row.embedded_ms:.2f}",
            f"{row.parse_ms:.2f}",
            f"{row.to_embedded:.1f}, {row.to_parse:.1f}",
            "" if row.processor_ms is None else f"{row.processor_ms:.1f}",
        )
    console = Console(width=120)
    console.print(table)
    for start in starts:
        console.print(
            f"Cold start to the first verdict on {start.coverage}: {start.cold_s:.2f} s; "
            f"memory of the server's processes: {start.memory_mb:.0f} MB",
            highlight=False,
        )
    console.print(
        f"Semantics in a project of {max(OTHER_SCRIPTS + 1, scripts)} scripts; the compiler is in "
        f"{toolchain.roslyn_dir}. A wrong edit is judged with its original.",
        highlight=False,
    )


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(allow_abbrev=False, prog="python -m benchmarks.verdict")
    parser.add_argument("--quick", action="store_true", help="one start, few rounds")
    parser.add_argument("--scripts", type=int, default=SCRIPTS, help="of the project")
    parser.add_argument("--newest", action="store_true", help="with the newest compiler")
    chosen = parser.parse_args()
    # What a server that fails has to say.
    logging.basicConfig()
    logging.getLogger("lsp_client.server").setLevel(logging.INFO)
    machine = this_machine()
    try:
        install([part for part in parts(machine, [ROSLYN_4_8]) if not is_installed(part)])
        toolchain = installed_toolchain(machine, ROSLYN_4_8)
        if chosen.newest:
            from benchmarks.project_check.compilers import newest_compiler

            toolchain = newest_compiler().toolchain
    except FetchError as error:
        sys.exit(str(error))
    effort = Effort(starts=1, rounds=5) if chosen.quick else Effort(starts=5, rounds=40)
    starts, rows = measure(toolchain, effort, chosen.scripts)
    _print(starts, rows, toolchain, chosen.scripts)


if __name__ == "__main__":
    main()
