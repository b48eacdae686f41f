"""A project's files that tell of its Editor, where something else lies under their names."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from unity_bridge.bounded_json import Unreadable
from unity_bridge.pipeline.conversations.run_status import MAX_STATUS_BYTES, STATUS_FILE
from unity_bridge.pipeline.project_files import (
    DESCRIPTOR_PATH,
    NoDescriptor,
    package_version,
    read_descriptor,
    read_status_file,
)

MANIFEST = "Packages/manifest.json"


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _loop(path: Path) -> None:
    path.symlink_to(path.name)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


needs_posix = pytest.mark.skipif(os.name != "posix", reason="pipes and devices are named so here")
OTHERS = [
    pytest.param(_pipe, marks=needs_posix),
    pytest.param(_device, marks=needs_posix),
    pytest.param(_loop, marks=needs_posix),
    Path.mkdir,
]


@pytest.mark.parametrize("make", OTHERS)
def test_what_is_no_file_is_not_read(tmp_path: Path, make: Callable[[Path], None]) -> None:
    """Whoever read it would wait for ever, and be read to for ever."""
    for name in (DESCRIPTOR_PATH, STATUS_FILE, MANIFEST):
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        make(path)
    assert isinstance(read_descriptor(tmp_path), NoDescriptor)
    assert read_status_file(tmp_path) is None
    assert package_version(tmp_path) is None


def test_a_status_file_beyond_all_bounds_is_no_document(tmp_path: Path) -> None:
    path = tmp_path / STATUS_FILE
    path.parent.mkdir()
    path.write_text(json.dumps({"status": "completed", "results": []}))
    small = read_status_file(tmp_path)
    assert small is not None
    assert small.document["status"] == "completed"
    with path.open("r+b") as opened:
        opened.truncate(4 * MAX_STATUS_BYTES)
    large = read_status_file(tmp_path)
    assert large is not None
    assert isinstance(large.document, Unreadable)
    assert large.document.hopeless
    assert large.fingerprint != small.fingerprint


@pytest.mark.parametrize("text", ["[" * 100_000, "\xff\xfe", "{", "null", '"a"', "1e999"])
def test_a_status_file_that_says_nothing(tmp_path: Path, text: str) -> None:
    path = tmp_path / STATUS_FILE
    path.parent.mkdir()
    path.write_text(text, encoding="latin-1")
    status = read_status_file(tmp_path)
    assert status is not None
    assert not isinstance(status.document, dict)
