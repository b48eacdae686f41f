"""Which build a script belongs to, and when what is known of it no longer holds."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from this_system import needs_fifo

from roslyn_server.projects.build import Build, Composition, Unknown
from roslyn_server.projects.builds import csproj_builds
from roslyn_server.projects.builds.bee_builds import BeeBuilds
from roslyn_server.projects.builds.csproj_builds import CsprojBuilds
from roslyn_server.projects.project_builds import ProjectBuilds

_SCRIPT = "Assets/Game/Player.cs"
_BUILT_S = 1_700_000_000
_DAG = "1900b0aE.dag"


class Project:
    """A project on disk: everything older than its last build, unless changed."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, name: str, content: object, *, after_build: bool = False) -> Path:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content)
        file.write_bytes(text.encode())
        when = _BUILT_S + (60 if after_build else -60)
        os.utime(file, (when, when))
        return file

    def response(self, assembly: str, *lines: str, dag: str = _DAG) -> Path:
        core = f'-r:"Library/Bee/artifacts/{dag}/Core.ref.dll"'  # as Game.asmdef says
        referred = [core] if assembly == "Game" and core not in lines else []
        text = "\n".join(["-target:library", *referred, *lines, ""])
        return self.write(f"Library/Bee/artifacts/{dag}/{assembly}.rsp", text)

    def log(self, dag: str = _DAG) -> None:
        text = json.dumps({"msg": "init", "dagFile": f"Library/Bee/{dag}"}) + '\n{"msg":"x"}\n'
        os.utime(self.write("Library/Bee/tundra.log.json", text), (_BUILT_S, _BUILT_S))

    def build(self, script: str = _SCRIPT) -> Build:
        build = ProjectBuilds(self.root).build_of(script)
        assert isinstance(build, Build), build
        return build

    def compositions(self) -> Mapping[str, Composition | Unknown]:
        found = ProjectBuilds(self.root).compositions()
        assert not isinstance(found, Unknown)
        return found

    def unknown(self, script: str = _SCRIPT) -> Unknown:
        unknown = ProjectBuilds(self.root).build_of(script)
        assert isinstance(unknown, Unknown), unknown
        return unknown

    def composition(self, script: str = _SCRIPT) -> Composition | Unknown:
        builds = ProjectBuilds(self.root)
        build = builds.build_of(script)
        assert isinstance(build, Build), build
        return builds.composition(script, build)

    def composed(self, script: str = _SCRIPT) -> Composition:
        composition = self.composition(script)
        assert isinstance(composition, Composition), composition
        return composition

    def objection(self, script: str = _SCRIPT) -> Unknown | None:
        composition = self.composition(script)
        return composition if isinstance(composition, Unknown) else None


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Game.asmdef and what was built of it, with another assembly that it depends on."""
    made = Project(tmp_path)
    made.write(_SCRIPT, "class Player { }")
    made.write("Assets/Core/Clock.cs", "class Clock { }")
    made.write("Assets/Core/Core.asmdef", {"name": "Core"})
    made.write("Assets/Game/Game.asmdef", {"name": "Game", "references": ["Core"]})
    made.response("Core", '"Assets/Core/Clock.cs"')
    made.response(
        "Game",
        f'-r:"Library/Bee/artifacts/{_DAG}/Core.ref.dll"',
        '-r:"/editor/UnityEngine.dll"',
        f'"{_SCRIPT}"',
        "/unsafe-",
    )
    made.log()
    return made


def test_a_project_that_was_never_built_has_no_references(tmp_path: Path) -> None:
    unknown = Project(tmp_path).unknown()
    assert unknown.reason == "no_references"
    assert len(unknown.message) <= 200


def test_the_response_file_that_lists_a_script_is_its_build(project: Project) -> None:
    build = project.build()
    assert build.assembly == "Game"
    assert build.folder == project.root
    assert build.arguments == (f"@{build.origin}",)
    assert build.references == {"Core", "UnityEngine"}
    assert project.objection() is None


def test_a_second_response_file_belongs_to_it(project: Project) -> None:
    second = project.write(f"Library/Bee/artifacts/{_DAG}/Game.rsp2", "/pathmap:a=b\n")
    assert project.build().arguments[1] == f"@{second}"


def test_a_script_that_isnt_listed_yet_is_not_in_the_last_build(project: Project) -> None:
    assert project.unknown("Assets/Game/New.cs").reason == "not_in_last_build"


def test_the_dag_is_the_one_that_the_log_names(project: Project) -> None:
    other = "1900b0aEDbg.dag"
    project.response("Game", f'"{_SCRIPT}"', dag=other)
    assert project.build().origin.parent.name == _DAG
    project.log(other)
    assert project.build().origin.parent.name == other


@pytest.mark.parametrize("logged", ["1900b0aP.dag", "Player1a2b3c4d.dag", _DAG, None])
@pytest.mark.parametrize("players", ["1900b0aP.dag", "1900b0aPDevDbg.dag", "1900b0aPDbg.dag"])
def test_a_players_build_counts_only_where_there_is_no_editors(
    project: Project, logged: str | None, players: str
) -> None:
    for folder in (project.root / "Library/Bee/artifacts").iterdir():
        folder.rename(folder.with_name(players))
    if logged is not None:
        project.log(logged)
    assert project.build().origin.parent.name == players
    project.response("Game", f'"{_SCRIPT}"')
    assert project.build().origin.parent.name == _DAG


@pytest.mark.parametrize(("debug", "dag"), [(True, "1900b0aEDbg.dag"), (False, _DAG)])
def test_without_a_log_the_setting_chooses_between_dags(
    project: Project, debug: bool, dag: str
) -> None:
    (project.root / "Library/Bee/tundra.log.json").unlink()
    assert project.build().origin.parent.name == _DAG  # the only one
    project.response("Game", f'"{_SCRIPT}"', dag="1900b0aEDbg.dag")
    settings = {"MonoBehaviour": {"m_ScriptDebugInfoEnabled": debug}}
    project.write("Library/EditorOnlyScriptingSettings.json", settings)
    assert project.build().origin.parent.name == dag


_DEFINITION = "Assets/Game/Game.asmdef"
_CLOCK = "Assets/Core/Clock.cs"
_CHANGES: dict[str, tuple[bool, dict[str, object]]] = {
    "its definition went": (True, {_DEFINITION: None}),
    "another name": (True, {_DEFINITION: {"name": "Gameplay"}}),
    "a script of a dependency that another definition claims": (
        True,
        {_CLOCK: "class Timer { }", "Assets/Core/Core.asmdef": {"name": "Heart"}},
    ),
    "its own script": (False, {_SCRIPT: "class Player { int a; }"}),
    "the same definition": (False, {_DEFINITION: {"name": "Game", "references": ["Core"]}}),
    "options beside Assets": (False, {"csc.rsp": "-define:NEW"}),
}
"""What changed, and whether the build is stale for that. More in ``test_definition_changes``."""


@pytest.mark.parametrize("change", _CHANGES)
def test_what_changed_since_the_build(project: Project, change: str) -> None:
    is_stale, files = _CHANGES[change]
    for name, content in files.items():
        if content is None:
            (project.root / name).unlink()
        else:
            project.write(name, content, after_build=True)
    objection = project.objection()
    assert (objection is not None) == is_stale
    if objection is not None:
        assert objection.reason == "references_stale"
        assert len(objection.message) <= 200


def test_unsafe_code_that_the_build_allowed(project: Project) -> None:
    project.response("Game", f'"{_SCRIPT}"', "/unsafe")
    project.write(_DEFINITION, {"name": "Game", "references": ["Core"]}, after_build=True)
    objection = project.objection()
    assert objection is not None
    assert objection.reason == "references_stale"


# -- what has come, gone and changed since ----------------------------------------------------


def test_a_script_that_came_since_belongs_to_its_folders_assembly(project: Project) -> None:
    new = "Assets/Game/Enemies/New.cs"
    project.write(new, "class New { }", after_build=True)
    assert project.build(new).assembly == "Game"
    assert project.composed(new).sources == (_SCRIPT, new)
    assert project.composed().sources == (_SCRIPT, new)


def test_a_script_that_is_gone_is_no_source_any_more(project: Project) -> None:
    listed = f'"{_SCRIPT}"', '"Assets/Game/Gone.cs"'
    project.response("Game", *listed)
    assert project.composed().sources == (_SCRIPT,)


@pytest.mark.parametrize("folder", [".hidden", "Samples~", "cvs"])
def test_what_unity_passes_over_is_no_script(project: Project, folder: str) -> None:
    project.write(f"Assets/Game/{folder}/New.cs", "class New { }", after_build=True)
    assert project.composed().sources == (_SCRIPT,)


@pytest.mark.parametrize(
    ("script", "assembly"),
    [
        ("Assets/New.cs", "Assembly-CSharp"),
        ("Assets/Tools/Editor/New.cs", "Assembly-CSharp-Editor"),
        ("Assets/Plugins/New.cs", "Assembly-CSharp-firstpass"),
        ("Assets/Plugins/Editor/New.cs", "Assembly-CSharp-Editor-firstpass"),
        ("Assets/Tools/Plugins/New.cs", "Assembly-CSharp"),
        ("Assets/Tools/editor/New.cs", "Assembly-CSharp-Editor"),
        ("Assets/plugins/New.cs", "Assembly-CSharp-firstpass"),
        ("Assets/STANDARD assets/EDITOR/New.cs", "Assembly-CSharp-Editor-firstpass"),
        ("Assets/iPhone Standard Assets/New.cs", "Assembly-CSharp-firstpass"),
        ("Assets/Editor.cs/New.cs", "Assembly-CSharp"),
    ],
)
def test_without_a_definition_the_folders_names_decide(
    project: Project, script: str, assembly: str
) -> None:
    project.response(assembly, '"Assets/Other.cs"')
    project.write(script, "class New { }", after_build=True)
    assert project.build(script).assembly == assembly
    assert project.composed(script).sources == (script,)


def test_a_new_script_of_an_assembly_that_was_never_built_is_not_claimed(project: Project) -> None:
    project.write("Assets/Audio/Audio.asmdef", {"name": "Audio"}, after_build=True)
    project.write("Assets/Audio/Sound.cs", "class Sound { }", after_build=True)
    assert project.unknown("Assets/Audio/Sound.cs").reason == "not_in_last_build"


def test_folders_are_read_again_when_they_change(project: Project) -> None:
    builds = ProjectBuilds(project.root)
    build = builds.build_of(_SCRIPT)
    assert isinstance(build, Build)

    def scripts() -> list[str]:
        composition = builds.composition(_SCRIPT, build)
        assert isinstance(composition, Composition)
        return [Path(each).name for each in composition.sources]

    for expected in (["A.cs"], ["A.cs", "B.cs"]):
        project.write(f"Assets/Game/{expected[-1]}", "", after_build=True)
        assert scripts() == ["Player.cs", *expected]
    (project.root / "Assets/Game/A.cs").unlink()
    assert scripts() == ["Player.cs", "B.cs"]


def test_a_folder_that_leads_back_to_itself_ends(project: Project) -> None:
    (project.root / "Assets/Game/again").symlink_to(project.root / "Assets")
    assert project.composed().sources == (_SCRIPT,)


def test_a_link_to_a_folder_that_is_in_the_project_too(project: Project) -> None:
    project.write("Assets/Game/Shared/S.cs", "class S { }")
    (project.root / "Assets/Game/Twice").symlink_to(project.root / "Assets/Game/Shared")
    shared = ("Assets/Game/Shared/S.cs", "Assets/Game/Twice/S.cs")
    assert project.composed().sources == (_SCRIPT, *shared)


def test_a_library_stands_for_the_scripts_that_it_was_built_from_and_no_others(
    project: Project,
) -> None:
    kept = "Assets/Core/Kept.cs"
    project.write(kept, "class Kept { }")
    project.response("Core", f'"{_CLOCK}"', f'"{kept}"')
    assert project.composed(kept).is_as_listed
    # Whether the scripts themselves are others is looked at where they are read.
    project.write(_CLOCK, "class Timer { }", after_build=True)
    assert project.composed(kept).is_as_listed
    new = project.write("Assets/Core/Timer.cs", "class Timer { }")
    assert not project.composed(kept).is_as_listed
    new.unlink()
    (project.root / _CLOCK).unlink()
    assert not project.composed(kept).is_as_listed


def test_the_same_is_answered_while_nothing_has_changed(project: Project) -> None:
    builds = ProjectBuilds(project.root)
    first = builds.compositions()
    assert builds.compositions() is first
    project.write("Assets/Core/Clock.cs", "class Timer { }", after_build=True)
    assert builds.compositions() is first
    project.response("Core", '"Assets/Core/Clock.cs"', "-unsafe")
    second = builds.compositions()
    assert second is not first
    project.write("Assets/csc.rsp", "-define:NEW", after_build=True)
    assert builds.compositions() is not second


def test_what_unity_knew_and_did_not_compile_is_no_part_of_the_project(project: Project) -> None:
    project.write("Assets/Phone/Phone.asmdef", {"name": "Phone", "includePlatforms": ["Android"]})
    project.write("Assets/Phone/Phone.cs", "class Phone { }")
    project.write("Assets/Audio/Audio.asmdef", {"name": "Audio"}, after_build=True)
    project.write("Assets/Audio/Sound.cs", "class Sound { }", after_build=True)
    found = project.compositions()
    assert sorted(found) == ["Audio", "Core", "Game"]
    assert isinstance(found["Audio"], Unknown)
    assert found["Audio"].reason == "not_in_last_build"


def test_dependents_are_those_that_mention_a_name(project: Project) -> None:
    builds = ProjectBuilds(project.root)
    core = builds.build_of("Assets/Core/Clock.cs")
    assert isinstance(core, Build)
    assert builds.dependents(core, ["Clock"]) == []
    project.write(_SCRIPT, "class Player { Clock clock; }")
    assert builds.dependents(core, ["Clock"]) == ["Game"]
    assert builds.dependents(core, []) == ["Game"]


def test_an_assembly_reference_claims_its_folder(project: Project) -> None:
    script = "Assets/More/Extra.cs"
    project.response("Game", f'"{_SCRIPT}"', f'"{script}"')
    project.write("Assets/More/Game.asmref", {"reference": "Game"})
    assert project.objection(script) is None
    project.write("Assets/More/Game.asmref", {"reference": "Core"})
    assert project.objection(script) is not None


@pytest.mark.parametrize(
    ("name", "content", "generates", "analyzes"),
    [
        ("Entities.dll", "…GeneratorAttribute…", True, False),
        ("Rules.dll", "…DiagnosticAnalyzerAttribute…", False, True),
        ("Both.dll", "…DiagnosticAnalyzerAttribute…GeneratorAttribute…", True, True),
        ("Neither.dll", "…DiagnosticAnalyzer…", False, False),
        ("Unity.SourceGenerators.dll", "…GeneratorAttribute…", False, False),
    ],
)
def test_generators_and_analyzers_are_told_from_other_libraries(
    project: Project, name: str, content: str, generates: bool, analyzes: bool
) -> None:
    library = project.write(f"Analyzers/{name}", content)
    project.response("Game", f'-analyzer:"Analyzers/{name}"', f'"{_SCRIPT}"')
    composed = project.composed()
    assert composed.generators == (library,) * generates
    assert composed.analyzers == (library,) * analyzes


@pytest.mark.parametrize(
    ("name", "is_told"),
    [
        ("Analyzers/Gone.dll", True),
        ("C:\\Unity\\Gone.dll", True),
        ("C:\\Unity\\Unity.SourceGenerators.dll", False),
    ],
)
def test_what_a_library_generates_that_is_not_there_is_not_known(
    project: Project, name: str, is_told: bool
) -> None:
    project.response("Game", f'-analyzer:"{name}"', f'"{_SCRIPT}"')
    objection = project.objection()
    assert (objection is not None) == is_told
    if objection is not None:
        assert objection.reason == "source_generators"
        assert ": Gone.dll, which" in objection.message


def test_a_log_that_is_no_log_is_passed_over(project: Project) -> None:
    project.write("Library/Bee/tundra.log.json", "{")
    builds = BeeBuilds(project.root).read()
    assert builds is not None
    assert builds.build_of(_SCRIPT) is not None


# -- project files ----------------------------------------------------------------------------

_CSPROJ = """<?xml version="1.0" encoding="utf-8"?>
<Project ToolsVersion="4.0" xmlns="http://schemas.microsoft.com/developer/msbuild/2003">
  <PropertyGroup>
    <LangVersion>9.0</LangVersion>
    <AssemblyName>Assembly-CSharp</AssemblyName>
    <DefineConstants>UNITY_EDITOR;GAME_EXTRA;</DefineConstants>
    <AllowUnsafeBlocks>True</AllowUnsafeBlocks>
    <NoWarn>0169,USG0001</NoWarn>
  </PropertyGroup>
  <ItemGroup>
    <Compile Include="Assets\\Player.cs" />
    <Reference Include="UnityEngine"><HintPath>/editor/UnityEngine.dll</HintPath></Reference>
    <ProjectReference Include="Core.csproj"><Name>Core</Name></ProjectReference>
  </ItemGroup>
