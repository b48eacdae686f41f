"""The lanes: the quick one's tables are true; a sample is one, and --all runs every case."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import lanes
import pytest


@pytest.mark.parametrize("path", lanes.CORES)
def test_a_core_has_tests(path: str) -> None:
    folder = lanes.TESTS / path
    assert folder.is_file() or any(folder.rglob("test_*.py"))


@pytest.mark.parametrize("name", [".ci/run", "pyproject.toml"])
def test_tests_that_are_chosen_by_name_exist(name: str) -> None:
    chosen = re.findall(
        r"tests/[\w/]+\.py(?:::\w+)*", (lanes.TESTS.parent / name).read_text(encoding="utf-8")
    )
    assert chosen
    for each in chosen:
        path, *names = each.split("::")
        text = (lanes.TESTS.parent / path).read_text(encoding="utf-8")
        assert all(re.search(rf"\b(?:class|def) {one}\b", text) for one in names), each


@pytest.mark.parametrize("seam", sorted(lanes.SEAMS))
def test_a_seam_has_its_test(seam: str) -> None:
    file, _, name = lanes.SEAMS[seam].partition("::")
    assert f"def {name.partition('[')[0]}(" in (lanes.TESTS / file).read_text(encoding="utf-8")


CASES = """
import pytest

@pytest.mark.sampled(one_in=4)
@pytest.mark.parametrize("number", range(40))
def test_many(number): pass

@pytest.mark.sampled(one_in=1000000)
@pytest.mark.parametrize("number", range(3))
def test_few(number): pass

@pytest.mark.parametrize("number", range(40))
def test_not_marked(number): pass

def test_loop(one_in): print("ONE IN", one_in(4))
"""


def ran(folder: Path, *arguments: str) -> str:
    """What pytest prints of a run of ``CASES`` with this suite's own settings."""
    (folder / "test_cases.py").write_text(CASES, encoding="utf-8")
    shutil.copy(lanes.TESTS / "conftest.py", folder)
    root = lanes.TESTS.parent
    command = [sys.executable, "-m", "pytest", "-v", "-s", "-p", "no:cacheprovider"]
    settings = ["-c", str(root / "pyproject.toml"), "--rootdir", str(folder)]
    done = subprocess.run(
        [*command, *settings, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": f"{lanes.TESTS}{os.pathsep}{lanes.TESTS / 'doubles'}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def names(printed: str, test: str) -> set[str]:
    return set(re.findall(rf"{test}\[\d+\]", printed))


def test_a_sample_is_the_same_each_time_and_all_runs_every_case(tmp_path: Path) -> None:
    first, second = ran(tmp_path, "."), ran(tmp_path, ".")
    every = ran(tmp_path, ".", "--all")
    assert 4 <= len(names(first, "test_many")) <= 20
    assert names(first, "test_many") == names(second, "test_many")
    assert len(names(first, "test_few")) == 1
    assert len(names(first, "test_not_marked")) == 40
    assert "ONE IN 4" in first
    assert [len(names(every, each)) for each in ("test_many", "test_few", "test_not_marked")] == [
        40,
        3,
        40,
    ]
    assert "ONE IN 1\n" in every
    wanted = min(names(every, "test_many") - names(first, "test_many"))
    assert names(ran(tmp_path, f"test_cases.py::{wanted}"), "test_many") == {wanted}
