"""Which scripts are named where one does not exist: docs/design/engine.md §8."""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from snippet_engine.storage.paths import path_refusal
from snippet_engine.storage.paths.path_refusal import nearest_scripts

ROOTS = ("Assets", "Packages")


def with_scripts(root: Path, *paths: str) -> Path:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(b"")
    return root


def test_a_slip_is_looked_for_in_the_same_folder_first(tmp_path: Path) -> None:
    with_scripts(tmp_path, "Assets/A/Player.cs", "Assets/B/Playar.cs", "Assets/Playr2.cs")
    assert nearest_scripts(tmp_path, ROOTS, "Assets/A/Playr.cs") == ["Assets/A/Player.cs"]
    assert set(nearest_scripts(tmp_path, ROOTS, "Assets/C/Playr.cs")) == {
        "Assets/A/Player.cs",
        "Assets/B/Playar.cs",
        "Assets/Playr2.cs",
    }


def test_of_the_same_name_the_one_that_moved_least_comes_first(tmp_path: Path) -> None:
    paths = ["Assets/Enemy.cs", "Packages/p/Deep/Enemy.cs", "Packages/q/Enemy.cs"]
    with_scripts(tmp_path, *paths)
    asked = "Packages/p/Deep/Down/Enemy.cs"
    assert nearest_scripts(tmp_path, ROOTS, asked) == [paths[1], paths[2], paths[0]]


def test_a_name_may_differ_by_four_letters_but_not_in_its_first(tmp_path: Path) -> None:
    name = "PlayerController"
    with_scripts(
        tmp_path, f"Assets/{name}1234.cs", f"Assets/{name}12345.cs", "Assets/clayerController.cs"
    )
    assert nearest_scripts(tmp_path, ROOTS, f"Assets/{name}.cs") == [f"Assets/{name}1234.cs"]


def test_five_are_named_at_most(tmp_path: Path) -> None:
    with_scripts(tmp_path, *(f"Assets/Player{n}.cs" for n in range(7)))
    assert len(nearest_scripts(tmp_path, ROOTS, "Assets/Player.cs")) == 5
    with_scripts(tmp_path, *(f"Assets/{n}/Player.cs" for n in range(7)))
    names = nearest_scripts(tmp_path, ROOTS, "Assets/Player.cs")
    assert [path.rpartition("/")[2] for path in names] == ["Player.cs"] * 5


def test_no_more_names_are_compared_than_the_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(path_refusal, "_MAX_COMPARED", 2)
    with_scripts(tmp_path, *(f"Assets/Player{n}.cs" for n in range(4)))
    assert len(nearest_scripts(tmp_path, ROOTS, "Assets/Player.cs")) == 2


@pytest.mark.parametrize(("bound", "found"), [(2, 2), (3, 3), (4, 3)])
def test_as_many_entries_are_looked_at_as_the_bound_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: int, found: int
) -> None:
    monkeypatch.setattr(path_refusal, "_MAX_ENTRIES", bound)
    with_scripts(tmp_path, *(f"Assets/Player{n}.cs" for n in range(3)))
    assert len(nearest_scripts(tmp_path, ("Assets",), "Assets/Player.cs")) == found


def test_only_regular_files_that_unity_sees_are_named(tmp_path: Path) -> None:
    with_scripts(tmp_path, "Assets/.hidden/Enemy.cs", "elsewhere/Enemy.cs")
    (tmp_path / "Assets/Folder/Enemy.cs").mkdir(parents=True)
    (tmp_path / "Assets/Link").mkdir()
    (tmp_path / "Assets/Link/Enemy.cs").symlink_to(tmp_path / "elsewhere/Enemy.cs")
    (tmp_path / "Assets/Out").symlink_to(tmp_path / "elsewhere")
    assert nearest_scripts(tmp_path, ROOTS, "Assets/Enemy.cs") == []


def test_a_folder_that_cannot_be_listed_hides_no_other(tmp_path: Path) -> None:
    with_scripts(tmp_path, "Packages/p/Enemy.cs")
    assert nearest_scripts(tmp_path, ROOTS, "Assets/Enemy.cs") == ["Packages/p/Enemy.cs"]


def test_shallow_scripts_are_looked_at_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_scripts(tmp_path, "Assets/A/Deep/Player1.cs", "Assets/A/Player2.cs", "Packages/Player3.cs")
    monkeypatch.setattr(path_refusal, "_MAX_ENTRIES", 2)
    assert nearest_scripts(tmp_path, ROOTS, "Packages/Player.cs") == ["Packages/Player3.cs"]


def test_entries_that_tell_nothing_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of a file system that doesn't give types, in a folder without rights."""

    def is_file(**_: object) -> bool:
        raise PermissionError(13, "Permission denied")

    entry = SimpleNamespace(name="A.cs", is_file=is_file)
    monkeypatch.setattr(os, "scandir", lambda _: nullcontext([entry]))
    unread: list[str] = []
    assert list(path_refusal.scripts_below(tmp_path, ["Assets"], 10, unread)) == []
    assert unread == ["Assets/A.cs"]
