"""What an assembly definition says is held against the build, however old its file is."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from built_project import BuiltProject

from roslyn_server.projects.build import Build

_SCRIPT = "Assets/Game/Player.cs"
_DEFINITION = "Assets/Game/Game.asmdef"


@pytest.fixture
def project(tmp_path: Path) -> BuiltProject:
    """Core, Game that refers to it, and scripts without a definition that may use both."""
    made = BuiltProject(tmp_path)
    made.write("Assets/Core/Clock.cs", "class Clock { }")
    made.write("Assets/Core/Core.asmdef", {"name": "Core"})
    made.write(_SCRIPT, "class Player { }")
    made.write(_DEFINITION, {"name": "Game", "references": ["Core"]})
    made.write("Assets/Loose.cs", "class Loose { }")
    made.write("Assets/Plugins/Json.dll.meta", "PluginImporter:\n  isExplicitlyReferenced: 1\n")
    made.write("Packages/manifest.json", {"dependencies": {"com.x": "1.2.0"}})
    lock = {"com.x": {"version": "1.2.0", "depth": 0, "source": "registry"}}
    made.write("Packages/packages-lock.json", {"dependencies": lock})
    engine = "-r:/editor/UnityEngine.CoreModule.dll"
    common = engine, "-define:UNITY_EDITOR", "-define:UNITY_STANDALONE"
    made.built("Core", *common, '"Assets/Core/Clock.cs"')
    made.built("Game", *common, f'"{_SCRIPT}"', refers_to=("Core",))
    made.built("Assembly-CSharp", *common, '"Assets/Loose.cs"', refers_to=("Core", "Game"))
    return made


def _game(**said: Any) -> Callable[[BuiltProject], None]:
    def change(project: BuiltProject) -> None:
        project.write(_DEFINITION, {"name": "Game", "references": ["Core"], **said})

    return change


def _refers_to_a_new_one(project: BuiltProject) -> None:
    project.write("Assets/New/New.asmdef", {"name": "New", "autoReferenced": False})
    project.write("Assets/New/New.cs", "class New { }")
    _game(references=["Core", "New"])(project)


def _options(project: BuiltProject) -> None:
    project.write("Assets/Game/csc.rsp", "-define:HARD")


def _options_of_all(project: BuiltProject) -> None:
    project.write("Assets/csc.rsp", "-define:HARD")


def _version_define_removed(project: BuiltProject) -> None:
    """A build that had the symbol by a version; the definition, older than it, hasn't."""
    lines = f'"{_SCRIPT}"', "-define:UNITY_2022_3_OR_NEWER;HAS_TOOLS;UNITY_OF_ITS_OWN"
    project.built("Game", *lines, refers_to=("Core",))
    _game()(project)


def test_nothing_changed(project: BuiltProject) -> None:
    assert project.unknown() == {}
    assert project.changes() == []


@pytest.mark.parametrize(
    ("change", "assembly", "told"),
    [
        (_game(references=[]), "Game", "lost its reference to Core"),
        (_game(references=["Core", "Assembly-CSharp"]), "Game", "Game.asmdef changed"),
        (_refers_to_a_new_one, "Game", "New, which Game.asmdef refers to, was added"),
        (_game(allowUnsafeCode=True), "Game", "gained allowUnsafeCode"),
        (_game(autoReferenced=False), "Assembly-CSharp", "lost autoReferenced"),
        (_game(includePlatforms=["Editor"]), "Assembly-CSharp", "is Editor-only"),
        (_game(includePlatforms=["iOS"]), "Game", "excludes the Editor"),
        (_game(excludePlatforms=["Editor"]), "Game", "excludes the Editor"),
        (_game(defineConstraints=["HARD"]), "Game", "requires HARD"),
        (_game(defineConstraints=["!UNITY_EDITOR"]), "Game", "requires !UNITY_EDITOR"),
        (_game(noEngineReferences=True), "Game", "gained noEngineReferences"),
        (
            _game(versionDefines=[{"name": "com.x", "expression": "1.1", "define": "HAS_X"}]),
            "Game",
            "began to define HAS_X",
        ),
        (_version_define_removed, "Game", "no longer defines HAS_TOOLS"),
        (_options, "Game", "Game/csc.rsp changed"),
        (_options_of_all, "Core", "Assets/csc.rsp changed"),
    ],
)
def test_a_change_that_an_old_file_says(
    project: BuiltProject, change: Callable[[BuiltProject], None], assembly: str, told: str
) -> None:
    change(project)
    assert told in project.unknown()[assembly]


