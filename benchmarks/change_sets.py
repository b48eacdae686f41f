"""How fast ``edit_scripts`` is, against single previews and a bare write of the same files.

    python -m benchmarks.change_sets [--quick]

Warm: the engine has seen the files, and every round makes edits that it has not seen. Each round
measures in turn a preview of the set, previews of its files one by one, the write of a judged set,
and a bare write: every file to a temporary name, fsync, rename; one journal record with names, both
hashes and the contents before, fsync; the folder, fsync. That is what the promise itself takes, as
often as the engine does it: an fsync for each file, one for the record, one for each folder. Locks,
comparisons and the history come on top. Figures are medians over rounds, and of each ratio the
median over the rounds' own, for a disk has moods.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.edit_sites import edit_request, sites_of, spread
from benchmarks.generated_csharp import csharp_of_lines
from benchmarks.measuring import Samples, repeat
from benchmarks.workbench import must_succeed
from snippet_engine.engine import SnippetEngine
from snippet_engine.source_text import content_hash
from snippet_engine.storage.change_sets.change_plan import FileChange
from snippet_engine.storage.paths.project import Project, ScriptPath
from snippet_engine.storage.state_folder import write_all
from snippet_engine.storage.stores.change_store import ChangeStore

LINES = 1_000
MOST_TIMES_PREVIEWS = 1.1
MOST_TIMES_BARE = 1.3


@dataclass(frozen=True)
class Case:
    """So many files of :data:`LINES` lines, and instructions in all."""

    files: int
    instructions: int


@dataclass(frozen=True)
class Row:
    """One case's figures: medians in milliseconds, and medians of the rounds' ratios."""

    files: int
    instructions: int
    rounds: int
    preview_ms: float
    single_previews_ms: float
    preview_ratio: float
    write_ms: float
    bare_write_ms: float
    write_ratio: float

    @property
    def is_within_its_aims(self) -> bool:
        """Return whether both ratios reach their aims."""
        return self.preview_ratio <= MOST_TIMES_PREVIEWS and self.write_ratio <= MOST_TIMES_BARE


def cases(*, quick: bool) -> Iterator[Case]:
    """Yield every case, small sets first."""
    for files in (1, 5) if quick else (1, 5, 20):
        for instructions in (1, 50):
            if instructions >= files or instructions == 1:
                yield Case(files, max(instructions, files))


class ChangeBench:
    """A project with the files of a case, known to its engine."""

    def __init__(self, root: Path, case: Case) -> None:
        (root / "Assets").mkdir(parents=True)
        self.case = case
        self.paths = [f"Assets/F{number}.cs" for number in range(case.files)]
        text = csharp_of_lines(LINES)
        self._sites = sites_of(text)
        for path in self.paths:
            (root / path).write_text(text, encoding="utf-8", newline="")
        opened, project = SnippetEngine.open(root), Project.open(root)
        assert isinstance(opened, SnippetEngine)
        assert isinstance(project, Project)
        self.engine, self.root = opened, root
        self.store = ChangeStore(project)
        self._scripts = [project.locate(path) for path in self.paths]
        self.previews(0)

    def requests(self, turn: int) -> list[dict[str, Any]]:
        """Return a preview of each file, with edits that no earlier turn made."""
        each, more = divmod(self.case.instructions, self.case.files)
        return [
            edit_request(
                path, "preview", spread(self._sites, each + (number < more), turn), 1_000 + turn
            )
            for number, path in enumerate(self.paths)
        ]

    def preview(self, turn: int) -> None:
        """Preview the set."""
        changes = [
            {"path": each["path"], "instructions": each["instructions"]}
            for each in self.requests(turn)
        ]
        must_succeed(self.engine.edit_scripts({"mode": "preview", "changes": changes}), "previewed")

    def previews(self, turn: int) -> None:
        """Preview its files one by one; no more instructions than a small edit takes."""
        for request in self.requests(turn):
            every = request["instructions"]
            for start in range(0, len(every), 10):
                part = {**request, "instructions": every[start : start + 10]}
                must_succeed(self.engine.edit_snippet(part), "previewed")

    def contents(self, turn: int) -> list[tuple[bytes, bytes]]:
        """Return each file's content now, and with one more line."""
        now = [(self.root / path).read_bytes() for path in self.paths]
        return [(data, data.rstrip() + b"\n// %06d\n" % turn) for data in now]

    def write(self, contents: Sequence[tuple[bytes, bytes]]) -> None:
        """Write the set as the engine does once it was judged."""
        changes = [
            FileChange(script, before, after)
            for script, (before, after) in zip(self._scripts, contents, strict=True)
            if isinstance(script, ScriptPath)
        ]
        written = self.store.apply(changes, client=None)
        assert isinstance(written, str), written

    def bare_write(self, contents: Sequence[tuple[bytes, bytes]]) -> None:
        """Do the least that a durable write of the files, with a record of it, takes."""
        folder = self.root / "Assets"
        hashes = [tuple(map(content_hash, both)) for both in contents]
        for path, (_, after) in zip(self.paths, contents, strict=True):
            _durable((self.root / path).with_suffix(".bare"), after)
        header = json.dumps(list(zip(self.paths, hashes, strict=True))).encode()
        _durable(self.root / "record", b"\n".join([header, *(before for before, _ in contents)]))
        for path in self.paths:
            (self.root / path).with_suffix(".bare").replace(self.root / path)
        _sync(folder)
        (self.root / "record").unlink()


