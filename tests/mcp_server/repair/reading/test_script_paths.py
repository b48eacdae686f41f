"""The same script by other paths: read where one script exists that it can be, else left alone."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from mcp_server.contract.catalog import CATALOG
from mcp_server.repair.call import read_call
from mcp_server.repair.offers.refusal import Refusal
from mcp_server.repair.reading.script_paths import UnsurePath, project_relative
from mcp_server.repair.sent_call import ReadCall, as_sent, is_project_relative
from snippet_engine.errors import SnippetError
from snippet_engine.storage.paths.project import Project

SCRIPT = "Assets/Scripts/Player.cs"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project named Game."""
    root = tmp_path / "Game"
    for path in (SCRIPT, "Packages/own/Own.cs", "ProjectSettings/ProjectVersion.txt"):
        (root / path).parent.mkdir(parents=True)
        (root / path).write_text("class A { }")
    return root


def choices(path: str, root: Path) -> tuple[str, ...]:
    """The scripts that ``path`` could mean; it must be unsure."""
    found = project_relative(path, root)
    assert isinstance(found, UnsurePath)
    return found.choices


def write(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("class Other { }")
    return path


def refusal_of(path: str, root: Path) -> Refusal:
    """What an edit at ``path`` is refused with."""
    anchor = {"type": "text", "target": "class A"}
    instruction = {"operation": "replace", "anchor": anchor, "newText": "class B"}
    sent = {"path": path, "mode": "apply", "instructions": [instruction]}
    found = read_call(CATALOG["edit_snippet"], sent, root)
    assert isinstance(found, Refusal)
    return found


@pytest.mark.parametrize(
    "path",
    [
        f"./{SCRIPT}",
        f"././/{SCRIPT}",
        "Assets//Scripts/./Player.cs",
        f".\\{SCRIPT}".replace("/", "\\"),
        "Scripts/Player.cs",
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
        "Enemy.cs",
        "Scripts/Enemy.cs",
        "Scripts",
        "Scripts/",
        "../Game/Assets/Scripts/Player.cs",
        "Scripts/../Scripts/Player.cs",
        "./Assets/../Assets/Scripts/Player.cs",
        "{root}/Assets/../Assets/Scripts/Player.cs",
        "{root}/../Game/" + SCRIPT,
        "{root}/ProjectSettings/ProjectVersion.txt",
        "/etc/passwd",
        "C:/Game/Assets/Other.cs",
        "https://example.org/Assets/Scripts/Player.cs",
        "",
        ".",
        "/",
        "a\0b",
        "\ud800.cs",
        "/\ud800.cs",
        "x" * 5000,
    ],
)
def test_what_could_be_anything_stays_as_it_is(path: str, root: Path) -> None:
    assert project_relative(path.replace("{root}", root.as_posix()), root) is None


def test_of_two_scripts_none_is_taken(root: Path) -> None:
    assert project_relative("own/Own.cs", root) == "Packages/own/Own.cs"
    (root / "Assets/own").mkdir()
    (root / "Assets/own/Own.cs").write_text("class B { }")
    assert choices("own/Own.cs", root) == ("Assets/own/Own.cs", "Packages/own/Own.cs")


@pytest.mark.parametrize("prefix", ["", "file://", "file://localhost"])
def test_an_absolute_path_is_only_itself(prefix: str, tmp_path: Path) -> None:
    # The folder that the path begins in has the project's own name.
    root = tmp_path / tmp_path.as_posix().split("/")[1] / "Game"
    write(root / SCRIPT)
    found = refusal_of(f"{prefix}{root.parent.as_posix()}/{SCRIPT}", root)
    assert [offer.arguments["path"] for offer in found.offers] == [SCRIPT]
    assert found.offers[0].arguments["mode"] == "preview"
    assert str(tmp_path) not in found.to_error().text


def test_a_path_that_begins_with_the_projects_name_at_the_machines_root(tmp_path: Path) -> None:
    first = tmp_path.as_posix().split("/")[1]
    root = tmp_path / first
    write(root / SCRIPT)
    assert choices(f"/{first}/{SCRIPT}", root) == (SCRIPT,)


@pytest.mark.parametrize("path", ["/Scripts/Player.cs", f"/{SCRIPT}"])
def test_a_path_from_the_projects_folder_with_a_slash_is_offered(path: str, root: Path) -> None:
    (offer,) = refusal_of(path, root).offers
    assert offer.arguments["path"] == SCRIPT
    assert offer.arguments["mode"] == "apply"


def test_a_relative_path_that_names_another_file_is_unsure(root: Path) -> None:
    path = "Scripts/Player.cs"
    assert project_relative(path, root) == SCRIPT
    write(root / path)
    (offer,) = refusal_of(path, root).offers
    assert offer.arguments["path"] == SCRIPT
    assert offer.arguments["mode"] == "preview"


@pytest.mark.parametrize(
    "path",
    [
        f".claude/worktrees/X/{SCRIPT}",
        f"{{root}}/.claude/worktrees/X/{SCRIPT}",
        f"Game/{SCRIPT}",
        f"{{root}}/../Other/{SCRIPT}",
        f"file://{{above}}/Other/{SCRIPT}",
    ],
)
def test_a_path_of_another_project_is_left_for_the_engine_to_refuse(path: str, root: Path) -> None:
    assert project_relative(f"Game/{SCRIPT}", root) == SCRIPT
    for other in (root / ".claude/worktrees/X", root / "Game", root.parent / "Other"):
        write(other / SCRIPT)
    path = path.format(root=root.as_posix(), above=root.parent.as_posix())
    found = read_call(CATALOG["get_symbols"], {"path": path}, root)
    assert isinstance(found, ReadCall)
    assert (found.params["path"], found.notes) == (path, ())


def test_scripts_of_that_name_are_offered(root: Path) -> None:
    found = refusal_of("Player.cs", root)
    assert [offer.arguments["path"] for offer in found.offers] == [SCRIPT]
    assert "$.path names no script" in found.to_error().text
    assert choices("src/player.cs", root) == (SCRIPT,)
    if not (root / SCRIPT.lower()).exists():  # where letter case counts
        assert choices("assets/scripts/player.cs", root) == (SCRIPT,)
    write(root / "Assets/Other/Player.cs")
    text = refusal_of("Player.cs", root).to_error().text
    assert "\nchoice 1 " in text
    assert "\nchoice 2 " in text


@pytest.mark.parametrize(
    "path",
    [
        f"/nowhere/Other/{SCRIPT}",
        f"/Game/{SCRIPT}",
        f"C:\\Other\\{SCRIPT}",
        f"file:///nowhere/Game/{SCRIPT}",
    ],
)
def test_of_another_project_it_is_offered_as_a_preview_only(path: str, root: Path) -> None:
    (offer,) = refusal_of(path, root).offers
    assert offer.arguments["path"] == SCRIPT
    assert offer.arguments["mode"] == "preview"


def test_a_path_with_a_rest_that_is_a_script_is_offered(root: Path) -> None:
    assert choices(f"{root}s/{SCRIPT}", root) == (SCRIPT,)
    assert choices(f"/home/somebody/Other/{SCRIPT}", root) == (SCRIPT,)
    assert choices(f"C:\\Game\\{SCRIPT}", root) == (SCRIPT,)


@pytest.mark.parametrize("path", ["a/" * 200_000 + "x.cs", "Assets/" + "a/" * 200_000 + "x.cs"])
def test_a_path_that_no_system_can_open_is_not_looked_at(
    path: str, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = Project.open(root)
    assert isinstance(project, Project)
    for name in ("lexists", "realpath"):
        monkeypatch.setattr(os.path, name, lambda _: pytest.fail("looked at the disk"))
    assert project_relative(path, root) is None
    error = project.locate(path)
    assert isinstance(error, SnippetError)
    assert "more than 4,096" in error.message


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need a privilege there")
def test_an_absolute_path_may_lead_into_the_project_by_a_link(root: Path, tmp_path: Path) -> None:
    (tmp_path / "work").symlink_to(root / "Assets")
    assert project_relative(f"{tmp_path}/work/Scripts/Player.cs", root) == SCRIPT
    shared = tmp_path / "shared"
    write(shared / "Own.cs")
    (root / "Packages/linked").symlink_to(shared)
    assert project_relative(f"{root}/Packages/linked/Own.cs", root) == "Packages/linked/Own.cs"
    assert project_relative(f"{shared}/Own.cs", root) is None


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


def test_an_undo_is_offered_for_the_script_that_may_be_meant(root: Path) -> None:
    # Whichever it is: only a file that has the hash is changed.
    hash_after = "sha256:" + "0" * 64
    for path in ("Player.cs", f"/elsewhere/{SCRIPT}"):
        found = read_call(CATALOG["undo_snippet"], {"path": path, "hashAfter": hash_after}, root)
        assert isinstance(found, Refusal)
        (offer,) = found.offers
        assert offer.arguments == {"path": SCRIPT, "hashAfter": hash_after}


def test_without_its_hash_no_undo_is_offered(root: Path) -> None:
    found = read_call(CATALOG["undo_snippet"], {"path": f"/elsewhere/{SCRIPT}"}, root)
    assert isinstance(found, Refusal)
    assert found.offers == ()