@pytest.mark.parametrize(
    "said",
    [
        {"rootNamespace": "Games"},
        {"references": ["Core", "Of.A.Package.That.Isnt.There", "GUID:0123"]},
        {"defineConstraints": ["UNITY_EDITOR", "!HARD || OTHER"]},
        {"excludePlatforms": ["iOS"]},
        {"versionDefines": [{"name": "com.x", "expression": "[1.3,2)", "define": "NEW_X"}]},
        {"versionDefines": [{"name": "com.y", "expression": "", "define": "HAS_Y"}]},
        {"overrideReferences": True, "precompiledReferences": ["Of.Another.Platform.dll"]},
    ],
)
def test_what_unity_would_pass_over_is_no_change(
    project: BuiltProject, said: dict[str, object]
) -> None:
    _game(**said)(project)
    assert project.unknown() == {}


def test_what_unity_has_every_assembly_refer_to_was_not_lost(project: BuiltProject) -> None:
    project.built("UnityEngine.UI", '"Assets/UI/Text.cs"')
    project.write("Assets/UI/Text.cs", "class Text { }")
    project.write("Assets/UI/UI.asmdef", {"name": "UnityEngine.UI"})
    project.built("Game", f'"{_SCRIPT}"', refers_to=("Core", "UnityEngine.UI"))
    assert "Game" not in project.unknown()


def test_an_assembly_came_to_be_referred_to_by_itself(project: BuiltProject) -> None:
    project.built("Assembly-CSharp", '"Assets/Loose.cs"', refers_to=("Core",))
    assert "Game.asmdef gained autoReferenced" in project.unknown()["Assembly-CSharp"]
    _game(autoReferenced=False)(project)
    assert project.unknown() == {}


def test_libraries_that_a_definition_names(project: BuiltProject) -> None:
    project.write("Assets/Plugins/Json.dll", "MZ BSJB")
    library = '-r:"Assets/Plugins/Json.dll"'
    project.built("Game", library, f'"{_SCRIPT}"', refers_to=("Core",))
    named = {"overrideReferences": True, "precompiledReferences": ["Json.dll"]}
    _game(**named)(project)
    assert project.unknown() == {}
    _game()(project)
    told = "Json.dll is now referenced only where it is named"
    assert told in project.unknown()["Game"]
    _game(overrideReferences=True)(project)
    assert "no longer names Json.dll" in project.unknown()["Game"]
    project.write("Assets/Core/Core.asmdef", {"name": "Core", **named})
    assert "Core.asmdef began to name json.dll" in project.unknown()["Core"]


def test_an_addition_to_an_assembly_says_nothing_of_its_references(project: BuiltProject) -> None:
    first = "Assets/Aaa/Extra.cs"
    project.write(first, "class Extra { }")
    project.write("Assets/Aaa/Game.asmref", {"reference": "Game"})
    project.built("Game", f'"{first}"', f'"{_SCRIPT}"', refers_to=("Core",))
    assert project.unknown() == {}
    _game(references=[])(project)
    assert "lost its reference to Core" in project.unknown()["Game"]


