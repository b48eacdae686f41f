"""Where toolchains are looked for, which is taken, and what is said of the others."""

import os
from pathlib import Path, PurePath

import pytest
from pretended_machine import MACH_O_X64, PretendedMachine

from roslyn_server.toolchains.candidates import Candidate, Discovery, Source, Wish, discover
from roslyn_server.toolchains.machine import DiskFiles, this_machine

_EDITORS = {
    "Linux": "/home/me/Unity/Hub/Editor/{}/Editor/Data",
    "Darwin": "/Applications/Unity/Hub/Editor/{}/Unity.app/Contents",
    "Windows": r"C:\Program Files\Unity\Hub\Editor\{}\Editor\Data",
}
_SETTINGS = {
    "Linux": "/home/me/.config/UnityHub/secondaryInstallPath.json",
    "Darwin": "/Users/me/Library/Application Support/UnityHub/secondaryInstallPath.json",
    "Windows": r"C:\Users\me\AppData\Roaming\UnityHub\secondaryInstallPath.json",
}
_ARCHITECTURES = {"Linux": "x64", "Darwin": "arm64", "Windows": "x64"}
_SYSTEMS = list(_EDITORS)


def _machine(system: str = "Linux") -> PretendedMachine:
    if os.name == "nt" and system != "Windows":
        pytest.skip("a machine whose paths this system's Path turns into others")
    return PretendedMachine(system, _ARCHITECTURES[system])


def _data(machine: PretendedMachine, version: str) -> PurePath:
    return machine.path(_EDITORS[machine.system].format(version))


def _found(
    machine: PretendedMachine, project: PurePath | None = None, wish: Wish | None = None
) -> Discovery:
    return discover(project, machine.machine, wish)


def _only(discovery: Discovery) -> Candidate:
    (candidate,) = discovery.candidates
    return candidate


def _paired(discovery: Discovery) -> tuple[str, str, str]:
    """The compiler's folder, the .NET root and the runtime that were taken."""
    assert discovery.chosen is not None, discovery
    toolchain = discovery.chosen.toolchain
    assert toolchain is not None
    return str(toolchain.roslyn_dir), str(toolchain.dotnet_root), toolchain.runtime


_SDK = "DotNetSdk/sdk/{}/Roslyn/bincore"
_OF_EDITORS = {
    "2022.3.62f1": ("DotNetSdkRoslyn", "6.0.0", {"NetCoreRuntime": "6.0.21"}),
    "6000.5.1f1": (_SDK.format("8.0.318"), "8.0.0", {"NetCoreRuntime": "8.0.18"}),
    "6000.7.0b4": (
        _SDK.format("10.0.401"),
        "10.0.0",
        {"NetCoreRuntime": "8.0.18", "DotNetSdk": "10.0.12"},
    ),
}
"""Where an Editor's compiler is, what it needs, and its runtimes; the last is the one to take."""


@pytest.mark.parametrize("version", _OF_EDITORS)
@pytest.mark.parametrize("system", [*_SYSTEMS, "Darwin, below Resources"])
def test_an_editors_compiler_is_taken_with_the_runtime_that_it_needs(
    system: str, version: str
) -> None:
    name, _, is_below = system.partition(",")
    machine = _machine(name)
    data = _data(machine, version)
    if is_below:
        data = data / "Resources" / "Scripting"
    compiler, needs, runtimes = _OF_EDITORS[version]
    roslyn = machine.compiler(data / compiler, needs)
    roots = {machine.runtime(data / root, number): number for root, number in runtimes.items()}

    found = _found(machine, machine.project(version))

    assert _paired(found) == (str(roslyn), *map(str, list(roots.items())[-1]))
    assert found.chosen is not None
    assert (found.chosen.source, found.chosen.name) == (Source.UNITY_EDITOR, f"Unity {version}")
    assert found.chosen.reason == ""


@pytest.mark.parametrize("system", _SYSTEMS)
def test_hubs_second_folder_is_looked_into(system: str) -> None:
    machine = _machine(system)
    machine.environ["APPDATA"] = r"C:\Users\me\AppData\Roaming"
    chosen = machine.path("D:/Editors" if system == "Windows" else "/mnt/Editors")
    machine.add(_SETTINGS[system], f'"{chosen.as_posix()}"')
    inside = "Unity.app/Contents" if system == "Darwin" else "Editor/Data"
    data = chosen / "2022.3.62f1" / inside
    roslyn = machine.compiler(data / "DotNetSdkRoslyn", "6.0.0")
    machine.runtime(data / "NetCoreRuntime", "6.0.21")

    found = _found(machine, machine.project("2022.3.62f1"))

    assert _paired(found)[0] == str(roslyn)


@pytest.mark.parametrize("content", ['""', "", "{", "[1]", "null"])
def test_hubs_settings_may_say_nothing(content: str) -> None:
    machine = _machine()
    machine.add(_SETTINGS["Linux"], content)
    assert _found(machine, machine.project("2022.3.62f1")).chosen is None


