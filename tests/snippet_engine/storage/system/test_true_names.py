"""A file keeps its name whatever case it is asked for in: docs/design/systems.md "Names"."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest

from snippet_engine.storage.system.names import names_alike, true_names


class IgnoringCase:
    """A real folder, seen as macOS' file systems show it."""

    def _real(self, path: str) -> Path:
        wanted = Path(path)
        if not wanted.parent.exists() or wanted.exists():
            return wanted
        alike = [each for each in wanted.parent.iterdir() if fold(each.name) == fold(wanted.name)]
        return alike[0] if alike else wanted

    def lstat(self, path: str) -> os.stat_result:
        return self._real(path).lstat()

    def listdir(self, path: str) -> list[str]:
        return [each.name for each in self._real(path).iterdir()]


def fold(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


@pytest.fixture
def assets(tmp_path: Path) -> Path:
    (tmp_path / "Scripts").mkdir()
    (tmp_path / "Scripts" / "Player.cs").write_bytes(b"")
    (tmp_path / "Scripts" / unicodedata.normalize("NFD", "Größe.cs")).write_bytes(b"")
    return tmp_path


def seen(assets: Path, *inside: str) -> tuple[str, ...]:
    system = IgnoringCase()
    return true_names(str(assets), inside, system.lstat, system.listdir)


def test_another_case_is_the_same_file(assets: Path) -> None:
    assert seen(assets, "scripts", "PLAYER.CS") == ("Scripts", "Player.cs")
    assert seen(assets, "Scripts", "Player.cs") == ("Scripts", "Player.cs")


def test_another_composition_is_the_same_file(assets: Path) -> None:
    decomposed = unicodedata.normalize("NFD", "Größe.cs")
    assert seen(assets, "Scripts", "Größe.cs") == ("Scripts", decomposed)
    assert seen(assets, "Scripts", decomposed) == ("Scripts", decomposed)


def test_numbers_of_files_that_differ_with_the_spelling(assets: Path) -> None:
    """Some file systems in user space give out another one for each name."""
    system, given = IgnoringCase(), iter(range(1000))

    def lstat(path: str) -> os.stat_result:
        status = system.lstat(path)
        return os.stat_result((status[0], next(given), *status[2:]))

    inside = ("scripts", "PLAYER.cs")
    assert true_names(str(assets), inside, lstat, system.listdir) == ("Scripts", "Player.cs")


def test_what_is_not_there_stays_as_it_was_named(assets: Path) -> None:
    assert seen(assets, "scripts", "Enemy.cs") == ("Scripts", "Enemy.cs")


@pytest.mark.skipif(os.name != "posix", reason="on Windows realpath does it")
def test_where_case_counts_nothing_changes(assets: Path) -> None:
    inside = ("scripts", "Player.cs")
    if (assets / "scripts").exists():
        pytest.skip("this file system ignores case")
    assert true_names(str(assets), inside) == inside
    (assets / "scripts").mkdir()
    (assets / "scripts" / "Player.cs").write_bytes(b"another")
    assert true_names(str(assets), inside) == inside


def test_names_that_are_alike_are_told(assets: Path) -> None:
    assert names_alike(str(assets), ("scripts", "PLAYER.cs")) == ("Scripts", "Player.cs")
    assert names_alike(str(assets), ("scripts", "None.cs")) == ("Scripts", "None.cs")
    assert names_alike(str(assets), ("other", "player.cs")) == ("other", "player.cs")


@pytest.mark.skipif(os.name != "posix", reason="makes a link")
def test_nothing_is_told_of_what_lies_behind_a_link(assets: Path) -> None:
    (assets / "Link").symlink_to(assets / "Scripts", target_is_directory=True)
    assert names_alike(str(assets), ("link", "player.cs")) == ("Link", "player.cs")
