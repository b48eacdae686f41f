"""Where it isn't known how Unity builds, texts are judged all the same, and no more is claimed."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from small_project import Check
from test_traps import add, codes, edit, reasons

from benchmarks.project_check.layout import response_file
from benchmarks.verdict import STARTING_S
from lsp_client.project.project_requests import ProjectCheck
from lsp_client.validator import LanguageServerValidator

pytestmark = pytest.mark.shares_server

PLAYER = "Assets/Game/Player.cs"
CLOCK = "Assets/Core/Clock.cs"
LOOSE = "Assets/Scripts/Loose.cs"


@pytest.fixture
def unbuilt(game: Path) -> Path:
    """The project, of which no build is known."""
    shutil.rmtree(game / "Library")
    return game


def test_no_build_is_said_once(unbuilt: Path, check: Check) -> None:
    found = check()
    assert (found.status, codes(found), found.assemblies) == ("unknown", [], 0)
    assert (found.files, found.syntax_only) == (0, 6)
    assert [each.assembly for each in found.not_checked] == [None]
    assert "Open it in Unity once" in found.not_checked[0].reason


def test_syntax_is_judged_without_a_build(unbuilt: Path, check: Check) -> None:
    add(unbuilt / LOOSE, "class Loose : MonoBehaviour { void Update() { Missing(); } }\n")
    assert codes(check()) == []
    edit(unbuilt / PLAYER, "clock.Now()", "clock.Now(")
    edit(unbuilt / LOOSE, "Missing();", "Missing()")
    found = check()
    assert found.status == "errors"
    assert set(codes(found)) == {(PLAYER, "CS1026"), (LOOSE, "CS1002")}
    assert {each.assembly for each in found.errors} == {"Game", "Assembly-CSharp"}
    assert found.not_checked
    edit(unbuilt / PLAYER, "clock.Now(", "clock.Now()")
    edit(unbuilt / LOOSE, "Missing()", "Missing();")
    assert check().status == "unknown"


def test_types_that_are_keywords_mean_what_they_say(unbuilt: Path, check: Check) -> None:
    """.NET's others are names, which something nearer may have, too."""
    add(
        unbuilt / LOOSE,
        "class Loose : MonoBehaviour { float speed = 1.5; Math a = 1; int b = Math.Nothing; }\n",
    )
    found = check()
    assert (found.status, codes(found)) == ("errors", [(LOOSE, "CS0664")])
    assert found.not_checked


def test_what_no_reference_can_cure_is_told(unbuilt: Path, check: Check) -> None:
    edit(unbuilt / PLAYER, "public int", "public int Twice(int a, int a) => a;\n public int")
    assert codes(check()) == [(PLAYER, "CS0100")]
    edit(unbuilt / PLAYER, "int a, int a", "int a, int b")
    # In two files of one assembly, and in two of two.
    add(unbuilt / "Assets/Core/Another.cs", "namespace Core { public class Clock { } }\n")
    add(unbuilt / "Assets/Game/Another.cs", "namespace Core { public class Clock { } }\n")
    assert [code for _, code in codes(check())] == ["CS0101"]


def test_the_language_and_the_symbols_are_the_projects(unbuilt: Path, check: Check) -> None:
    player = "#if {}\nclass Extra {{ void A() {{ + }} }}\n#endif\n"
    add(unbuilt / LOOSE, player.format("UNITY_EDITOR && !GAME_HARD"))
    assert {path for path, _ in codes(check())} == {LOOSE}
    settings = unbuilt / "ProjectSettings/ProjectSettings.asset"
    add(
        settings,
        "PlayerSettings:\n  scriptingDefineSymbols:\n"
        "    Android: NONE\n    Standalone: GAME_HARD;B\n  other: 1\n",
    )
    assert codes(check()) == []
    add(unbuilt / LOOSE, "#if NEVER_SET\n#else\n#error set it\n#endif\nnamespace A;\nclass B { }\n")
    assert {code for _, code in codes(check())} == {"CS8773"}
    add(unbuilt / "Assets/csc.rsp", "-langversion:10\n")
    assert codes(check()) == []


def test_what_unity_would_not_compile_is_not_judged(unbuilt: Path, check: Check) -> None:
    for name, more in (
        ("Phone", {"includePlatforms": ["iOS"]}),
        ("Server", {"excludePlatforms": ["Editor"]}),
        ("Extra", {"defineConstraints": ["EXTRA_IS_THERE"]}),
    ):
        add(unbuilt / f"Assets/{name}/{name}.asmdef", json.dumps({"name": name, **more}))
        add(unbuilt / f"Assets/{name}/{name}.cs", "class {\n")
    add(
        unbuilt / "Assets/Late/Late.asmdef",
        json.dumps({"name": "Late", "defineConstraints": ["UNITY_2021_1_OR_NEWER", "!NEVER"]}),
    )
    add(unbuilt / "Assets/Late/Late.cs", "class {\n")
    found = check()
    assert {path for path, _ in codes(found)} == {"Assets/Late/Late.cs"}
    assert "EXTRA_IS_THERE" in reasons(found)["Extra"]