</Project>
"""


_CORE_CSPROJ = (
    _CSPROJ.replace("Player", "Core\\Clock")
    .replace("Core.c", "None.c")
    .replace("Assembly-CSharp", "Core")
)


def read(builds: CsprojBuilds, assembly: str = "Assembly-CSharp") -> Build:
    """What the project files say of an assembly now."""
    found = builds.read()
    assert found is not None
    return found.by_assembly[assembly]


@pytest.fixture
def described(tmp_path: Path) -> Project:
    """A project that has project files, and was built, but has no response files."""
    made = Project(tmp_path)
    made.write("Assembly-CSharp.csproj", _CSPROJ)
    made.write("Core.csproj", _CORE_CSPROJ)
    made.write("Assets/Player.cs", "class Player { }")
    made.write("Assets/Core/Clock.cs", "class Clock { }")
    made.write("Assets/Core/Core.asmdef", {"name": "Core", "allowUnsafeCode": True})
    made.write("Library/ScriptAssemblies/Core.dll", "…")
    return made


def test_a_project_file_says_how_its_scripts_are_compiled(described: Project) -> None:
    build = described.build("Assets/Player.cs")
    assert build.assembly == "Assembly-CSharp"
    assert build.allows_unsafe
    assert build.references == {"UnityEngine", "Core"}
    library = described.root / "Library" / "ScriptAssemblies" / "Core.dll"
    assert build.arguments == (
        "-target:library",
        "-out:Assembly-CSharp.dll",
        "-nostdlib",
        "-define:UNITY_EDITOR;GAME_EXTRA",
        "-langversion:9.0",
        "-unsafe",
        "-nowarn:0169,USG0001",
        "-r:/editor/UnityEngine.dll",
        f"-r:{library}",
        "Assets/Player.cs",
    )
    assert described.objection("Assets/Player.cs") is None


def test_project_files_are_compared_with_the_scripts_there_are(described: Project) -> None:
    assert described.unknown("Assets/New.cs").reason == "not_in_last_build"
    described.write("Assets/Core/Clock.cs", "class Timer { }", after_build=True)
    assert described.composed("Assets/Core/Clock.cs").sources == ("Assets/Core/Clock.cs",)


def test_a_project_file_says_which_warnings_are_errors(described: Project) -> None:
    text = _CSPROJ.replace(
        "<NoWarn>",
        "<WarningsAsErrors>CS0168; CS0219;$(More)</WarningsAsErrors>"
        "<TreatWarningsAsErrors>true</TreatWarningsAsErrors>"
        "<WarningsNotAsErrors>0618</WarningsNotAsErrors><WarningLevel>4</WarningLevel><NoWarn>",
    )
    described.write("Assembly-CSharp.csproj", text)
    expected = "-warnaserror+:CS0168,CS0219", "-warnaserror+", "-warnaserror-:0618", "-warn:4"
    assert {*described.build("Assets/Player.cs").arguments} >= {*expected}


def _with_items(*items: str) -> str:
    return _CSPROJ.replace('<Compile Include="Assets\\Player.cs" />', "".join(items))


def test_a_project_file_may_name_several_scripts_in_one_item(described: Project) -> None:
    items = '<Compile Include="Assets\\Player.cs;Assets/Core/Clock.cs" />'
    described.write("Assembly-CSharp.csproj", _with_items(items))
    build = read(CsprojBuilds(described.root))
    assert build.sources == ("Assets/Player.cs", "Assets/Core/Clock.cs")
    assert build.arguments[-2:] == build.sources


@pytest.mark.parametrize(
    "items",
    [
        '<Compile Include="$(Root)/**/*.cs" />',
        '<Compile Include="Assets/**/*.cs" />',
        '<Compile Include="Assets/A.cs;Assets/Play?r.cs" />',
        '<Compile Include="Assets/Player.cs" Exclude="Assets/Player.cs" />',
        '<Compile Include="Assets/Player.cs" /><Compile Remove="Assets/Player.cs" />',
    ],
)
def test_items_that_only_msbuild_can_evaluate_are_not_guessed(
    described: Project, items: str
) -> None:
    described.write("Assembly-CSharp.csproj", _with_items(items))
    build = read(CsprojBuilds(described.root))
    assert build.fault == "only MSBuild can tell which scripts Assembly-CSharp.csproj is about"
    assert build.arguments == build.sources == ()
    unknown = described.compositions()["Assembly-CSharp"]
    assert isinstance(unknown, Unknown)
    assert "only MSBuild can tell" in unknown.message


def test_a_project_file_says_what_analyzers_are_given(described: Project) -> None:
    configuration = described.write("Assets/.globalconfig", "is_global = true\n")
    given = (
        '<Analyzer Include="Tools\\Rules.dll" />',
        '<AdditionalFiles Include="Assets\\Banned.txt;Assets\\More.txt" />',
        '<GlobalAnalyzerConfigFiles Include="Assets\\.globalconfig" />',
        '<EditorConfigFiles Include=".editorconfig" />',
        '<Compile Include="Assets/Player.cs" />',
    )
    described.write("Assembly-CSharp.csproj", _with_items(*given))
    builds = CsprojBuilds(described.root)
    build = read(builds)
    assert [each for each in build.arguments if each.startswith(("-add", "-ana"))] == [
        "-additionalfile:Assets/Banned.txt",
        "-additionalfile:Assets/More.txt",
        "-analyzerconfig:.editorconfig",
        "-analyzerconfig:Assets/.globalconfig",
    ]
    assert build.analyzers == (described.root / "Tools/Rules.dll",)

    configuration.write_text("is_global = false\n")
    assert read(builds).stamp != build.stamp
    described.write(
        "Assembly-CSharp.csproj", _with_items(*given, '<AdditionalFiles Include="*" />')
    )
    assert (
        read(builds).fault
        == "only MSBuild can tell which additional files Assembly-CSharp.csproj has"
    )


def test_a_project_file_passes_its_ruleset_while_that_is_there(described: Project) -> None:
    rules = "<CodeAnalysisRuleSet>Rules\\Own.ruleset</CodeAnalysisRuleSet><NoWarn>"
    described.write("Assembly-CSharp.csproj", _CSPROJ.replace("<NoWarn>", rules))
    builds = CsprojBuilds(described.root)

    option = "-ruleset:Rules/Own.ruleset"
    assert option not in read(builds).arguments
    file = described.write("Rules/Own.ruleset", "<RuleSet/>")
    assert option in read(builds).arguments
    file.unlink()
    assert option not in read(builds).arguments


UNREADABLE = {
    "": "it is empty",
    "\n": "it is empty",
    "<Project": "it isn't XML: unclosed token",
    "<Project>": "it isn't XML: no element found",
    "\0": "it isn't XML",
    '<?xml version="1.0" encoding="nobody"?><Project/>': "it isn't XML",
    '<?xml version="1.0" encoding="euc-jp"?><Project/>': "it isn't XML",
}


@pytest.mark.parametrize("content", UNREADABLE)
def test_a_project_file_that_cant_be_read_is_named(described: Project, content: str) -> None:
    described.write("Assembly-CSharp.csproj", content)
    found = described.compositions()
    unknown = found["Assembly-CSharp"]
    assert isinstance(unknown, Unknown)
    assert unknown.reason == "response_file"
    assert f"Assembly-CSharp.csproj can't be read ({UNREADABLE[content]}" in unknown.message
    assert len(unknown.message) <= 200
    assert isinstance(found["Core"], Composition)


@pytest.mark.parametrize("content", [*UNREADABLE, "<a/>"])
def test_the_only_project_file_may_be_one_that_cant_be_read(tmp_path: Path, content: str) -> None:
    project = Project(tmp_path)
    project.write("Assembly-CSharp.csproj", content)
    assert project.unknown("Assets/Player.cs").reason == "not_in_last_build"
    assert ProjectBuilds(tmp_path).compositions()
    project.write("Assets/Tool/Tool.asmdef", {"name": "Tool"})
    project.write("Assets/Tool/Tool.cs", "class Tool { }")
    assert project.compositions().keys() == {"Assembly-CSharp", "Tool"}


@needs_fifo
def test_a_project_file_that_is_a_pipe_is_not_waited_for(described: Project) -> None:
    file = described.root / "Assembly-CSharp.csproj"
    file.unlink()
    os.mkfifo(file)
    fault = read(CsprojBuilds(described.root)).fault or ""
    assert fault.startswith("Assembly-CSharp.csproj can't be read (no plain file)")


def test_a_project_file_is_read_again_once_it_can_be(described: Project) -> None:
    builds = ProjectBuilds(described.root)
    for content, is_known in (("<Project", False), (_CSPROJ, True), ("", False), (_CSPROJ, True)):
        described.write("Assembly-CSharp.csproj", content)
        found = builds.compositions()
        assert not isinstance(found, Unknown)
        assert isinstance(found["Assembly-CSharp"], Composition) is is_known


def test_what_keeps_a_project_file_from_being_read_may_go_without_a_trace(
    described: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A right to read it, say, shows in neither its time nor its size."""
    builds = CsprojBuilds(described.root)

    def refuse(_path: Path, _limit: int) -> bytes:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(csproj_builds, "plain_bytes", refuse)
        fault = read(builds, "Core").fault or ""
    assert fault.startswith("Core.csproj can't be read (Permission denied)")
    assert read(builds, "Core").fault is None