# -- assemblies that no build knows ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "is_excluded"),
    [
        ({}, False),
        ({"includePlatforms": ["Editor"]}, False),
        ({"defineConstraints": ["UNITY_EDITOR"]}, False),
        ({"includePlatforms": ["Android"]}, True),
        ({"excludePlatforms": ["Editor"]}, True),
        ({"defineConstraints": ["NOT_THERE"]}, True),
        (
            {
                "defineConstraints": ["HAS_X"],
                "versionDefines": [{"name": "com.x", "expression": "1.0", "define": "HAS_X"}],
            },
            False,
        ),
        (
            {
                "defineConstraints": ["HAS_Y"],
                "versionDefines": [{"name": "com.y", "expression": "", "define": "HAS_Y"}],
            },
            True,
        ),
    ],
)
@pytest.mark.parametrize("place", ["Assets/Pk", "Packages/com.pk/Runtime"])
def test_an_old_definition_that_the_build_doesnt_know(
    project: BuiltProject, place: str, said: dict[str, object], is_excluded: bool
) -> None:
    project.write("Packages/com.pk/package.json", {"name": "com.pk"})
    project.write(f"{place}/Pk.asmdef", {"name": "Pk", "autoReferenced": False, **said}, when=1)
    project.write(f"{place}/p.cs", "class P { Nope n }", when=1)
    unknown = project.unknown()
    assert ("Pk" in unknown) != is_excluded
    assert is_excluded or "Pk isn't in Unity's last build yet" in unknown["Pk"]


def test_a_definition_whose_version_symbols_cant_be_told_is_not_left_out(
    project: BuiltProject,
) -> None:
    (project.root / "Packages/packages-lock.json").unlink()
    symbols = [{"name": "com.x", "expression": "1.0", "define": "HAS_X"}]
    said = {"name": "Pk", "defineConstraints": ["HAS_X"], "versionDefines": symbols}
    project.write("Assets/Pk/Pk.asmdef", said)
    project.write("Assets/Pk/p.cs", "class P { }")
    assert "Pk" in project.unknown()


# -- packages that lie in the project --------------------------------------------------------------

_CACHED = "Library/PackageCache/com.x@1.2.0"


@pytest.fixture
def fetched(project: BuiltProject) -> BuiltProject:
    """The same with a package that Unity fetched."""
    for name, text in _PACKAGE.items():
        project.write(f"{_CACHED}/{name}", text)
    listed = f'"{_CACHED}/Runtime/A.cs"', f'"{_CACHED}/Runtime/B.cs"'
    project.built("X", *listed)
    project.built("Game", f'"{_SCRIPT}"', refers_to=("Core", "X"))
    _game(references=["Core", "X"])(project)
    both = "Core", "Game", "X"
    project.built("Assembly-CSharp", '"Assets/Loose.cs"', refers_to=both)
    return project


_PACKAGE = {
    "package.json": '{"name": "com.x", "version": "1.2.0"}',
    "Runtime/X.asmdef": '{"name": "X"}',
    "Runtime/A.cs": "public class A { }",
    "Runtime/B.cs": "public class B { }",
}


def _embed(project: BuiltProject, folder: str = "Packages/com.x") -> None:
    for name, text in _PACKAGE.items():
        project.write(f"{folder}/{name}", text)


@pytest.mark.parametrize("folder", ["Packages/com.x", "Packages/Mine"])
@pytest.mark.parametrize("is_cached", [True, False])
def test_a_package_in_the_project_takes_the_place_of_the_fetched_one(
    fetched: BuiltProject, folder: str, is_cached: bool
) -> None:
    _embed(fetched, folder)
    fetched.write(f"{folder}/Runtime/C.cs", "public class C { }")
    (fetched.root / folder / "Runtime/B.cs").unlink()
    if not is_cached:
        for name in _PACKAGE:
            (fetched.root / _CACHED / name).unlink()
    assert fetched.unknown() == {}
    assert fetched.changes() == []
    assert fetched.sources("X") == (f"{folder}/Runtime/A.cs", f"{folder}/Runtime/C.cs")


def test_a_package_in_the_project_of_another_version(fetched: BuiltProject) -> None:
    _embed(fetched)
    fetched.write("Packages/com.x/package.json", {"name": "com.x", "version": "2.0.0"})
    (told,) = fetched.changes()
    assert "com.x changed version" in told


