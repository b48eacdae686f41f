"""Rename what real projects declare, there and back, and hold it against compiler and PyYAML.

    python -m benchmarks.rename.truth FOLDER [FOLDER ...] [--count 2000] [--seed 1]

Each FOLDER is a Unity project, fetched by whoever runs this. ``--count`` renames of each kind are
drawn from all of them together. Every second one keeps values by attributes, the others rewrite
assets; one in eight asks for a name that something else in the project has. Prints each wrong
rename, and for each kind how many were done, refused (with the code) and wrong. Ends with 1 if any
is wrong.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from rich.console import Console
from rich.table import Table

from benchmarks.project_check.compilers import Compiler, newest_compiler
from benchmarks.rename.truth.checked_renames import CheckedRenames
from benchmarks.rename.truth.declared_types import Declaration
from benchmarks.rename.truth.prepared import prepare
from mcp_server.calls.language_server import server_validator
from mcp_server.calls.project import open_engine
from roslyn_server.toolchains.packages import FetchError
from snippet_engine.engine import SnippetEngine

KINDS = ("field", "backing field", "nested field", "method", "type", "enum member", "namespace")
_TAKEN = 8
"""One name in so many is taken from elsewhere in the project."""
_LOOK_EVERY = 25
"""After so many renames every file of the project is compared."""


def main() -> int:
    """Rename; the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.rename.truth",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=2_000, help="renames of each kind")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    console = Console(highlight=False, width=140)
    totals: Counter[tuple[str, str]] = Counter()
    try:
        compiler = newest_compiler()
    except FetchError as error:
        sys.exit(str(error))
    for folder in chosen.folders:
        wanted = chosen.count // len(chosen.folders)
        totals += _check_project(console, compiler, folder, wanted, Random(chosen.seed))
    _print(console, totals)
    return 1 if any(code == "wrong" for _, code in totals) else 0


def _check_project(
    console: Console, compiler: Compiler, folder: Path, wanted: int, rng: Random
) -> Counter[tuple[str, str]]:
    totals: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory() as scratch:
        project = prepare(folder, Path(scratch).resolve() / "project", compiler)
        started = time.monotonic()
        with _engine(project.root, compiler) as engine:
            checked = CheckedRenames(project, engine)
            console.print(
                f"# {folder.name}: {project.left_out} scripts left out; "
                f"{len(checked.declarations)} declarations; uses in assets "
                f"{_shown_uses(checked)}; ready in {time.monotonic() - started:.0f} s"
            )
            for at, (declaration, name) in enumerate(_drawn(checked, wanted, rng)):
                mode = "keep" if at % 2 else "rewrite"
                outcome = checked.check(declaration, name, mode)
                totals[outcome.kind, outcome.code] += 1
                totals[outcome.kind, "broken and listed"] += outcome.listed
                if outcome.problems:
                    where = f"{declaration.path}:{declaration.line + 1}"
                    console.print(
                        f"WRONG {declaration.kind} {declaration.name} → {name}, {mode}, {where}: "
                        f"{len(outcome.problems)}: {outcome.problems[:3]}",
                        markup=False,
                    )
                if at % _LOOK_EVERY == 0 and (differing := checked.differing()):
                    console.print(f"WRONG after {declaration}: {differing[:3]}", markup=False)
                    totals[outcome.kind, "wrong"] += 1
            if differing := checked.differing():
                console.print(f"WRONG at the end: {differing[:3]}", markup=False)
                totals["all", "wrong"] += 1
    return totals


def _drawn(checked: CheckedRenames, wanted: int, rng: Random) -> Iterator[tuple[Declaration, str]]:
    """Yield so many of each kind, the kinds in turn; a symbol comes again if there are too few."""
    by_kind = {kind: [each for each in checked.declarations if each.kind == kind] for kind in KINDS}
    names = sorted({each.name for each in checked.declarations if "Attribute" not in each.name})
    for those in by_kind.values():
        rng.shuffle(those)
    for at in range(wanted):
        for those in by_kind.values():
            if those:
                each = those[at % len(those)]
                # A name without the ending takes it from uses in brackets, for good.
                stem = each.name.removesuffix("Attribute") or each.name
                fresh = f"{stem}Zq{at // len(those) or ''}{each.name[len(stem) :]}"
                is_taken = rng.randrange(_TAKEN) == 0 and stem == each.name
                yield each, rng.choice(names) if is_taken else fresh


def _shown_uses(checked: CheckedRenames) -> str:
    kinds = sorted({kind for kind, _ in checked.uses})
    return ", ".join(
        f"{kind} {checked.uses[kind, True]} ({checked.uses[kind, False]} stand for nothing)"
        for kind in kinds
    )


@contextmanager
def _engine(root: Path, compiler: Compiler) -> Iterator[SnippetEngine]:
    os.environ["UNITY_SNIPPET_ROSLYN_DIR"] = str(compiler.toolchain.roslyn_dir)
    os.environ["UNITY_SNIPPET_DOTNET_ROOT"] = str(compiler.toolchain.dotnet_root)
    validator = server_validator("auto", root)
    if validator is None:
        raise RuntimeError("there is no C# server")
    try:
        engine = open_engine(root, validator)
        if not isinstance(engine, SnippetEngine):
            raise RuntimeError(engine.message)
        yield engine
    finally:
        validator.close()


def _print(console: Console, totals: Counter[tuple[str, str]]) -> None:
    codes = [code for code, _ in Counter({code: n for (_, code), n in totals.items()}).items()]
    codes = sorted({*codes} - {"done", "wrong", "broken and listed"})
    table = Table("kind", "renames", "done", "wrong", "refused", "broken and listed")
    for kind in (*KINDS, "all"):
        refused = {code: totals[kind, code] for code in codes if totals[kind, code]}
        done, wrong = totals[kind, "done"], totals[kind, "wrong"]
        if done + wrong + sum(refused.values()):
            table.add_row(
                kind,
                str(done + wrong + sum(refused.values())),
                str(done),
                str(wrong),
                ", ".join(f"{code} {count}" for code, count in refused.items()),
                str(totals[kind, "broken and listed"]),
            )
    console.print(table)


if __name__ == "__main__":
    sys.exit(main())