def test_project_files_that_go_while_they_are_looked_for(
    described: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csproj_builds, "stamp_of", lambda _: None)
    assert CsprojBuilds(described.root).read() is None
    assert isinstance(ProjectBuilds(described.root).compositions(), dict)


# -- definitions that are named by GUID -----------------------------------------------------------


GUID = "0123456789abcdef0123456789abcdef"


def known_as(project: Project, file: str, guid: str = GUID) -> None:
    project.write(f"{file}.meta", f"fileFormatVersion: 2\nguid: {guid}\n")


def test_a_reference_by_guid_names_its_assembly(project: Project) -> None:
    known_as(project, "Assets/Core/Core.asmdef")
    references = [f"GUID:{GUID}"]
    project.write(
        "Assets/Game/Game.asmdef", {"name": "Game", "references": references}, after_build=True
    )
    assert project.objection() is None
    references.append("GUID:ffff")  # which Unity passes over
    project.write(
        "Assets/Game/Game.asmdef", {"name": "Game", "references": references}, after_build=True
    )
    assert project.objection() is None


@pytest.mark.parametrize("place", ["Assets/Core", "Library/PackageCache/com.core@1.0.0/Runtime"])
def test_a_script_of_a_definition_by_guid(project: Project, place: str) -> None:
    project.write(f"{place}/Core.asmdef", {"name": "Core"})
    known_as(project, f"{place}/Core.asmdef")
    project.write("Assets/More/More.asmref", {"reference": f"GUID:{GUID.upper()}"})
    project.write("Assets/More/New.cs", "class New { }", after_build=True)
    builds = ProjectBuilds(project.root)
    assert builds.owner("Assets/More/New.cs") == "Core"
    found = builds.compositions()
    assert not isinstance(found, Unknown)
    core = found["Core"]
    assert isinstance(core, Composition)
    assert "Assets/More/New.cs" in core.sources
    assert builds.changes() == ()