def _durable(path: Path, data: bytes) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        write_all(fd, data)
        os.fsync(fd)
    finally:
        os.close(fd)


def _sync(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def measure(case: Case, root: Path, *, seconds: float, at_most: int) -> Row:
    """Return the row of one case."""
    bench = ChangeBench(root, case)
    samples = Samples()
    ratios: dict[str, list[float]] = {"preview": [], "write": []}

    def one_round(number: int) -> None:
        turn = 2 * number + 1
        bench.previews(0)  # the last round wrote the files: seen again, for whoever comes first
        # In both orders in turn: who comes second finds warm caches, and a busy disk.
        if number % 2:
            samples.timed("previews", bench.previews, turn + 1)
            samples.timed("preview", bench.preview, turn)
            samples.timed("bare", bench.bare_write, bench.contents(turn + 1))
            samples.timed("write", bench.write, bench.contents(turn))
        else:
            samples.timed("preview", bench.preview, turn)
            samples.timed("previews", bench.previews, turn + 1)
            samples.timed("write", bench.write, bench.contents(turn))
            samples.timed("bare", bench.bare_write, bench.contents(turn + 1))
        ratios["preview"].append(samples.last_ms("preview") / samples.last_ms("previews"))
        ratios["write"].append(samples.last_ms("write") / samples.last_ms("bare"))

    repeat(one_round, seconds=seconds, at_least=4, at_most=at_most)
    return Row(
        files=case.files,
        instructions=case.instructions,
        rounds=samples.count("write"),
        preview_ms=samples.median_ms("preview"),
        single_previews_ms=samples.median_ms("previews"),
        preview_ratio=median(ratios["preview"]),
        write_ms=samples.median_ms("write"),
        bare_write_ms=samples.median_ms("bare"),
        write_ratio=median(ratios["write"]),
    )


def print_report(rows: Sequence[Row]) -> None:
    """Print the table: coloured on a terminal, plain in a pipe."""
    console = Console() if sys.stdout.isatty() else Console(width=120)
    table = Table(title=f"edit_scripts, files of {LINES:,} lines, warm (ms)")
    heads = ("files", "instructions", "rounds", "preview", "one by one", "ratio")
    for head in (*heads, "write", "bare write", "ratio", "aims"):
        table.add_column(head, justify="right")
    for row in rows:
        table.add_row(
            *(f"{row.files}", f"{row.instructions}", f"{row.rounds}"),
            *(f"{row.preview_ms:.2f}", f"{row.single_previews_ms:.2f}", f"{row.preview_ratio:.2f}"),
            *(f"{row.write_ms:.2f}", f"{row.bare_write_ms:.2f}", f"{row.write_ratio:.2f}"),
            "met" if row.is_within_its_aims else "missed",
        )
    console.print(table)
    console.print(
        f"aims: preview at most {MOST_TIMES_PREVIEWS} × one by one, "
        f"write at most {MOST_TIMES_BARE} × bare"
    )


def main() -> None:
    """Measure, then print a table."""
    parser = argparse.ArgumentParser(
        allow_abbrev=False, prog="python -m benchmarks.change_sets", description=__doc__
    )
    parser.add_argument("--quick", action="store_true", help="fewer files and rounds: under 30 s")
    chosen = parser.parse_args()
    seconds, at_most = (1.0, 20) if chosen.quick else (8.0, 200)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for number, case in enumerate(cases(quick=chosen.quick)):
            root = Path(folder) / str(number)
            rows.append(measure(case, root, seconds=seconds, at_most=at_most))
    print_report(rows)


if __name__ == "__main__":
    main()