def test_a_pair_of_different_majors_is_refused_with_both_named() -> None:
    machine = _machine()
    data = _data(machine, "6000.7.0b4")
    machine.sdk(data / "DotNetSdk", "10.0.401")
    machine.runtime(data / "NetCoreRuntime", "8.0.18")

    found = _found(machine, machine.project("6000.7.0b4"))

    assert found.chosen is None
    assert "needs .NET 10" in _only(found).reason
    assert "NetCoreRuntime has 8.0.18" in _only(found).reason
    assert "DotNetSdk has no runtime" in _only(found).reason
    assert found.failure.startswith("No usable Roslyn was found. Unity 6000.7.0b4: ")
    assert "unity-cli roslyn install" in found.failure


@pytest.mark.parametrize(
    "options",
    [{"rollForward": "Major"}, {"rollForward": "LatestMajor"}, {"rollForwardOnNoCandidateFx": 2}],
)
def test_a_newer_major_will_do_where_the_compiler_says_so(options: dict[str, object]) -> None:
    machine = _machine()
    data = _data(machine, "2022.3.62f1")
    machine.compiler(data / "DotNetSdkRoslyn", "3.1.0", **options)
    machine.runtime(data / "NetCoreRuntime", "6.0.21")
    assert _paired(_found(machine, machine.project("2022.3.62f1")))[2] == "6.0.21"


def test_a_runtime_for_another_processor_is_refused() -> None:
    machine = _machine("Darwin")
    data = _data(machine, "2022.3.62f1")
    machine.compiler(data / "DotNetSdkRoslyn", "6.0.0")
    machine.runtime(data / "NetCoreRuntime", "6.0.21", library=MACH_O_X64)

    found = _found(machine, machine.project("2022.3.62f1"))

    assert found.chosen is None
    assert "is for x64, but this Python process is arm64" in _only(found).reason


def test_an_editor_that_isnt_installed_is_said_and_the_next_is_taken() -> None:
    machine = _machine()
    machine.environ["DOTNET_ROOT"] = "/opt/dotnet"
    machine.sdk("/opt/dotnet", "9.0.300")
    machine.runtime("/opt/dotnet", "9.0.5", "8.0.18")

    found = _found(machine, machine.project("2022.3.62f1"))

    assert _paired(found)[1:] == ("/opt/dotnet", "9.0.5")
    assert found.candidates[0].name == "Unity 2022.3.62f1"
    assert "not installed" in found.candidates[0].reason


def test_an_editor_without_a_compiler_is_said() -> None:
    machine = _machine()
    machine.add(_data(machine, "2019.4.1f1") / "Managed" / "UnityEngine.dll")
    assert "DotNetSdkRoslyn" in _only(_found(machine, machine.project("2019.4.1f1"))).reason


def test_the_newest_usable_sdk_is_taken_releases_before_their_previews() -> None:
    machine = _machine()
    root = "/usr/share/dotnet"
    machine.sdk(root, "10.0.100-preview.7")
    machine.sdk(root, "9.0.300")
    machine.sdk(root, "9.0.300-rc.1")
    machine.sdk(root, "11.0.100")
    machine.runtime(root, "9.0.5")

    found = _found(machine)

    assert [each.name for each in found.candidates] == [
        ".NET SDK 11.0.100",
        ".NET SDK 10.0.100-preview.7",
        ".NET SDK 9.0.300",
        ".NET SDK 9.0.300-rc.1",
    ]
    assert found.chosen is found.candidates[2]
    assert "needs .NET 11" in found.candidates[0].reason
    assert found.candidates[3].reason == ".NET SDK 9.0.300 comes first"


def test_dotnet_on_the_path_leads_to_its_installation() -> None:
    machine = _machine()
    machine.dotnet_on_path = machine.path("/usr/bin/dotnet")
    machine.files.links[machine.dotnet_on_path] = machine.path("/usr/lib/dotnet/dotnet")
    machine.sdk("/usr/lib/dotnet", "8.0.100")
    machine.runtime("/usr/lib/dotnet", "8.0.0")

    found = _found(machine)

    assert len(found.candidates) == 1  # it is also one of the usual folders
    assert _paired(found)[1] == "/usr/lib/dotnet"


def test_what_was_installed_into_the_cache_comes_last_its_newest_first() -> None:
    machine = _machine()
    cache = machine.home / "cache"
    for version in ("4.1.0", "4.8.0"):
        machine.compiler(cache / "roslyn" / version, "8.0.0", rollForward="Major")
    runtime = machine.runtime(cache / "dotnet" / "8.0.4", "8.0.4")

    found = _found(machine)

    assert [each.name for each in found.candidates] == [
        "installed Roslyn 4.8.0",
        "installed Roslyn 4.1.0",
    ]
    assert _paired(found) == (str(cache / "roslyn" / "4.8.0"), str(runtime), "8.0.4")