def test_a_guid_that_nobody_knows_is_told(project: Project) -> None:
    project.write("Assets/More/More.asmref", {"reference": f"GUID:{GUID}"})
    project.write("Assets/More/New.cs", "class New { }", after_build=True)
    (unknown,) = ProjectBuilds(project.root).changes()
    assert "Assets/More/More.asmref" in unknown.message


# -- what hinders all ------------------------------------------------------------------------------


def changes(project: Project) -> list[str]:
    return [each.message for each in ProjectBuilds(project.root).changes()]


@pytest.mark.parametrize(
    ("definition", "name", "told"),
    [
        ("Assets/Core/Aaa.asmdef", "Aaa", "Assets/Core has more than one assembly definition, Aaa"),
        ("Assets/Core/Core2.asmdef", "Core2", "more than one assembly definition, Core.asmdef and"),
        ("Assets/Z/Core.asmdef", "Core", "Core.asmdef and Assets/Z/Core.asmdef both define Core"),
    ],
)
def test_definitions_that_exclude_one_another(
    project: Project, definition: str, name: str, told: str
) -> None:
    assert changes(project) == []
    project.write(definition, {"name": name})
    (found,) = changes(project)
    assert found.startswith("Unity compiles nothing as it is: ")
    assert told in found


def test_a_managed_library_that_no_build_knows(project: Project) -> None:
    """Names that it may have can't be told from wrong ones."""
    library = "Assets/Plugins/Foo.dll"
    project.write("Assets/Plugins/native.dll", "MZ")
    project.write("Assets/Plugins/Core.dll", "BSJB")  # it is referred to
    assert project.objection() is None
    project.write(library, "MZ BSJB")
    objection = project.objection()
    assert objection is not None
    assert f"{library} was added since the last build" in objection.message
    project.write(f"{library}.meta", "PluginImporter:\n  isExplicitlyReferenced: 1\n")
    assert project.objection() is None


