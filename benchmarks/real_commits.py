"""Real commits of Unity repositories, made into change sets: applied, compared, and undone.

``python -m benchmarks.real_commits [--commits N] [--jobs N] [--seed N]``, with the folder of
mirrors in ``UNITY_SNIPPET_HISTORIES``. A commit's scripts are laid out as they were before it; the
sets that ``unity-cli bundle from-git`` would make of it are applied, and what is there then must be
the commit, byte for byte; undone, it must be as before.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from benchmarks.landing.packages import FOLDER_VARIABLE
from mcp_server.bundles.git_changes import EMPTY_TREE, NO_OBJECT, raw_rows
from mcp_server.bundles.git_program import git_output, object_contents
from snippet_engine.changes.between import ScriptChange, sets_between
from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import SnippetError
from snippet_engine.storage.paths.project import META

MAX_SCRIPTS = 10
_ROOT = "Assets/"
_SHOWN = 12


@dataclass(frozen=True)
class Commit:
    """A commit of a mirror."""

    repository: Path
    name: str


@dataclass
class Tally:
    """How the commits ended; ``examples`` of each unwanted ending."""

    endings: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def add(self, ending: str, example: str = "") -> None:
        """Count one commit."""
        self.endings[ending] += 1
        if example:
            self.examples.setdefault(ending, []).append(example)


def commits_of(repository: Path) -> list[Commit]:
    """Return the commits with one parent, whatever they change."""
    names = git_output(repository, "rev-list", "--all", "--max-parents=1").decode().split()
    return [Commit(repository, name) for name in names]


def scripts_of(commit: Commit) -> list[ScriptChange] | None:
    """Return the scripts that a commit changes, below Assets; ``None`` if it isn't suitable."""
    parents = git_output(commit.repository, "rev-list", "--parents", "-n", "1", commit.name)
    _, *before = parents.decode().split()
    raw = git_output(
        commit.repository,
        *("diff-tree", "-r", "-z", "-M", "--no-commit-id", "--no-abbrev"),
        *(before[0] if before else EMPTY_TREE, commit.name),
    )
    rows = [
        row
        for row in raw_rows(raw)
        if row.is_regular
        and (row.new_path or row.old_path).endswith(".cs")
        and (row.old_path or row.new_path).endswith(".cs")
    ]
    if not 1 <= len(rows) <= MAX_SCRIPTS:
        return None
    wanted = {row.old_object for row in rows} | {row.new_object for row in rows}
    contents = dict(object_contents(commit.repository, sorted(wanted - {NO_OBJECT})))
    if wanted - {NO_OBJECT} - contents.keys():
        return None  # a shallow mirror
    changes: list[ScriptChange] = []
    for row in rows:
        old, new = contents.get(row.old_object), contents.get(row.new_object)
        path = _ROOT + (row.old_path or row.new_path)
        moved = row.old_path and row.new_path and row.old_path != row.new_path
        changes.append(ScriptChange(path, old, new, _ROOT + row.new_path if moved else None))
    return changes


def tried(commit: Commit) -> tuple[str, str]:
    """Return how a commit ended, and what to report of it."""
    try:
        changes = scripts_of(commit)
    except subprocess.CalledProcessError:
        return "not suited", ""
    if changes is None:
        return "not suited", ""
    about = f"{commit.repository.parent.name} {commit.name[:12]}"
    sets, unmade = sets_between(changes)
    if unmade:
        return f"not made: {unmade[0].reason}", f"{about} {unmade[0].path}"
    if not sets:
        return "not suited", ""
    root = Path(tempfile.mkdtemp(prefix="real-commits-"))
    try:
        return _played(root, changes, [each.to_json() for each in sets], about)
    finally:
        shutil.rmtree(root)


def _played(
    root: Path, changes: list[ScriptChange], requests: list[dict[str, object]], about: str
) -> tuple[str, str]:
    (root / "Assets").mkdir()
    for each in changes:
        if each.old is not None:
            _write(root / each.path, each.old)
            _write(root / (each.path + META), f"guid: {each.path}\n".encode())
    before = _tree(root)
    expected = {each.place: each.new for each in changes if each.new is not None}
    engine = SnippetEngine.open(root)
    assert not isinstance(engine, SnippetError)
    ids: list[str] = []
    for request in requests:
        done = engine.edit_scripts({**request, "mode": "apply"})
        if isinstance(done, SnippetError):
            return f"refused: {done.code}", f"{about} {done.message}"
        ids.append(done["changeId"])
    after = {path: data for path, data in _tree(root).items() if not path.endswith(META)}
    if after != expected:
        return "applied to something else", about
    for change_id in reversed(ids):
        undone = engine.undo_snippet({"changeId": change_id})
        if isinstance(undone, SnippetError):
            return f"undo refused: {undone.code}", f"{about} {undone.message}"
    if _tree(root) != before:
        return "undone to something else", about
    return "equal, and undone", ""


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _tree(root: Path) -> dict[str, bytes]:
    files = (each for each in (root / "Assets").rglob("*") if each.is_file())
    return {each.relative_to(root).as_posix(): each.read_bytes() for each in files}


def mirrors() -> list[Path]:
    """Return the git folders of the mirrors on this machine."""
    folder = os.environ.get(FOLDER_VARIABLE)
    if not folder:
        return []
    return sorted(head.parent for head in Path(folder).glob("*/*/HEAD"))


def _drawn(count: int, seed: int) -> Iterator[Commit]:
    """Yield commits of all mirrors, the same share of each while it has some."""
    rng = random.Random(seed)
    piles = [commits_of(each) for each in mirrors()]
    for pile in piles:
        rng.shuffle(pile)
    for turn in range(count):
        for pile in piles:
            if turn < len(pile):
                yield pile[turn]


def main() -> int:
    """Play commits until there are enough; 1 if one of them didn't end as it should."""
    parser = argparse.ArgumentParser(
        allow_abbrev=False, description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--commits", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if not mirrors():
        print(f"No mirrors: set {FOLDER_VARIABLE} to a folder of them.", file=sys.stderr)
        return 1
    tally = Tally()
    with suppress(KeyboardInterrupt):  # what was played until then is told
        _play(options, tally)
    suited = tally.endings.total()
    _print(tally, suited)
    wanted = ("equal, and undone", "not made")
    return 0 if all(each.startswith(wanted) for each in tally.endings) else 1


def _play(options: argparse.Namespace, tally: Tally) -> None:
    drawn = _drawn(options.commits * 20, options.seed)
    with ProcessPoolExecutor(options.jobs) as pool:
        while tally.endings.total() < options.commits:
            batch = list(islice(drawn, 16 * options.jobs))
            if not batch:
                break
            for ending, example in pool.map(tried, batch):
                if ending != "not suited" and tally.endings.total() < options.commits:
                    tally.add(ending, example)
            print(f"\r{tally.endings.total()} commits", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)


def _print(tally: Tally, suited: int) -> None:
    print(f"{suited} commits of one to {MAX_SCRIPTS} scripts")
    for ending, count in tally.endings.most_common():
        print(f"{count:6} {ending}")
        for example in tally.examples.get(ending, ())[:_SHOWN]:
            print(f"         {example}")


if __name__ == "__main__":
    sys.exit(main())
