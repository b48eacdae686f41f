"""What a mutation run came to, module by module: ``dev.py mutants`` prints it.

Reads what mutmut leaves in ``mutants/``. A mutant that changes no behaviour can't be killed:
``equivalent.toml`` names those that somebody has looked at, each with its reason, and they don't
count. They are known by what they change, since mutmut's numbers move with every line of code.
"""

from __future__ import annotations

import ast
import difflib
import json
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
SURVIVED = 0
UNREACHED = 33
"""No test reaches the mutant, so none can kill it."""

_MARK = "__mutmut_"


@dataclass(frozen=True, slots=True)
class Change:
    """What a mutant is: a function by its dotted name, and its lines before and after."""

    function: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Mutant:
    """One mutant, and whether a test noticed; ``None`` if it was not run."""

    change: Change
    killed: bool | None


@dataclass(frozen=True, slots=True)
class Row:
    """One module and its mutants that count."""

    module: str
    mutants: tuple[Mutant, ...]

    @property
    def killed(self) -> int:
        """How many of them the tests kill."""
        return sum(mutant.killed is True for mutant in self.mutants)

    @property
    def share(self) -> float:
        """The killed share, 0 to 1; 1 where nothing counts."""
        return self.killed / len(self.mutants) if self.mutants else 1.0


def read_mutants(folder: Path) -> Iterator[tuple[str, list[Mutant]]]:
    """The modules below ``folder`` that have mutants, in the order of their paths."""
    for meta in sorted(folder.rglob("*.py.meta")):
        ends = json.loads(meta.read_text(encoding="utf-8"))["exit_code_by_key"]
        source = meta.with_name(meta.name.removesuffix(".meta"))
        functions = _functions(source.read_text(encoding="utf-8"))
        yield (
            str(source.relative_to(folder)),
            [Mutant(_change(name, functions), _was_killed(code)) for name, code in ends.items()],
        )


def _was_killed(code: int | None) -> bool | None:
    # A run that was ended early leaves some without a code: nothing is known of them.
    return None if code is None else code not in (SURVIVED, UNREACHED)


def _functions(source: str) -> dict[str, list[str]]:
    """The lines of every version of every mutated function, by the name that mutmut gave it."""
    lines = source.splitlines()
    return {
        node.name: [
            line.replace(node.name, node.name.rpartition(_MARK)[0]).strip()
            for line in lines[node.lineno - 1 : node.end_lineno]
        ]
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _MARK in node.name
    }


def _change(mutant: str, functions: Mapping[str, list[str]]) -> Change:
    module, _, name = mutant.rpartition(".")
    original = name.rpartition(_MARK)[0]
    difference = list(difflib.ndiff(functions[f"{original}{_MARK}orig"], functions[name]))
    before, after = (
        " ".join(line[2:] for line in difference if line.startswith(sign)) for sign in "-+"
    )
    # A method of class C is mangled to "xǁCǁname", a function to "x_name".
    plain = original.removeprefix("xǁ").replace("ǁ", ".") if "ǁ" in original else original[2:]
    return Change(f"{module}.{plain}", before, after)


def known_equivalents(text: str) -> set[Change]:
    """The mutants that ``equivalent.toml`` names."""
    entries = tomllib.loads(text)["equivalent"]
    assert all(entry["reason"] for entry in entries)
    return {Change(each["function"], each["before"], each["after"]) for each in entries}


def main(folder: Path, *, every_survivor: bool = False) -> int:
    """Print the table, and where survivors stand; 1 where no mutant was run."""
    known = known_equivalents((HERE / "equivalent.toml").read_text(encoding="utf-8"))
    modules = dict(read_mutants(folder))
    rows = [
        Row(module, counted)
        for module, mutants in modules.items()
        if (counted := tuple(m for m in mutants if m.change not in known and m.killed is not None))
    ]
    if not rows:
        print(f"There are no results in {folder}.", file=sys.stderr)
        return 1
    width = max(len(row.module) for row in rows)
    print(f"{'module':<{width}}  mutants  killed  share")
    for row in rows:
        print(f"{row.module:<{width}}  {len(row.mutants):>7}  {row.killed:>6}  {row.share:>5.1%}")
    survivors = [mutant.change for row in rows for mutant in row.mutants if not mutant.killed]
    for function, count in Counter(each.function for each in survivors).most_common():
        print(f"survived in {function}: {count}")
        for each in survivors if every_survivor else ():
            if each.function == function:
                print(f"  - {each.before}\n  + {each.after}")
    killed = {mutant.change: mutant.killed for each in modules.values() for mutant in each}
    for change in known:
        if killed.get(change):
            print(f"called equivalent, but killed: {change}")
        elif change not in killed:
            print(f"called equivalent, but not there any more: {change}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), every_survivor="--survivors" in sys.argv[2:]))
