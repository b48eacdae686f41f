"""What a check says where the last build no longer tells all: it is judged anew, or named."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from small_project import Check

from benchmarks.project_check.layout import response_file
from lsp_client.project.project_requests import ProjectCheck

pytestmark = pytest.mark.shares_server


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def add(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def codes(found: ProjectCheck) -> list[tuple[str, str]]:
    return [(each.path, each.code) for each in found.errors]


def reasons(found: ProjectCheck) -> dict[str | None, str]:
    return {each.assembly: each.reason for each in found.not_checked}


def add_option(root: Path, assembly: str, *options: str) -> None:
    """As if that had been Unity's last build, and a response file had said it."""
    file = response_file(root, assembly)
    file.write_text(file.read_text() + "".join(f"{each}\n" for each in options))
    own = root / f"Assets/{assembly}/csc.rsp"
    said = own.read_text() if own.exists() else ""
    of_users = (each for each in options if each.startswith(_OF_USERS))
    own.write_text(said + "".join(f"{each}\n" for each in of_users))


_OF_USERS = "-define", "-langversion", "-nullable", "-warnaserror"


def test_a_project_as_it_was_built(check: Check) -> None:
    found = check()
    assert (found.status, found.assemblies, found.files) == ("clean", 4, 6)


# -- scripts that come, change and go --------------------------------------------------------------


def test_a_new_script_belongs_to_the_nearest_definition(game: Path, check: Check) -> None:
    add(game / "Assets/Core/New/Fresh.cs", "namespace Core { public class Fresh { } }\n")
    edit(game / "Assets/Game/Player.cs", "new Clock()", "new Clock(); Fresh fresh")
    assert check().status == "clean"
    add(game / "Assets/Core/New/Fresh.cs", "namespace Core { public class Stale { } }\n")
    assert codes(check()) == [("Assets/Game/Player.cs", "CS0246")]


def test_a_deleted_script_is_gone(game: Path, check: Check) -> None:
    (game / "Assets/Game/Enemy.cs").unlink()
    assert codes(check()) == [("Assets/Game.Tests/PlayerTests.cs", "CS0246")]


def test_a_moved_script_belongs_where_it_is(game: Path, check: Check) -> None:
    (game / "Assets/Core/Timer.cs").rename(game / "Assets/Alone/Timer.cs")
    # What it says is wrong in its new assembly, and missed in the old one.
    assert set(codes(check())) == {
        ("Assets/Alone/Timer.cs", "CS0246"),
        ("Assets/Game/Player.cs", "CS1061"),
    }


def test_a_library_that_is_older_than_its_scripts_is_not_believed(game: Path, check: Check) -> None:
    edit(game / "Assets/Core/Clock.cs", "internal int Hidden", "public int Shown")
    edit(game / "Assets/Game/Player.cs", "clock.Now()", "clock.Shown()")
    assert check().status == "clean"


def test_what_waits_for_another_is_named_and_not_judged(game: Path, check: Check) -> None:
    edit(game / "Assets/Core/Clock.cs", "=> 1;", '=> "1";')
    edit(game / "Assets/Game/Player.cs", "clock.Now()", "clock.Nwo()")
    found = check()
    assert codes(found) == [("Assets/Core/Clock.cs", "CS0029")]
    assert set(reasons(found)) == {"Game", "Game.Tests"}
    # Game has none; that it isn't compiled is Core's doing.
    assert all(reason.endswith("Core has errors.") for reason in reasons(found).values())


def test_a_package_beside_the_project(game: Path, check: Check) -> None:
    package = game.parent / "alone"
    shutil.move(game / "Assets/Alone", package)
    add(package / "package.json", '{"name": "com.alone", "version": "1.0.0"}')
    for name, entry in (
        ("manifest", "file:../../alone"),
        ("packages-lock", {"version": "file:../../alone", "depth": 0, "source": "local"}),
    ):
        said = {"dependencies": {"com.alone": entry}}
        (game / f"Packages/{name}.json").write_text(json.dumps(said))
    file = response_file(game, "Alone")
    file.write_text(file.read_text().replace("Assets/Alone/", f"{package.as_posix()}/"))
    assert check().status == "clean"
    add(package / "Deep/New.cs", "class New : Alone.Nobody { int name = Name; }\n")
    found = check()
    assert [(Path(path), code) for path, code in codes(found)] == [
        (package / "Deep/New.cs", "CS0236"),
    ]


def test_the_same_type_twice(game: Path, check: Check) -> None:
    add(game / "Assets/Core/Another.cs", "namespace Core { public class Clock { } }\n")
    (error,) = check().errors
    assert error.code == "CS0101"
    # Trees are in the response file's order: the newer script is the one that is wrong.
    assert error.path == "Assets/Core/Another.cs"


# -- definitions -----------------------------------------------------------------------------------


def test_a_script_that_another_definition_claims(game: Path, check: Check) -> None:
    """The assembly that it goes to may be judged with it, or be named; never without a word."""
    add(game / "Assets/Game/Sub/Sub.asmref", '{"reference": "Alone"}')
    (game / "Assets/Game/Enemy.cs").rename(game / "Assets/Game/Sub/Enemy.cs")
    found = check()
    assert found.status != "clean"
    assert found.errors or {"Alone", "Game"} & set(reasons(found))


# -- what the compiler is told ---------------------------------------------------------------------


def test_symbols_decide_what_is_code(game: Path, check: Check) -> None:
    # One of Unity's own: another, which nothing in the project defines, would be told as lost.
    edit(game / "Assets/Game/Enemy.cs", "HARD_MODE", "UNITY_HARD_MODE")
    add_option(game, "Game", "-define:UNITY_HARD_MODE")
    assert codes(check()) == [("Assets/Game/Enemy.cs", "CS0103")]


def test_warnings_are_shown_if_asked_for(game: Path, check: Check) -> None:
    edit(game / "Assets/Alone/Alone.cs", "public string Name", "private string Name")
    add_option(game, "Alone", "-warn:4")
    assert not check().warnings
    found = check(warnings=True)
    assert (found.status, [each.code for each in found.warnings]) == ("clean", ["CS0414"])


def test_nullable(game: Path, check: Check) -> None:
    add_option(game, "Alone", "-warn:4", "-nullable:enable", "-warnaserror+:nullable")
    edit(game / "Assets/Alone/Alone.cs", '"nobody"', "null")
    assert codes(check()) == [("Assets/Alone/Alone.cs", "CS8625")]


def test_the_language_version(game: Path, check: Check) -> None:
    edit(game / "Assets/Alone/Alone.cs", "namespace Alone\n{", "namespace Alone;\n")
    edit(game / "Assets/Alone/Alone.cs", "    }\n}\n", "    }\n")
    assert {code for _, code in codes(check())} == {"CS8773"}
    add_option(game, "Alone", "-langversion:10.0")
    assert check().status == "clean"


def test_unsafe_code(game: Path, check: Check) -> None:
    edit(
        game / "Assets/Alone/Alone.cs",
        "public string Name",
        "public unsafe int* At; public string Name",
    )
    assert check().status == "clean"
    add_option(game, "Alone", "-unsafe-")
    assert {code for _, code in codes(check())} == {"CS0227"}


def test_a_folder_without_scripts(game: Path, check: Check) -> None:
    shutil.rmtree(game / "Assets")
    (game / "Assets").mkdir()
    found = check()
    assert not found.errors
    assert found.files == 0 or found.status == "unknown"