# -- what says how severe the compiler's warnings are ---------------------------------------------


def test_a_configuration_without_an_end_is_told(project: Project) -> None:
    project.response("Game", f'"{_SCRIPT}"', "-analyzerconfig:.editorconfig")
    file = project.write(".editorconfig", "[*.cs]\n")
    assert project.objection() is None
    file.write_text("#" * 2_000_000)
    unknown = project.objection()
    assert unknown is not None
    assert unknown.message.endswith("not checked: .editorconfig is larger than 1 MB.")


def test_an_option_that_names_a_script_is_no_script(project: Project) -> None:
    project.response("Game", f'"{_SCRIPT}"', '-additionalfile:"Assets/Template.cs"')
    project.write("Assets/Game/csc.rsp", "-additionalfile:Assets/Template.cs")
    project.write("Assets/Template.cs", "")
    build = project.build()
    assert build.sources == (_SCRIPT,)
    assert "additionalfile:Assets/Template.cs" in build.options
    assert project.objection() is None


def test_a_ruleset_that_changed_makes_another_build(project: Project) -> None:
    project.response("Game", f'"{_SCRIPT}"', '-ruleset:"Assets/Default.ruleset"')
    builds = ProjectBuilds(project.root)
    first = builds.build_of(_SCRIPT)
    assert builds.build_of(_SCRIPT) is first
    project.write("Assets/Default.ruleset", "<RuleSet/>")
    second = builds.build_of(_SCRIPT)
    assert isinstance(first, Build)
    assert isinstance(second, Build)
    assert first.stamp != second.stamp


