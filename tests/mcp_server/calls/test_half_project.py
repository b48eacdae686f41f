"""A folder with one of a Unity project's folders: what is said, and what ``--project`` takes."""

from __future__ import annotations

from pathlib import Path

import pytest
from running_server import run_cli

from mcp_server.calls.project import no_project

CALL = ("tool", "call", "get_symbols", "--json", '{"path": "Assets/A.cs"}')


@pytest.fixture
def half(tmp_path: Path) -> Path:
    folder = tmp_path / "Game"
    (folder / "Assets").mkdir(parents=True)
    (folder / "Assets/A.cs").write_text("class A { }\n", encoding="utf-8")
    return folder


def test_it_says_which_folder_is_missing_and_what_it_says_works(half: Path) -> None:
    refused = run_cli(*CALL, cwd=half)
    assert refused.returncode == 2
    assert f"{half} has Assets/, but no ProjectSettings/." in refused.stderr
    assert "Give --project PATH, a folder with Assets/." in refused.stderr
    assert run_cli("--project", ".", *CALL, cwd=half).returncode == 0


def test_what_lacks_assets_is_neither_found_nor_taken(half: Path) -> None:
    (half / "Assets").rename(half / "ProjectSettings")
    refused = run_cli(*CALL, cwd=half)
    assert f"{half} has ProjectSettings/, but no Assets/." in refused.stderr
    named = run_cli("--project", ".", *CALL, cwd=half)
    assert named.returncode == 2
    assert "it has no Assets folder" in named.stderr


def test_where_there_is_no_room_for_a_path_it_is_told_without(
    half: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(half)
    assert no_project().message.endswith("The working folder has Assets/, but no ProjectSettings/.")
    monkeypatch.chdir(half / "Assets")
    told = no_project()
    assert told.message.endswith("A folder above has Assets/, but no ProjectSettings/.")
    assert len(told.message) <= 200
    assert f"{half} has Assets/, but no ProjectSettings/." in told.text
    of_bundle = no_project("a/very/long/path/of/a/bundle/that/has/no/project.snippet.json")
    assert of_bundle.message.endswith("a folder with Assets/.")
    assert f"{half} has Assets/, but no ProjectSettings/." in of_bundle.text


def test_doctor_says_so_too(half: Path) -> None:
    assert f"{half} has Assets/, but no ProjectSettings/" in run_cli("doctor", cwd=half).stdout


def test_a_script_named_in_the_wrong_folder_is_not_said_to_be_missing(tmp_path: Path) -> None:
    for command in (["symbols"], ["edit", "--replace", "a", "--with", "b"]):
        refused = run_cli(*command, "Assets/Scripts/Player.cs", cwd=tmp_path)
        assert refused.returncode == 2
        assert f"none is found upward from the working folder, {tmp_path}" in refused.stderr
