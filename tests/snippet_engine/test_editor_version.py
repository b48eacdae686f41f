"""The Editor's version is read in one place, whatever the file was written with."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from snippet_engine.project_settings import VERSION_FILE, editor_version, version_numbers

_SAYS = "m_EditorVersion: 6000.0.23f1\nm_EditorVersionWithRevision: 6000.0.23f1 (1c4764c07fb4)\n"


def _project(root: Path, content: bytes) -> Path:
    (root / VERSION_FILE).parent.mkdir()
    (root / VERSION_FILE).write_bytes(content)
    return root


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_it_is_read_as_it_was_written(tmp_path: Path, codec: str, newline: str) -> None:
    root = _project(tmp_path, _SAYS.replace("\n", newline).encode(codec))
    assert editor_version(root) == "6000.0.23f1"
    assert version_numbers("6000.0.23f1") == (6000, 0, 23)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"m_EditorVersion:\n", b"\x00" * 99])
def test_what_names_none_is_of_none(tmp_path: Path, content: bytes) -> None:
    assert editor_version(_project(tmp_path, content)) == ""
    assert version_numbers("") is None
    assert editor_version(tmp_path / "nowhere") == ""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pipes among files")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / VERSION_FILE).parent.mkdir()
    os.mkfifo(tmp_path / VERSION_FILE)
    assert editor_version(tmp_path) == ""
