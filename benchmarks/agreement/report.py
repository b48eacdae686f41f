"""A run as a table for people: kind by kind, the totals with their bounds, what was missed."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from benchmarks.agreement.confusion import Counts, Disagreement, interval
from benchmarks.agreement.judging import Run

_SHOWN = 12
"""Examples of each kind of disagreement that are printed."""


def print_run(run: Run, heading: str) -> None:
    """Print the confusion table, the checks, and some of the disagreements."""
    console = Console()
    table = Table(title=heading)
    table.add_column("kind of edit")
    columns = ("valid", "false rejects", "broken", "false accepts", "never compiles", "accepted")
    for column in columns:
        table.add_column(column, justify="right")
    for kind, counts in sorted(run.confusion.by_kind.items()):
        table.add_row(kind, *_cells(counts))
    table.add_section()
    table.add_row("all", *_cells(run.confusion.total), style="bold")
    console.print(table)
    total = run.confusion.total
    console.print(f"False rejects: {_rate(total.false_rejects, total.valid)}")
    console.print(f"False accepts: {_rate(total.false_accepts, total.broken)}")
    console.print(
        "Parses, and never compiles whatever is referenced; accepted: "
        f"{_rate(total.form_accepts, total.form)}"
    )
    console.print(
        f"{run.files:,} files, {run.unreadable:,} of them not C# 9 and left alone. "
        "Unchanged files reported as newly broken: "
        f"{len(run.unchanged_alarms)}; standing alarms on files that Roslyn takes: "
        f"{len(run.standing_alarms)}, and written into an empty file: {len(run.anew_alarms)}; "
        "verdicts that differ when nothing is reused: "
        f"{len(run.incremental_mismatches)}."
    )
    console.print(
        f"Embedded {run.embedded_seconds:.0f} s, Roslyn {run.roslyn_seconds:.0f} s "
        "(each case under every symbol set)."
    )
    _print_examples(console, "False rejects", run.confusion.false_rejects)
    _print_examples(console, "False accepts", run.confusion.false_accepts)
    _print_examples(console, "Never compiles, accepted", run.confusion.form_accepts)


def _cells(counts: Counts) -> list[str]:
    return [
        str(counts.valid),
        str(counts.false_rejects or "·"),
        str(counts.broken),
        str(counts.false_accepts or "·"),
        str(counts.form or "·"),
        str(counts.form_accepts or "·"),
    ]


def _rate(count: int, of: int) -> str:
    bounds = interval(count, of)
    if bounds["rate"] is None:
        return "none judged"
    low, high = bounds["low"] or 0.0, bounds["high"] or 0.0
    return f"{count} of {of:,} ({count / of:.3%}; 95 % interval {low:.3%} to {high:.3%})"


def _print_examples(console: Console, title: str, examples: Sequence[Disagreement]) -> None:
    if not examples:
        return
    console.print(f"\n{title}, {min(_SHOWN, len(examples))} of {len(examples)}:", style="bold")
    for each in examples[:_SHOWN]:
        console.print(f"- {each.kind} in {each.file}", markup=False, highlight=False)
        console.print(f"  {each.after!r}", markup=False, highlight=False)
        console.print(f"  {'; '.join(each.errors)}", markup=False, highlight=False)
