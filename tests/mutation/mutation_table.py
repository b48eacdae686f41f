"""What a mutation run came to, module by module: ``dev.py mutants`` prints it.

Reads what mutmut leaves in ``mutants/``. A mutant that changes no behaviour can't be killed:
``equivalent.toml`` names those that somebody has looked at, each with its reason, and they don't
count.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
SURVIVED = 0
UNREACHED = 33
"""No test reaches the mutant, so none can kill it."""


@dataclass(frozen=True, slots=True)
class Row:
    """One module: its mutants that count, how many the tests kill, and those that live on."""

    module: str
    killed: int
    survivors: tuple[str, ...]

    @property
    def total(self) -> int:
        """How many mutants count."""
        return self.killed + len(self.survivors)

    @property
    def share(self) -> float:
        """The killed share, 0 to 1; 1 where nothing counts."""
        return self.killed / self.total if self.total else 1.0


def read_rows(folder: Path, equivalent: dict[str, str]) -> Iterator[Row]:
    """The modules below ``folder`` that have mutants, in the order of their paths."""
    for meta in sorted(folder.rglob("*.py.meta")):
        ends = json.loads(meta.read_text(encoding="utf-8"))["exit_code_by_key"]
        # A run that was ended early leaves some without a code: nothing is known of them.
        counted = {
            name: code for name, code in ends.items() if code is not None and name not in equivalent
        }
        if not counted:
            continue
        survivors = tuple(n for n, code in counted.items() if code in (SURVIVED, UNREACHED))
        module = str(meta.relative_to(folder))[: -len(".meta")]
        yield Row(module, len(counted) - len(survivors), survivors)


def main(folder: Path) -> int:
    """Print the table, and the functions that survivors stand in; 1 where no mutant was run."""
    listed = tomllib.loads((HERE / "equivalent.toml").read_text(encoding="utf-8"))
    rows = list(read_rows(folder, listed["equivalent"]))
    if not rows:
        print(f"There are no results in {folder}.", file=sys.stderr)
        return 1
    width = max(len(row.module) for row in rows)
    print(f"{'module':<{width}}  mutants  killed  share")
    for row in rows:
        print(f"{row.module:<{width}}  {row.total:>7}  {row.killed:>6}  {row.share:>5.1%}")
    where = Counter(name.rpartition("__mutmut_")[0] for row in rows for name in row.survivors)
    for function, count in where.most_common():
        print(f"survived in {function}: {count}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