def test_texts_belong_to_one_assembly(project: Project) -> None:
    """Of an assembly that lost scripts to a new definition, the others are left."""
    other = "Assets/Game/Sub/Enemy.cs"
    project.write(other, "class Enemy { }")
    project.response("Game", f'"{_SCRIPT}"', f'"{other}"')
    project.write("Assets/Game/Sub/Sub.asmdef", {"name": "Sub"}, after_build=True)
    builds = ProjectBuilds(project.root)
    found = builds.compositions()
    assert not isinstance(found, Unknown)
    assert isinstance(found["Game"], Unknown)
    assert found["Game"].reason == "references_stale"
    texts = {name: builds.texts_of(name) for name in ("Game", "Sub")}
    assert {name: each[0].sources for name, each in texts.items() if each is not None} == {
        "Game": (_SCRIPT,),
        "Sub": (other,),
    }


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (
            '{ "name": "Game", "references": ["Core" }',
            "isn't valid JSON (1:41: Expecting ',' delimiter)",
        ),
        ("", "isn't valid JSON (1:1: Expecting value)"),
        ("[]", "isn't a JSON object (1:1)"),
        ("[" * 100_000, "isn't valid JSON"),
    ],
)
def test_a_definition_that_cant_be_read_is_told_with_the_place(
    project: Project, content: str, fault: str
) -> None:
    project.write("Assets/Game/Game.asmdef", content, after_build=True)
    objection = project.objection()
    assert objection is not None
    assert objection.reason == "references_stale"
    assert f"Game.asmdef changed, and {fault}" in objection.message
    told = [each.message for each in ProjectBuilds(project.root).changes()]
    assert any(f"Assets/Game/Game.asmdef {fault}" in each for each in told)


def test_definitions_that_refer_to_one_another_in_a_circle_are_named(project: Project) -> None:
    project.write(
        "Assets/Core/Core.asmdef", {"name": "Core", "references": ["Game"]}, after_build=True
    )
    (told,) = changes(project)
    assert "Core.asmdef refers to itself (Core → Game → Core)" in told
