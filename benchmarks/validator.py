"""How fast the embedded validator is, against one tree-sitter and one Roslyn parse.

    python -m benchmarks.validator [--json] [--rounds N]

*Cold*: the file was never seen; only the edit is known, as it is to the engine. *Warm*: the file
was validated before. Every validation is of an edit that was not seen yet, half of them fine and
half mistakes. Reading the file is not measured. Each round measures in turn a cold
tree-sitter parse of the file, a Roslyn parse (warmed up; where the extra ``roslyn`` is
installed), and both validations.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from random import Random
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from benchmarks.agreement.cases import Case, make_case
from benchmarks.agreement.changes import CHANGES
from benchmarks.agreement.mistakes import MISTAKES
from benchmarks.agreement.tokens import Tokens
from benchmarks.generated_csharp import csharp_of_lines
from benchmarks.measuring import Samples, repeat
from benchmarks.workbench import cold_parse
from roslyn_server.toolchains.packages import FetchError
from snippet_engine.csharp.document_cache import DocumentCache
from snippet_engine.source_text import SourceText, decode
from snippet_engine.validation.embedded.embedded_validator import EmbeddedValidator

if TYPE_CHECKING:
    from benchmarks.agreement.oracle import Oracle

_LINES = (100, 1_000, 5_000, 20_000)
_PATH = "Assets/Generated.cs"
_SEED = 7


@dataclass(frozen=True)
class Row:
    """One file: medians and 90th percentiles in milliseconds, and the references."""

    lines: int
    directives: bool
    rounds: int
    cold_ms: float
    cold_p90_ms: float
    warm_ms: float
    warm_p90_ms: float
    tree_sitter_ms: float
    roslyn_ms: float | None

    @property
    def warm_to_tree_sitter(self) -> float:
        """Warm median over one cold tree-sitter parse."""
        return self.warm_ms / self.tree_sitter_ms

    @property
    def warm_to_roslyn(self) -> float | None:
        """Warm median over one Roslyn parse."""
        return self.warm_ms / self.roslyn_ms if self.roslyn_ms else None


def measure(lines: int, oracle: Oracle | None, rounds: int, *, directives: bool) -> Row:
    """Validate edits of one generated file, ``rounds`` times cold and warm."""
    text = csharp_of_lines(lines, directives=directives)
    source = _source(text)
    validator = EmbeddedValidator()
    documents = DocumentCache()
    cases = {name: edits_of(text, name) for name in ("cold", "warm")}

    def validate(
        documents: DocumentCache, source: SourceText, after: SourceText, case: Case
    ) -> None:
        before = documents.get(source)
        validator.validate(_PATH, before, documents.edited(before, after, case.edits), case.edits)

    first = next(cases["warm"])
    validate(documents, source, _source(first.edited), first)
    if oracle is not None:
        oracle.parse_times_ms(text, 3)
    samples = Samples()
    roslyn: list[float] = []

    def one_round(_: int) -> None:
        samples.timed("tree-sitter", cold_parse, source.utf8)
        if oracle is not None:
            roslyn.extend(oracle.parse_times_ms(text, 1))
        for name, known, of_file in (
            ("cold", DocumentCache(), _source(text)),
            ("warm", documents, source),
        ):
            case = next(cases[name])
            samples.timed(name, validate, known, of_file, _source(case.edited), case)

    repeat(one_round, seconds=0, at_least=rounds, at_most=rounds)
    return Row(
        lines=lines,
        directives=directives,
        rounds=rounds,
        cold_ms=samples.median_ms("cold"),
        cold_p90_ms=samples.p90_ms("cold"),
        warm_ms=samples.median_ms("warm"),
        warm_p90_ms=samples.p90_ms("warm"),
        tree_sitter_ms=samples.median_ms("tree-sitter"),
        roslyn_ms=sorted(roslyn)[len(roslyn) // 2] if roslyn else None,
    )


def edits_of(text: str, purpose: str) -> Iterator[Case]:
    """Edits without end, fine ones and mistakes in turn, none twice; others for every purpose."""
    tokens, rng = Tokens(text), Random(f"{_SEED} {purpose}")
    seen: set[str] = set()
    while True:
        for generators in (CHANGES, MISTAKES):
            case = None
            while case is None or case.edited in seen:
                kind = rng.choice(list(generators))
                case = make_case(kind, generators[kind], tokens, rng)
            seen.add(case.edited)
            yield case


def _source(text: str) -> SourceText:
    source = decode(text.encode())
    if not isinstance(source, SourceText):
        raise TypeError(source.message)
    return source


def _roslyn() -> Oracle | None:
    """Roslyn, where it can be had; says why where it can't."""
    try:
        from benchmarks.agreement.oracle import Oracle

        return Oracle()
    except (ModuleNotFoundError, FetchError) as error:
        Console(stderr=True).print(f"Without Roslyn: {error}", highlight=False)
        return None


def _print(rows: list[Row]) -> None:
    table = Table(title="Embedded validation, milliseconds (90th percentile)")
    for column in ("lines", "cold", "warm", "tree-sitter parse", "Roslyn parse", "warm to each"):
        table.add_column(column, justify="right")
    for row in rows:
        ratio = f"{row.warm_to_tree_sitter:.2f}"
        if row.warm_to_roslyn is not None:
            ratio += f", {row.warm_to_roslyn:.2f}"
        table.add_row(
            f"{row.lines:,}{' with #if' if row.directives else ''}",
            f"{row.cold_ms:.2f} ({row.cold_p90_ms:.2f})",
            f"{row.warm_ms:.2f} ({row.warm_p90_ms:.2f})",
            f"{row.tree_sitter_ms:.2f}",
            "not measured" if row.roslyn_ms is None else f"{row.roslyn_ms:.2f}",
            ratio,
        )
    Console().print(table)


def main() -> None:
    """Measure every file and print a table, or one JSON object."""
    parser = argparse.ArgumentParser(allow_abbrev=False, prog="python -m benchmarks.validator")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--rounds", type=int, default=60, help="edits per file (20,000 lines: /4)")
    chosen = parser.parse_args()
    oracle = _roslyn()
    rows = [
        measure(
            lines,
            oracle,
            max(5, chosen.rounds // (4 if lines > 5_000 else 1)),
            directives=directives,
        )
        for lines in _LINES
        for directives in (False, True)
    ]
    if chosen.json:
        print(json.dumps({"rows": [asdict(row) for row in rows]}))
    else:
        _print(rows)


if __name__ == "__main__":
    main()
