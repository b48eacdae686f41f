"""Histories: each change of a script between one commit and the next, from a real repository."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from benchmarks.landing import packages
from benchmarks.landing.packages import FOLDER_VARIABLE, HELD_OUT_PACKAGES, TUNING_PACKAGES, changes
from roslyn_server.toolchains.packages import FetchError

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


def _git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.com"]
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of three versions, where the environment says."""
    folder = tmp_path / "histories" / "somebody+game"
    folder.mkdir(parents=True)
    _git(folder, "init", "--quiet")
    for version in ("1", "2", "3"):
        (folder / "A b.cs").write_bytes(f"class A{version} {{}}\r\n".encode())
        (folder / f"New{version}.cs").write_text("class New {}\n")
        (folder / "README.md").write_text(version)
        _git(folder, "add", "--all")
        _git(folder, "commit", "--quiet", "-m", version)
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "histories"))
    return folder


def test_each_change_of_a_script_has_both_its_versions(game: Path) -> None:
    found = [(each.path, each.old, each.new) for each in changes("somebody/game")]
    assert found == [
        ("A b.cs", b"class A2 {}\r\n", b"class A3 {}\r\n"),
        ("A b.cs", b"class A1 {}\r\n", b"class A2 {}\r\n"),
    ]


def test_a_history_that_cannot_be_had_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 128, "", "fatal: no such host")

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    monkeypatch.setattr(packages.subprocess, "run", refuse)
    with pytest.raises(FetchError, match=FOLDER_VARIABLE):
        packages.history("somebody/nothing")


def test_nothing_that_is_held_out_is_tuned_on() -> None:
    assert not set(HELD_OUT_PACKAGES) & set(TUNING_PACKAGES)
    assert len(HELD_OUT_PACKAGES) >= 6
