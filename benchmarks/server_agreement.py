"""Whether the two paths to a verdict see the same text: embedded, and Roslyn behind LSP.

    python -m benchmarks.server_agreement [--package NAME] [--sample N] [--json]

The cases are those of ``benchmarks.agreement``: mutations and valid edits of real files, put to
the embedded validator and, as ``edit_snippet`` does it, to ``roslyn_server`` through the language
client. The truth is what the same compiler says when it is called in this process. The project
was never built, so that syntax, form and language version are judged, not what names mean.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from benchmarks.agreement.cases import Case, draw
from benchmarks.agreement.packages import KNOWN, CorpusFile, load
from benchmarks.verdict import STARTING_S, running_validator
from benchmarks.verdict_project import make_project
from roslyn_server.compiler import hosting
from roslyn_server.toolchains.packages import FetchError
from snippet_engine.csharp.document_cache import DocumentCache
from snippet_engine.source_text import SourceText, decode
from snippet_engine.validation.embedded.embedded_validator import EmbeddedValidator
from snippet_engine.validation.validator import Diagnostic, Verdict

_SHOWN = 10
_SEED = 30_001
CERTAIN = frozenset(
    re.findall(
        r'\["(CS\d{4})"\] = ',
        (Path(hosting.__file__).with_name("csharp") / "texts/certain_errors.cs").read_text("utf-8"),
    )
)
"""What the server refuses though it knows no references."""


@dataclass(slots=True)
class Agreement:
    """How the cases came out: (truth, refused by the embedded, refused by the server) each."""

    counts: Counter[tuple[str, bool, bool]] = field(default_factory=Counter)
    beyond: Counter[str] = field(default_factory=Counter)
    """What the server refused that the oracle takes, for errors that it wasn't asked for: their
    ids. Each is one that no reference cures."""
    differences: list[dict[str, Any]] = field(default_factory=list)
    """Cases in which the server did not say what its compiler says here."""

    def add(self, file: CorpusFile, case: Case, truth: str, told: tuple[Verdict, Verdict]) -> None:
        """Count one case; ``told`` are the embedded validator's verdict and the server's."""
        ids = {each.id for each in told[1].diagnostics}
        if truth == "valid" and ids and ids <= CERTAIN:
            self.beyond.update(ids)
            truth = "certain"
        embedded, server = (bool(each.diagnostics) for each in told)
        self.counts[truth, embedded, server] += 1
        # What only a binder refuses is counted by itself: there the two may ask it other things.
        if truth not in ("form", "certain") and server != (truth == "broken"):
            self.differences.append(
                {
                    "file": file.label,
                    "kind": case.kind,
                    "truth": truth,
                    "start": case.edit.start,
                    "end": case.edit.end,
                    "new_text": case.edit.new_text,
                    "server": [_line(each) for each in told[1].diagnostics[:3]],
                }
            )

    def never_compiles(self) -> dict[str, int]:
        """Of what parses and never compiles, whatever is referenced: how much each judge takes."""
        of_form = {key: cases for key, cases in self.counts.items() if key[0] == "form"}
        return {
            "cases": sum(of_form.values()),
            "embedded_takes": sum(cases for key, cases in of_form.items() if not key[1]),
            "server_takes": sum(cases for key, cases in of_form.items() if not key[2]),
        }

    def to_json(self) -> dict[str, Any]:
        """The counts and the differences."""
        return {
            "refused_beyond_the_oracle": dict(sorted(self.beyond.items())),
            "never_compiles": self.never_compiles(),
            "counts": [
                {"truth": truth, "embedded_refuses": one, "server_refuses": other, "cases": cases}
                for (truth, one, other), cases in sorted(self.counts.items())
            ],
            "differences": self.differences,
        }


def compare(files: Sequence[CorpusFile], sample: int) -> Agreement:
    """Put so many mutations, and as many valid edits, to both."""
    from benchmarks.agreement.oracle import Oracle
    from benchmarks.agreement.toolchain import toolchain

    oracle, embedded, agreement = Oracle(), EmbeddedValidator(), Agreement()
    readable = [file for file in files if not oracle.errors(file.source.view)]
    with tempfile.TemporaryDirectory() as folder:
        root = make_project(Path(folder).resolve() / "project", None)
        with running_validator(root, toolchain()) as server:
            for file, cases in draw(readable, _SEED, sample, sample):
                truths = oracle.judge(file.source.view, [case.edited for case in cases])
                documents = DocumentCache()
                before = documents.get(file.source)
                for case, truth in zip(cases, truths, strict=True):
                    data = case.edits.apply_to_bytes(file.source)
                    source = decode(data) if isinstance(data, bytes) else None
                    if not isinstance(source, SourceText):
                        continue
                    after = documents.edited(before, source, case.edits)
                    path = f"Assets/{Path(file.label).name}"
                    verdict = server.validate(
                        path, before, after, case.edits, within_s=STARTING_S, patient=True
                    )
                    if not isinstance(verdict, Verdict):
                        raise click.ClickException(verdict.message)
                    own = embedded.validate(path, before, after, case.edits)
                    agreement.add(file, case, truth.truth.value, (own, verdict))
    return agreement


def _line(diagnostic: Diagnostic) -> str:
    return f"{diagnostic.position.line + 1}: {diagnostic.id} {diagnostic.message}"


def _print(agreement: Agreement, heading: str) -> None:
    table = Table(title=heading)
    for column in ("Roslyn, in process", "embedded", "roslyn_server", "cases"):
        table.add_column(column, justify="right")
    words = {False: "takes it", True: "refuses"}
    for (truth, embedded, server), cases in sorted(agreement.counts.items()):
        table.add_row(truth, words[embedded], words[server], f"{cases:,}")
    console = Console()
    console.print(table)
    never = agreement.never_compiles()
    console.print(
        f"Parses and never compiles, whatever is referenced: {never['cases']}, of which the "
        f"embedded validator takes {never['embedded_takes']}, roslyn_server {never['server_takes']}"
    )
    console.print(f"Refused for what the oracle wasn't asked: {dict(agreement.beyond)}")
    console.print(f"roslyn_server differs from its own compiler: {len(agreement.differences)}")
    for each in agreement.differences[:_SHOWN]:
        console.print(json.dumps(each, ensure_ascii=False), highlight=False, markup=False)


@click.command()
@click.option("--package", multiple=True, help=f"Known: {', '.join(KNOWN)}.")
@click.option("--sample", type=int, default=300, show_default=True, help="Mutations; as many fine.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def main(package: tuple[str, ...], sample: int, as_json: bool) -> None:
    """Compare the verdicts of the embedded validator and of roslyn_server on real files."""
    names = package or (KNOWN[0],)
    try:
        agreement = compare([file for name in names for file in load(name)], sample)
    except FetchError as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(json.dumps({"packages": names, "sample": sample, **agreement.to_json()}))
    else:
        _print(agreement, f"{', '.join(names)}: {sample:,} mutations, {sample:,} valid edits")


if __name__ == "__main__":
    main()
