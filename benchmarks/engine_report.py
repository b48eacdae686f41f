"""The engine benchmark's rows and aims, and how they are printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from benchmarks.command_line import CommandLineFigures
from benchmarks.comparison import Change
from benchmarks.measuring import Spread


@dataclass(frozen=True)
class Row:
    """One case's figures, in milliseconds.

    ``ratio_to_parse`` is the median over the median cold parse of the same file in the same
    rounds; ``cpu_parses`` the same of the processor's time, with its noise. ``beyond_write_ms``,
    for applies: the median apply, less the median preview and the median bare write.
    """

    case: str
    file: str
    lines: int
    bytes: int
    edits: int
    state: str
    rounds: int
    median_ms: float
    p90_ms: float
    least_ms: float
    parse_ms: float
    ratio_to_parse: float
    cpu_parses: Spread
    bare_write_ms: float | None = None
    beyond_write_ms: float | None = None

    @property
    def name(self) -> str:
        """Return in words what was measured."""
        return f"{self.state} {self.case}, {self.file}, {self.lines:,} lines, {_edits(self.edits)}"


@dataclass(frozen=True)
class Aim:
    """A figure that the engine is to reach: at most ``limit``, here ``value``."""

    name: str
    limit: float
    value: float
    unit: str

    @property
    def met(self) -> bool:
        """Return whether the figure is within its limit."""
        return self.value <= self.limit


def figures(rows: Sequence[Row], command_line: CommandLineFigures) -> dict[str, Spread]:
    """Return the figures that are compared with another run, by name; all are ratios."""
    found = {row.name: row.cpu_parses for row in rows if row.rounds >= _ENOUGH_ROUNDS}
    return {**found, f"whole unity-cli process, {command_line.lines:,} lines": command_line.ratio}


_ENOUGH_ROUNDS = 5
"""Of fewer, nobody knows the noise."""


def aims(rows: Sequence[Row], command_line: CommandLineFigures) -> list[Aim]:
    """Return every aim that has a figure, in the order of the rows."""
    found: list[Aim] = []
    for row in rows:
        if row.case == "apply" and row.beyond_write_ms is not None:
            found.append(Aim(f"{row.name}, beyond write", 1.0, row.beyond_write_ms, "ms"))
        elif row.state == "cold":
            limit = 3.0 if row.lines < _FEW_LINES else 1.5
            found.append(Aim(row.name, limit, row.ratio_to_parse, "parses"))
        elif row.file == "4 MB":
            found.append(Aim(row.name, 100, row.median_ms, "ms"))
        elif (row.lines, row.edits) in _WARM_PREVIEW_PARSES:
            limit = _WARM_PREVIEW_PARSES[row.lines, row.edits]
            found.append(Aim(row.name, limit, row.ratio_to_parse, "parses"))
    name = f"whole unity-cli process, {command_line.lines:,} lines"
    return [*found, Aim(name, 8, command_line.ratio.middle, "bare interpreters")]


_FEW_LINES = 200
"""In shorter files it isn't the parse that takes the time."""
_WARM_PREVIEW_PARSES = {(1_000, 1): 0.12, (1_000, 10): 0.25, (5_000, 10): 0.08}


def print_comparison(changes: Sequence[Change]) -> None:
    """Print what got slower and faster than a recorded run, or that nothing did."""
    for word, those in (
        ("slower", [each for each in changes if each.is_slower]),
        ("faster", [each for each in changes if each.is_faster]),
    ):
        print(f"{word} than recorded: {len(those)} of {len(changes)}")
        for each in those:
            print(
                f"  {each.factor:5.2f} x  {each.name}: {_spread(each.then)} -> {_spread(each.now)}"
            )


def _spread(spread: Spread) -> str:
    return f"{spread.middle:.3f} ({spread.low:.3f} to {spread.high:.3f})"


def print_report(
    rows: Sequence[Row], command_line: CommandLineFigures, reached: Sequence[Aim]
) -> None:
    """Print the tables: coloured on a terminal, plain in a pipe."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=120)
    table = Table(title="edit_snippet in this process, milliseconds")
    for column in ("case", "file", "state"):
        table.add_column(column)
    for column in (
        "lines",
        "edits",
        "median",
        "p90",
        "least",
        "parse",
        "× parse",
        "bare write",
        "beyond",
    ):
        table.add_column(column, justify="right")
    for row in rows:
        table.add_row(
            *(row.case, row.file, row.state, f"{row.lines:,}", str(row.edits)),
            *(_ms(row.median_ms), _ms(row.p90_ms), _ms(row.least_ms), _ms(row.parse_ms)),
            *(f"{row.ratio_to_parse:.2f}", _ms(row.bare_write_ms), _ms(row.beyond_write_ms)),
        )
    console.print(table)
    console.print("parse: one cold tree-sitter parse. beyond: apply − preview − bare write.\n")
    console.print(
        f"whole `unity-cli tool call edit_snippet` process, {command_line.lines:,} lines: "
        f"median {command_line.median_ms:.0f} ms, p90 {command_line.p90_ms:.0f} ms "
        f"(bare interpreter {command_line.interpreter_ms:.0f} ms: "
        f"{command_line.ratio.middle:.1f} of these)\n"
    )
    table = Table(title="Aims")
    for column in ("", "aim", "at most", "measured"):
        table.add_column(column, justify="left" if column in ("", "aim") else "right")
    for aim in reached:
        mark = "[green]met[/]" if aim.met else "[red]missed[/]"
        limit, value = f"{aim.limit:g} {aim.unit}", f"{aim.value:.2f} {aim.unit}"
        table.add_row(mark, aim.name, limit, value)
    console.print(table)


def _ms(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _edits(count: int) -> str:
    return f"{count} edit" if count == 1 else f"{count} edits"
