"""What a worker is handed at once: bundles of the same scripts, and none too many of them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from bundle_files import request, write_bundle

from mcp_server.bundles.bundle import BundleFile
from mcp_server.lint.run import parts_of


def bundles_of(folder: Path, scripts: list[str]) -> list[BundleFile]:
    """A bundle for each script named, in that order."""
    written = (
        write_bundle(folder, f"{number:04}", request(path=script))
        for number, script in enumerate(scripts)
    )
    return [BundleFile(each, each.name) for each in written]


def test_every_bundle_is_in_one_part(tmp_path: Path) -> None:
    bundles = bundles_of(tmp_path, [f"Assets/S{number % 7}.cs" for number in range(100)])
    for workers in (1, 2, 3, 100):
        parts = parts_of(bundles, workers)
        assert sorted(each for part in parts for each in part) == list(range(100))
    assert parts_of([], 2) == []


def test_few_scripts_are_read_by_two_workers(tmp_path: Path) -> None:
    bundles = bundles_of(tmp_path, [f"Assets/S{number % 20}.cs" for number in range(200)])
    parts = parts_of(bundles, 2)
    scripts = [{index % 20 for index in part} for part in parts]
    assert len(set.union(*scripts)) == 20
    assert sum(map(len, scripts)) < 20 + len(parts)
    assert len(parts) >= 8


def test_bundles_of_one_script_are_divided_all_the_same(tmp_path: Path) -> None:
    parts = parts_of(bundles_of(tmp_path, ["Assets/S.cs"] * 80), 2)
    assert [len(part) for part in parts] == [10] * 8


def test_what_names_no_script_is_in_a_part_too(tmp_path: Path) -> None:
    (tmp_path / "broken").write_bytes(b'{"path":')
    (tmp_path / "folder").mkdir()
    bundles = [BundleFile(tmp_path / name, name) for name in ("broken", "folder", "nowhere")]
    assert sorted(each for part in parts_of(bundles, 2) for each in part) == [0, 1, 2]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no FIFOs among its files")
def test_a_fifo_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    assert parts_of([BundleFile(tmp_path / "fifo", "fifo")], 2) == [[0]]
