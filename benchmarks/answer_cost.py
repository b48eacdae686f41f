"""Measure the bytes that an edit costs an agent, next to a plain edit tool.

``python -m benchmarks.answer_cost [--changes N] [--seed N] [--packages NAME …] [--alone]``:
real changes of real packages are replayed through a real MCP client and a server's
process. A change of a file is one call, with an anchor for each of its hunks. The reference is a
tool that takes a file, an old and a new text, once for each hunk, and answers in a line. With
``--alone`` each hunk is a call of its own in ours, too. Counted are the arguments, and the half of
the answer that a model is shown; ``wire`` has both halves.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.landing.packages import TUNING_PACKAGES, changes
from benchmarks.landing.phrasing import word
from benchmarks.landing.road import Road, over_http
from benchmarks.landing.true_edits import SMALL, TrueEdit, true_edits
from benchmarks.landing.wording import Wording, lines_above, lines_below, stands_once
from roslyn_server.toolchains.packages import FetchError
from snippet_engine.limits import MAX_INSTRUCTIONS

AIM = 1.5
"""Most that ours may cost, as a ratio to the plain tool."""

MEDIAN_AIM = 400
"""Longest answer of an apply at the median, in bytes."""

_CHANGES_OF_A_PACKAGE = 400
_WIDEST = 12


@dataclass(frozen=True)
class Day:
    """One file's change, as an agent would send it."""

    script: TrueEdit
    words: tuple[Wording, ...]
    is_small: bool

    @property
    def path(self) -> str:
        """Return the script's path."""
        return f"Assets/{self.script.script.path}"

    def call(self) -> tuple[str, dict[str, Any]]:
        """Return the tool and its arguments."""
        instructions = [each.to_instruction() for each in self.words]
        change = {"path": self.path, "instructions": instructions}
        if self.is_small:
            return "edit_snippet", {"mode": "apply", **change}
        return "edit_scripts", {"mode": "apply", "changes": [change]}

    def plain_calls(self) -> Iterator[tuple[dict[str, str], str]]:
        """Yield the plain tool's arguments and answers."""
        for each in self.words:
            old, new = _quoted(self.script.script.text, each)
            yield (
                {"file_path": self.path, "old_string": old, "new_string": new},
                f"The file {self.path} has been updated.",
            )


@dataclass
class Cost:
    """Bytes of one tool over all changes."""

    calls: int = 0
    failed: int = 0
    sent: int = 0
    shown: int = 0
    wire: int = 0
    answers: list[int] = field(default_factory=list)

    def add(self, arguments: object, shown: str, wire: int) -> None:
        """Count one call."""
        self.calls += 1
        self.sent += _size(arguments)
        self.shown += len(shown.encode())
        self.wire += wire
        self.answers.append(len(shown.encode()))


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print, and return whether the aims are met as the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.answer_cost")
    parser.add_argument("--changes", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--packages", nargs="*", default=TUNING_PACKAGES[:12])
    parser.add_argument("--alone", action="store_true")
    options = parser.parse_args(argv)
    try:
        days = sampled(options.packages, options.changes, options.seed)
    except FetchError as error:
        print(error, file=sys.stderr)
        return 2
    if options.alone:
        days = [Day(each.script, (words,), each.is_small) for each in days for words in each.words]
    ours, plain = asyncio.run(measured(days))
    return report(ours, plain)


def sampled(packages: Sequence[str], count: int, seed: int) -> list[Day]:
    """Return so many changes of the packages, each as an agent would send it."""
    rng = Random(seed)
    found: list[Day] = []
    for package in packages:
        found += _days(package, rng)
    return rng.sample(found, min(count, len(found)))


def _days(package: str, rng: Random) -> Iterator[Day]:
    for change in islice(changes(package), _CHANGES_OF_A_PACKAGE):
        edits = list(islice(true_edits([change]), MAX_INSTRUCTIONS))
        words = [(edit, word(edit, rng)) for edit in edits]
        kept = [(edit, each) for edit, each in words if each is not None]
        if kept:
            is_small = all(edit.size <= SMALL for edit, _ in kept)
            yield Day(kept[0][0], tuple(each for _, each in kept), is_small)


async def measured(days: Sequence[Day]) -> tuple[Cost, Cost]:
    """Replay the changes, and count the bytes of our tools and of the plain one."""
    ours, plain = Cost(), Cost()
    with tempfile.TemporaryDirectory(prefix="answer-cost-") as folder:
        async with over_http(Path(folder)) as road:
            for day in days:
                if await _replay(road, day, ours):
                    for arguments, answer in day.plain_calls():
                        plain.add(arguments, answer, len(answer.encode()))
    return ours, plain


async def _replay(road: Road, day: Day, ours: Cost) -> bool:
    """Return whether the change was applied: what isn't comes to nothing in both tools."""
    script = day.script.script
    road.write(day.path, script.to_bytes(script.text))
    tool, arguments = day.call()
    seen = await road.call(arguments, tool)
    if seen.is_error:
        ours.failed += 1
        return False
    shown = _json(seen.structured)
    ours.add(arguments, shown, len(shown.encode()) + _size(seen.text))
    return True


def _quoted(text: str, worded: Wording) -> tuple[str, str]:
    """Return the old text, unique in the file, and the new one."""
    splice = worded.splice
    start, end = min(worded.start, splice.start), max(worded.end, splice.end)
    for more in range(1, _WIDEST):
        if start < end and stands_once(text, text[start:end]):
            break
        start, end = lines_above(text, start, more), lines_below(text, end, more)
    return text[start:end], text[start : splice.start] + splice.new + text[splice.end : end]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _size(value: object) -> int:
    return len(_json(value).encode())


def report(ours: Cost, plain: Cost) -> int:
    """Print the figures; return 0 if they are as aimed for."""
    if not ours.calls:
        print("No change was applied.", file=sys.stderr)
        return 1
    ratio = (ours.sent + ours.shown) / (plain.sent + plain.shown)
    middle = median(ours.answers)
    table = Table("tool", "calls", "sent", "shown", "wire", "median answer")
    for name, cost in (("ours", ours), ("plain", plain)):
        counts = (cost.calls, cost.sent, cost.shown, cost.wire, median(cost.answers))
        table.add_row(name, *(f"{each:,.0f}" for each in counts))
    console = Console()
    console.print(table)
    console.print(
        f"sent and shown: {ratio:.2f} × plain (aim {AIM}); median answer {middle:.0f} bytes "
        f"(aim {MEDIAN_AIM}); {ours.failed} refused, left out of both"
    )
    return 0 if ratio <= AIM and middle <= MEDIAN_AIM else 1


if __name__ == "__main__":
    sys.exit(main())
