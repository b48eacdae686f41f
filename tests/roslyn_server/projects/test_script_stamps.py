"""What a folder says of a file proves that it is as it was, or doesn't."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from time import time_ns

import pytest
from this_system import needs_posix

from roslyn_server.projects import files as script_stamps
from roslyn_server.projects.files import ScriptStamps

pytestmark = needs_posix


def later() -> int:
    """A clock by which everything here is old."""
    return time_ns() + 60_000_000_000


@pytest.fixture
def script(tmp_path: Path) -> str:
    file = tmp_path / "A.cs"
    file.write_text("class A { }")
    return str(file)


def _restored(script: str) -> None:
    before = os.stat(script)  # noqa: PTH116 - as a tool does it
    Path(script).write_text("class B { }")
    os.utime(script, ns=(before.st_atime_ns, before.st_mtime_ns))


def _replaced(script: str) -> None:
    other = f"{script}.new"
    Path(other).write_text("class B { }")
    before = os.stat(script)  # noqa: PTH116
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    os.replace(other, script)  # noqa: PTH105


@pytest.mark.parametrize("change", [_restored, _replaced, os.remove])
def test_a_file_that_a_tool_gave_its_old_time_is_doubtful(
    script: str, change: Callable[[str], None]
) -> None:
    stamps = ScriptStamps(later)
    assert stamps.possibly_changed([script]) == [script]
    assert stamps.possibly_changed([script]) == []
    change(script)
    assert stamps.possibly_changed([script]) == [script]


def test_what_changed_a_moment_ago_may_change_again(script: str) -> None:
    stamps = ScriptStamps()
    assert stamps.possibly_changed([script]) == stamps.possibly_changed([script]) == [script]


def test_times_that_tell_no_changes_prove_nothing(
    script: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(script_stamps, "_ARE_TIMES_OF_CHANGES", False)
    stamps = ScriptStamps(later)
    assert stamps.possibly_changed([script]) == stamps.possibly_changed([script]) == [script]
    libraries = ScriptStamps(later, is_time_enough=True)
    assert (libraries.possibly_changed([script]), libraries.possibly_changed([script])) == (
        [script],
        [],
    )


def test_nor_do_times_in_whole_seconds(script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script_stamps, "_SECOND_NS", 1)  # as if each was one
    stamps = ScriptStamps(later)
    assert stamps.possibly_changed([script]) == stamps.possibly_changed([script]) == [script]


def test_what_was_not_asked_about_lately_is_doubtful(script: str) -> None:
    stamps = ScriptStamps(later)
    stamps.possibly_changed([script])
    assert stamps.possibly_changed([]) == []
    assert stamps.possibly_changed([script]) == [script]
