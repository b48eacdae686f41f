"""Compare the server's references with those of Roslyn's ``SymbolFinder``.

    python -m benchmarks.rename.references [--files N --assemblies M] [--symbols N] [--seed N]
                                           [--renames N]

Compares the references of drawn symbols, by kind, on a project of real packages, and the texts of
renames with those of ``Renamer``. Prints each difference, and ends with 1 if there is any.
Places in code that the build's symbols exclude are not compared: Roslyn does not see them.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from random import Random
from typing import Any

from pygls.exceptions import JsonRpcException
from rich.console import Console
from rich.table import Table

from benchmarks.project_check.compilers import registry_compiler
from benchmarks.project_check.layout import LaidOutProject, lay_out
from benchmarks.rename.served import ServedNames, serving
from benchmarks.rename.workspace import Declared, Place, Workspace
from roslyn_server.toolchains.packages import FetchError


def compare_renames(
    root: Path, workspace: Workspace, server: ServedNames, drawn: Sequence[Declared]
) -> Iterator[tuple[Declared, str]]:
    """Yield each symbol with the outcome of a rename to a new name.

    ``equal``: the same texts; ``refused: CODE``; ``differs: FILES``.
    """
    for each in drawn:
        name = f"{each.name}Zq"
        try:
            answer = server.rename(*each.place, name)
        except JsonRpcException as error:
            yield each, f"failed: {error}"
            continue
        if answer.conflicts:
            yield each, f"refused: {answer.conflicts[0].code}"
            continue
        truth = workspace.rename(each.place, name)
        if isinstance(truth, str):
            yield each, f"differs: {truth}"
            continue
        ours = applied(root, answer)
        wrong = sorted(
            path
            for path in {*truth, *ours}
            if truth.get(path, "") != ours.get(path, "")
            and not _differs_in_excluded(workspace, path, answer)
        )
        yield each, f"differs: {_first_difference(wrong[0], truth, ours)}" if wrong else "equal"


def _first_difference(path: str, truth: Mapping[str, str], ours: Mapping[str, str]) -> str:
    """Return the first line that differs, as Roslyn and as we have it."""
    pairs = zip_longest(truth.get(path, "").splitlines(), ours.get(path, "").splitlines())
    for number, (one, other) in enumerate(pairs, 1):
        if one != other:
            return f"{path}:{number}: Roslyn {(one or '').strip()!r}, we {(other or '').strip()!r}"
    return path


def _differs_in_excluded(workspace: Workspace, path: str, answer: Any) -> bool:
    """Return whether some of a file's edits stand in code that only other symbols compile."""
    return any(
        workspace.is_excluded((path, edit.line, edit.character))
        for file in answer.edits
        if file.path == path
        for edit in file.edits
    )


def applied(root: Path, answer: Any) -> dict[str, str]:
    """Return the texts after a rename, by path."""
    texts: dict[str, str] = {}
    for file in answer.edits:
        text = (root / file.path).read_bytes().decode("utf-8-sig")
        starts = [0]
        for line in text.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        for edit in reversed(file.edits):
            start = starts[edit.line] + edit.character
            end = starts[edit.endLine] + edit.endCharacter
            text = text[:start] + edit.newText + text[end:]
        texts[file.path] = text
    return texts


@dataclass(frozen=True, slots=True)
class Difference:
    """A symbol for which the two find different references."""

    declared: Declared
    missed: tuple[Place, ...]
    made_up: tuple[Place, ...]
    failure: str = ""

    def __str__(self) -> str:
        path, line, at = self.declared.place
        return (
            f"{self.declared.kind} {self.declared.name} {path}:{line + 1}:{at + 1}: {self.failure}"
            f"missed {_shown(self.missed)}, made up {_shown(self.made_up)}"
        )


def _shown(places: Sequence[Place]) -> str:
    first = ", ".join(f"{path}:{line + 1}:{at + 1}" for path, line, at in places[:3])
    return f"{len(places)} ({first})" if places else "0"


@dataclass
class Agreement:
    """How many symbols were compared by kind, their references, and every difference."""

    symbols: Counter[str] = field(default_factory=Counter)
    references: Counter[str] = field(default_factory=Counter)
    incomplete: int = 0
    differences: list[Difference] = field(default_factory=list)


def compare(
    workspace: Workspace, server: ServedNames, drawn: Sequence[Declared]
) -> Iterator[tuple[Declared, Difference | None, Any]]:
    """Yield each symbol with its difference, if there is one, and the server's answer."""
    for each in drawn:
        found = workspace.references(each.place)
        truth = found["explicit"] | found["declaration"]
        try:
            answer = server.references(*each.place)
        except JsonRpcException as error:
            yield each, Difference(each, (), (), f"{error} "), None
            continue
        ours = {
            (one.path, one.line, one.character) for one in answer.references if one.kind != "string"
        }
        missed = tuple(sorted(truth - ours))
        more = sorted(ours - truth - found["implicit"])
        made_up = tuple(one for one in more if not workspace.is_excluded(one))
        yield each, Difference(each, missed, made_up) if missed or made_up else None, answer


def draw(declared: Sequence[Declared], count: int, seed: int) -> list[Declared]:
    """Return symbols drawn so that each kind has its share."""
    random = Random(seed)
    by_kind: dict[str, list[Declared]] = {}
    for each in declared:
        by_kind.setdefault(each.kind, []).append(each)
    for those in by_kind.values():
        random.shuffle(those)
    drawn: list[Declared] = []
    while len(drawn) < count and any(by_kind.values()):
        for those in by_kind.values():
            if those and len(drawn) < count:
                drawn.append(those.pop())
    return drawn


def main() -> int:
    """Compare; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=400)
    parser.add_argument("--assemblies", type=int, default=10)
    parser.add_argument("--symbols", type=int, default=2_000)
    parser.add_argument("--renames", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    console = Console(highlight=False)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "project"
        root.mkdir()
        try:
            compiler = registry_compiler()
            project: LaidOutProject = lay_out(
                root, compiler, files=chosen.files, assemblies=chosen.assemblies
            )
        except FetchError as error:
            sys.exit(str(error))
        workspace = Workspace(compiler, root, project.response_files)
        drawn = draw(workspace.declarations(), chosen.symbols, chosen.seed)
        result = Agreement()
        with serving(root, compiler.toolchain) as server:
            for each, difference, answer in compare(workspace, server, drawn):
                result.symbols[each.kind] += 1
                if answer is not None:
                    result.references[each.kind] += len(answer.references)
                    result.incomplete += not answer.complete
                if difference is not None:
                    result.differences.append(difference)
                    console.print(str(difference), markup=False)
            outcomes: Counter[str] = Counter()
            more = draw(workspace.declarations(), chosen.renames, chosen.seed + 1)
            for each, outcome in compare_renames(root, workspace, server, more):
                outcomes[outcome.partition(": ")[0]] += 1
                if outcome != "equal":
                    console.print(f"rename of {each}: {outcome}", markup=False)
    table = Table("kind", "symbols", "references", "differences")
    wrong = Counter(each.declared.kind for each in result.differences)
    for kind, count in result.symbols.most_common():
        table.add_row(kind, f"{count:,}", f"{result.references[kind]:,}", str(wrong[kind]))
    console.print(table)
    console.print(
        f"{result.symbols.total():,} symbols, {result.references.total():,} references, "
        f"{len(result.differences)} differences; {result.incomplete} answers incomplete"
    )
    console.print(f"Renames: {dict(outcomes)}")
    return 1 if result.differences or outcomes["differs"] else 0


if __name__ == "__main__":
    sys.exit(main())