def test_a_package_in_the_project_that_says_something_else(fetched: BuiltProject) -> None:
    _embed(fetched)
    fetched.write("Packages/com.x/Runtime/X.asmdef", {"name": "X", "allowUnsafeCode": True})
    assert "X.asmdef gained allowUnsafeCode" in fetched.unknown()["X"]


def test_a_library_of_a_package_in_whose_place_another_came(fetched: BuiltProject) -> None:
    library = f'-r:"{_CACHED}/Runtime/Y.dll"'
    fetched.built("Game", library, f'"{_SCRIPT}"', refers_to=("Core", "X"))
    assert fetched.unknown() == {}
    _embed(fetched)
    assert "com.x, whose library it uses, moved to" in fetched.unknown()["Game"]


def test_the_same_is_answered_while_no_package_changes(fetched: BuiltProject) -> None:
    asked = fetched.asking()
    first = asked.compositions()
    assert asked.compositions() is first
    _embed(fetched)
    assert asked.compositions() is not first


NET = (
    "-r:/editor/UnityEngine.CoreModule.dll",
    "-r:/net/System.dll",
    "-define:UNITY_EDITOR;UNITY_STANDALONE;NET_4_6",
)
DRAWING = "-r:/net/System.Drawing.dll"


def test_a_library_of_dotnet_that_no_response_file_adds_any_more(project: BuiltProject) -> None:
    project.built("Core", *NET, '"Assets/Core/Clock.cs"')
    project.built("Game", *NET, DRAWING, f'"{_SCRIPT}"', refers_to=("Core",))
    project.write("Assets/Game/csc.rsp", "-r:System.Drawing.dll")
    assert "Game" not in project.unknown()
    project.write("Assets/Game/csc.rsp", "")
    assert "no longer pass reference:System.Drawing" in project.unknown()["Game"]


def test_what_a_build_of_another_api_level_lacks_shows_nothing(project: BuiltProject) -> None:
    project.built("Game", *NET, DRAWING, f'"{_SCRIPT}"', refers_to=("Core",))
    assert "Game" not in project.unknown()


def test_builds_that_say_no_api_level_are_not_compared(project: BuiltProject) -> None:
    lines = NET[0], "-define:UNITY_EDITOR;UNITY_STANDALONE", f'"{_SCRIPT}"'
    project.built("Game", *lines, DRAWING, refers_to=("Core",))
    assert "Game" not in project.unknown()


def test_an_option_may_add_several_libraries(project: BuiltProject) -> None:
    libraries = '-r:"/a,b/System.Web.dll",/net/System.Drawing.dll'
    project.built("Game", *NET, libraries, f'"{_SCRIPT}"', refers_to=("Core",))
    project.write("Assets/Game/csc.rsp", "-r:System.Web.dll;System.Drawing.dll")
    assert "Game" not in project.unknown()
    project.write("Assets/Game/csc.rsp", "-r:System.Data.dll;System.Drawing.dll")
    assert "passes reference:System.Data.dll" in project.unknown()["Game"]


def test_options_that_the_build_includes_are_those_of_now(project: BuiltProject) -> None:
    engine = "-r:/editor/UnityEngine.CoreModule.dll"
    lines = engine, "-define:UNITY_EDITOR", "-define:UNITY_STANDALONE", f'"{_SCRIPT}"'
    project.built("Game", *lines, '@"Assets/Game/csc.rsp"', refers_to=("Core",))
    project.write("Assets/Game/csc.rsp", "-nullable:enable -d:HARD")
    asked = project.asking()
    first = asked.build_of(_SCRIPT)
    assert project.unknown() == {}
    project.write("Assets/Game/csc.rsp", "-nullable:disable -d:HAR")  # as old, and as long
    second = asked.build_of(_SCRIPT)
    assert project.unknown() == {}
    assert isinstance(first, Build)
    assert isinstance(second, Build)
    assert ("HARD" in first.symbols, "HARD" in second.symbols) == (True, False)
    (project.root / "Assets/Game/csc.rsp").unlink()
    told = project.unknown()["Game"]
    assert "Assets/Game/csc.rsp, which the compiler is to read, was removed" in told
