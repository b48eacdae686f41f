"""The suite's lanes: `--quick` runs the pure cores and one test of each seam, `--all` every case.

Without either, each test marked ``sampled(count)`` runs on that many of its cases.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

TESTS = Path(__file__).parent
SEED = 20_261_128

CORES = (
    "snippet_engine/anchors",
    "snippet_engine/answer",
    "snippet_engine/changes",
    "snippet_engine/csharp",
    "snippet_engine/edit_plan",
    "snippet_engine/engine",
    "snippet_engine/offers",
    "snippet_engine/validation",
    "snippet_engine/storage/paths",
    "mcp_server/repair",
    "unity_bridge/test_state_tables.py",
)
"""Folders and files of tests that need no other process and no socket."""

SEAMS = {
    "a file on disk": "snippet_engine/storage/test_atomic_write.py",
}
"""What the product meets outside its own process, and the test that --quick runs of it."""


def add_options(parser: pytest.Parser) -> None:
    """Add ``--quick`` and ``--all`` to pytest's options."""
    group = parser.getgroup("lanes")
    group.addoption("--quick", action="store_true", help="the pure cores, and a test of each seam")
    group.addoption("--all", action="store_true", help="every case, also of the sampled tests")


def is_left_out(path: Path, config: pytest.Config) -> bool:
    """Return whether ``--quick`` leaves out the file or folder at ``path``."""
    if not config.getoption("quick") or path == TESTS or not path.is_relative_to(TESTS):
        return False
    chosen = [TESTS / each.partition("::")[0] for each in (*CORES, *SEAMS.values())]
    return not any(path.is_relative_to(each) or each.is_relative_to(path) for each in chosen)


def left_out() -> list[str]:
    """Return the folders with tests that ``--quick`` leaves out, by their paths below ``tests``."""
    kept = [TESTS / each for each in CORES]
    folders = {file.parent for file in TESTS.rglob("test_*.py")}
    return sorted(
        folder.relative_to(TESTS).as_posix()
        for folder in folders
        if not any(folder.is_relative_to(each) or each.is_relative_to(folder) for each in kept)
    )


def select(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests of the lane in ``items``; the others are reported as deselected."""
    kept = _of_seams(items) if config.getoption("quick") else items
    if not config.getoption("all"):
        kept = _sampled(config, kept)
    if len(kept) < len(items):
        names = {each.nodeid for each in kept}
        config.hook.pytest_deselected(items=[each for each in items if each.nodeid not in names])
        items[:] = kept


def _of_seams(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Return ``items`` without those that only share a file with the test of a seam."""
    seams = [f"tests/{each}" for each in SEAMS.values() if "::" in each]
    files = {each.partition("::")[0] for each in seams}
    return [
        each
        for each in items
        if each.nodeid.partition("::")[0] not in files
        or any(each.nodeid.startswith(seam) for seam in seams)
    ]


def _sampled(config: pytest.Config, items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Return ``items`` with a drawn part of the cases of each test that is marked ``sampled``."""
    if any("::" in argument for argument in config.args):
        return list(items)  # named by hand: all that was asked for
    cases: dict[str, list[str]] = defaultdict(list)
    counts: dict[str, int] = {}
    for each in items:
        marker = each.get_closest_marker("sampled")
        if marker is not None:
            test = each.nodeid.partition("[")[0]
            cases[test].append(each.nodeid)
            counts[test] = marker.args[0]
    dropped: set[str] = set()
    for test, ids in cases.items():
        drawn = Random(f"{SEED}:{test}").sample(sorted(ids), min(counts[test], len(ids)))
        dropped |= set(ids) - set(drawn)
    return [each for each in items if each.nodeid not in dropped]
