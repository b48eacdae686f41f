"""The same script by other paths: read where one script exists that it can be, else left alone."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from mcp_server.contract.catalog import CATALOG
from mcp_server.repair.call import ReadCall, as_sent, read_call
from mcp_server.repair.refusal import Refusal
from mcp_server.repair.script_paths import is_project_relative, project_relative

SCRIPT = "Assets/Scripts/Player.cs"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project named Game."""
    root = tmp_path / "Game"
    for path in (SCRIPT, "Packages/own/Own.cs", "ProjectSettings/ProjectVersion.txt"):
        (root / path).parent.mkdir(parents=True)
        (root / path).write_text("class A { }")
    return root


@pytest.mark.parametrize(
    "path",
    [
        f"./{SCRIPT}",
        f"././/{SCRIPT}",
        "Assets//Scripts/./Player.cs",
        f".\\{SCRIPT}".replace("/", "\\"),
        "Scripts/Player.cs",
        "/Scripts/Player.cs",
        f"/{SCRIPT}",
        f"Game/{SCRIPT}",
        "assets/Scripts/Player.cs",
        "{root}/" + SCRIPT,
        "{root}/./" + SCRIPT,
        "file://{root}/" + SCRIPT,
        "file://localhost{root}/Assets%2FScripts/Player.cs",
    ],
)
def test_a_path_that_is_written_otherwise(path: str, root: Path) -> None:
    assert project_relative(path.replace("{root}", root.as_posix()), root) == SCRIPT


@pytest.mark.parametrize(
    "path",
    [
        "Player.cs",
        "Scripts/Enemy.cs",
        "Scripts",
        "Scripts/",
        "../Game/Assets/Scripts/Player.cs",
        "Scripts/../Scripts/Player.cs",
        "./Assets/../Assets/Scripts/Player.cs",
        "{root}/Assets/../Assets/Scripts/Player.cs",
        "{root}/../Game/" + SCRIPT,
        "{root}/ProjectSettings/ProjectVersion.txt",
        "{root}s/" + SCRIPT,
        "/etc/passwd",
        "C:/Game/Assets/Other.cs",
        "https://example.org/Assets/Scripts/Player.cs",
        "",
        ".",
        "/",
        "a\0b",
        "\ud800.cs",
        "x" * 5000,
    ],
)
def test_what_could_be_anything_stays_as_it_is(path: str, root: Path) -> None:
    assert project_relative(path.replace("{root}", root.as_posix()), root) is None


def test_of_two_scripts_none_is_taken(root: Path) -> None:
    assert project_relative("own/Own.cs", root) == "Packages/own/Own.cs"
    (root / "Assets/own").mkdir()
    (root / "Assets/own/Own.cs").write_text("class B { }")
    assert project_relative("own/Own.cs", root) is None


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need a privilege there")
def test_a_link_out_of_the_project_is_no_reading(root: Path, tmp_path: Path) -> None:
    (tmp_path / "Outside.cs").write_text("class Secret { }")
    (root / "Assets/Linked.cs").symlink_to(tmp_path / "Outside.cs")
    assert project_relative("Linked.cs", root) is None


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need a privilege there")
def test_a_project_has_two_names(root: Path, tmp_path: Path) -> None:
    named = tmp_path / "named"
    named.symlink_to(root)
    assert project_relative(f"{named}/{SCRIPT}", named) == SCRIPT
    assert project_relative(f"{root}/{SCRIPT}", named) == SCRIPT


def test_an_absolute_path_need_not_exist(root: Path) -> None:
    assert project_relative(f"{root}/Assets/New.cs", root) == "Assets/New.cs"


@pytest.mark.parametrize("path", [SCRIPT, "Packages/own/Own.cs", "Assets\\Scripts\\Player.cs"])
def test_a_path_of_the_contract_is_never_looked_at(
    path: str, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os.path, "lexists", lambda _: pytest.fail("looked at the disk"))
    assert is_project_relative(path)
    spec = CATALOG["get_symbols"]
    assert as_sent(spec, {"path": path}) is not None
    found = read_call(spec, {"path": path}, root)
    assert isinstance(found, ReadCall)
    assert found.params["path"] == path
    assert found.notes == ()


def test_a_note_never_repeats_an_absolute_path(root: Path) -> None:
    for path in (f"{root}/{SCRIPT}", f"file://{root}/{SCRIPT}"):
        found = read_call(CATALOG["get_symbols"], {"file": path}, root)
        assert isinstance(found, ReadCall)
        assert found.notes == ("$.file → path", f'$.path: absolute → "{SCRIPT}"')


def test_an_offer_has_the_path_as_it_is_read(root: Path) -> None:
    sent = {"path": f"{root}/{SCRIPT}", "old_string": "a", "new_string": "b"}
    found = read_call(CATALOG["edit_snippet"], sent, root)
    assert isinstance(found, Refusal)
    assert {offer.arguments["path"] for offer in found.offers} == {SCRIPT}
    assert str(root) not in found.to_error().text