def test_an_explicit_pair_comes_before_everything() -> None:
    machine = _machine()
    data = _data(machine, "2022.3.62f1")
    machine.compiler(data / "DotNetSdkRoslyn", "6.0.0")
    machine.runtime(data / "NetCoreRuntime", "6.0.21")
    machine.compiler("/my/roslyn", None)
    machine.runtime("/my/dotnet", "9.0.1", "8.0.1")
    machine.environ["UNITY_SNIPPET_ROSLYN_DIR"] = "/my/roslyn"
    machine.environ["UNITY_SNIPPET_DOTNET_ROOT"] = "/my/dotnet"

    found = _found(machine, machine.project("2022.3.62f1"))

    assert _paired(found) == ("/my/roslyn", "/my/dotnet", "9.0.1")
    assert (
        found.candidates[1].reason
        == "the toolchain asked for (UNITY_SNIPPET_ROSLYN_DIR) comes first"
    )


def test_an_option_comes_before_the_environment() -> None:
    machine = _machine()
    machine.environ["UNITY_SNIPPET_ROSLYN_DIR"] = "/other"
    wish = Wish.of(machine.machine, Path("/my/roslyn"), None)
    assert wish == Wish(Path("/my/roslyn"), None)


@pytest.mark.parametrize("by", ["--roslyn-dir", "UNITY_SNIPPET_ROSLYN_DIR"])
def test_what_said_so_is_named(by: str) -> None:
    machine = _machine()
    machine.environ["UNITY_SNIPPET_ROSLYN_DIR"] = "/nope"
    option = Path("/nope") if by == "--roslyn-dir" else None
    found = _found(machine, wish=Wish.of(machine.machine, option, None))
    assert found.failure == (
        f"The toolchain that was asked for ({by}) can't be used: "
        "/nope isn't there, or holds nothing that can be read. "
        f"Correct {by}, or {'leave it out' if by.startswith('--') else 'unset it'}."
    )
    assert found.correction == found.failure[-len(found.correction) :] != ""


def test_a_folder_without_a_compiler_lacks_the_file_that_tells_it() -> None:
    machine = _machine()
    machine.add("/other/readme.txt", "")
    machine.environ["UNITY_SNIPPET_ROSLYN_DIR"] = "/other"
    found = _found(machine, wish=Wish.of(machine.machine))
    assert "/other has no Microsoft.CodeAnalysis.CSharp.dll." in found.failure


@pytest.mark.parametrize("by", ["--roslyn-dir", "UNITY_SNIPPET_ROSLYN_DIR"])
def test_a_runtime_alone_asks_for_a_compiler_in_the_words_it_was_named_in(by: str) -> None:
    machine = _machine()
    machine.add("/runtime/readme.txt", "")
    machine.environ["UNITY_SNIPPET_DOTNET_ROOT"] = "/runtime"
    option = Path("/runtime") if by == "--roslyn-dir" else None
    found = _found(machine, wish=Wish.of(machine.machine, None, option))
    assert f"say with {by} where a compiler is" in found.failure


def test_an_explicit_wish_that_cant_be_granted_is_not_made_up_for() -> None:
    machine = _machine()
    machine.sdk("/usr/share/dotnet", "9.0.300")
    machine.runtime("/usr/share/dotnet", "9.0.5")

    found = _found(machine, wish=Wish(roslyn_dir=Path("/nowhere")))

    assert found.chosen is None
    assert found.failure == (
        "The toolchain that was asked for can't be used: "
        "/nowhere isn't there, or holds nothing that can be read."
    )


def test_an_explicit_root_brings_its_own_compiler() -> None:
    machine = _machine()
    roslyn = machine.sdk("/my/dotnet", "10.0.401")
    machine.runtime("/my/dotnet", "10.0.12")
    found = _found(machine, wish=Wish(dotnet_root=Path("/my/dotnet")))
    assert _paired(found) == (str(roslyn), "/my/dotnet", "10.0.12")

    machine.runtime("/bare", "10.0.12")
    found = _found(machine, wish=Wish(dotnet_root=Path("/bare")))
    assert "has no sdk/*/Roslyn/bincore" in found.failure


def test_an_explicit_compiler_is_paired_with_what_it_lies_in() -> None:
    machine = _machine()
    roslyn = machine.sdk("/my/dotnet", "10.0.401")
    machine.runtime("/my/dotnet", "10.0.12")
    found = _found(machine, wish=Wish(roslyn_dir=Path(roslyn)))
    assert _paired(found)[1] == "/my/dotnet"


def test_where_nothing_is_installed_one_line_says_what_to_do() -> None:
    found = _found(_machine())
    assert found == Discovery((), None)
    assert "unity-cli roslyn install" in found.failure


def test_this_machine_is_described(tmp_path: Path) -> None:
    machine = this_machine()
    assert machine.system in _SYSTEMS
    assert machine.architecture in {"x64", "arm64", "x86", "arm"}
    files = DiskFiles()
    (tmp_path / "b").write_bytes(b"content")
    (tmp_path / "a").symlink_to(tmp_path / "b")
    assert files.names(tmp_path) == ("a", "b")
    assert files.names(tmp_path / "none") == ()
    assert files.head(tmp_path / "a", 3) == b"con"
    assert files.head(tmp_path, 3) == b""
    assert files.is_file(tmp_path / "a")
    assert files.resolved(tmp_path / "a") == (tmp_path / "b").resolve()