def _options_changed(root: Path) -> None:
    add(root / "Assets/Core/csc.rsp", "-nullable:enable\n")


def _library_gone(root: Path) -> None:
    file = response_file(root, "Core")
    file.write_text('-r:"Assets/Plugins/Gone.dll"\n' + file.read_text())


def _generated(root: Path) -> None:
    (root / "Assets/Generator.dll").write_bytes(b"GeneratorAttribute")
    file = response_file(root, "Core")
    file.write_text('-a:"Assets/Generator.dll"\n' + file.read_text())


@pytest.mark.parametrize("happens", [_options_changed, _library_gone, _generated])
def test_texts_of_assemblies_that_are_left_are_judged(
    game: Path, check: Check, happens: Callable[[Path], None]
) -> None:
    happens(game)
    assert check().status == "unknown"
    edit(game / CLOCK, "=> 1;", "=> 1")
    found = check()
    assert (CLOCK, "CS1002") in codes(found)
    assert "Core" in reasons(found)


def test_texts_of_an_assembly_that_is_newer_than_the_build(game: Path, check: Check) -> None:
    add(game / "Assets/Fresh/Fresh.asmdef", '{"name": "Fresh", "references": ["Core"]}')
    add(game / "Assets/Fresh/Fresh.cs", "class Fresh { Clock clock = }\n")
    found = check()
    assert ("Assets/Fresh/Fresh.cs", "CS1525") in codes(found)
    assert {path for path, _ in codes(found)} == {"Assets/Fresh/Fresh.cs"}
    assert set(reasons(found)) == {"Fresh"}


# -- command lines that nobody can read to their end -----------------------------------------------


def _itself(root: Path) -> str:
    file = response_file(root, "Core")
    file.write_text(file.read_text() + f'@"{file}"\n')
    return "includes itself"


def _each_other(root: Path) -> str:
    add(root / "a.rsp", "@b.rsp\n")
    add(root / "b.rsp", '-nologo "@a.rsp" # @c.rsp\n')
    file = response_file(root, "Core")
    file.write_text(file.read_text() + "@a.rsp\n")
    return "includes itself"


def _a_device(root: Path) -> str:
    file = response_file(root, "Core")
    file.write_text(file.read_text() + '@"/dev/zero"\n')
    return "/dev/zero"


def _a_pipe(root: Path) -> str:
    os.mkfifo(root / "never.rsp")
    file = response_file(root, "Core")
    file.write_text(file.read_text() + "@never.rsp\n")
    return "never.rsp"


def _a_pipe_for_a_library(root: Path) -> str:
    os.mkfifo(root / "never.dll")
    file = response_file(root, "Core")
    file.write_text("-r:never.dll\n" + file.read_text())
    return "never.dll"


def _a_pipe_itself(root: Path) -> str:
    file = response_file(root, "Core")
    file.unlink()
    os.mkfifo(file)
    return "Core.rsp"


def _large(root: Path) -> str:
    with (root / "large.rsp").open("wb") as large:
        large.truncate(2**30)
    file = response_file(root, "Core")
    file.write_text(file.read_text() + "@large.rsp\n")
    return "large.rsp"


@pytest.mark.skipif(os.name != "posix", reason="there are no such files")
@pytest.mark.parametrize(
    "happens",
    [_itself, _each_other, _a_device, _a_pipe, _a_pipe_for_a_library, _a_pipe_itself, _large],
)
def test_a_command_line_without_end_is_named(
    game: Path, check: Check, happens: Callable[[Path], str]
) -> None:
    named = happens(game)
    found = check()
    assert isinstance(found, ProjectCheck)
    assert found.status == "unknown"
    assert named in reasons(found)["Core"], found.not_checked


@pytest.mark.skipif(os.name != "posix", reason="there are no such files")
@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("gone")])
def test_a_script_by_its_name_only(game: Path, check: Check, make: Callable[[Path], None]) -> None:
    make(game / "Assets/Core/Pipe.cs")
    (game / "Assets/Core/Bad.cs").write_text("class Bad { int x = ; }\n")
    (game / "Assets/Alone/Alone.cs").write_text("class Alone { int a = Nothing; }\n")
    found = check()
    assert "Assets/Core/Pipe.cs can't be read" in reasons(found)["Core"]
    assert {each.code for each in found.errors} == {"CS1525", "CS0103"}
    (game / "Assets/Core/Bad.cs").unlink()
    (game / "Assets/Alone/Alone.cs").write_text("class Alone { }\n")
    assert (check().status, check().errors) == ("unknown", ())


# -- names that there are not ----------------------------------------------------------------------


def test_an_assembly_that_there_is_not(
    game: Path, server: Callable[[Path], LanguageServerValidator]
) -> None:
    for name, nearest in (("game", "Game, Game.Tests"), ("Clok", "Core"), ("zq", "Alone, Core")):
        found = server(game).check_project([name], within_s=STARTING_S)
        assert isinstance(found, ProjectCheck)
        (left,) = found.not_checked
        assert left.is_missing
        assert nearest in left.reason
