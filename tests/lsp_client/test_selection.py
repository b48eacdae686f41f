"""``--lsp``: which server is taken, and what is said of the others."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from this_system import command_line

from lsp_client.servers import server_table
from lsp_client.servers.selection import Selection, check_option, select, split_command

LIBRARY = "Microsoft.CodeAnalysis.LanguageServer.dll"


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on ``PATH``."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def program(folder: Path, name: str, *says: str) -> Path:
    """A program of that name, which says these lines."""
    if os.name == "nt":
        file = folder / f"{name}.CMD"
        file.write_text("\n".join(["@echo off", *(f"echo {line}" for line in says)]))
    else:
        file = folder / name
        file.write_text("\n".join(["#!/bin/sh", *(f"echo '{line}'" for line in says)]))
        file.chmod(0o755)
    return file


def dotnet(folder: Path, *majors: int) -> Path:
    said = (f"Microsoft.NETCore.App {major}.0.1 [/usr/share/dotnet]" for major in majors)
    return program(folder, "dotnet", *said)


def extension(home: Path, version: str, editor: str = ".vscode", *, stdio: bool = True) -> Path:
    """What VS Code's C# extension has of the server."""
    folder = home / editor / "extensions" / f"ms-dotnettools.csharp-{version}" / ".roslyn"
    folder.mkdir(parents=True)
    library = folder / LIBRARY
    option = "--stdio" if stdio else "--pipe"
    library.write_bytes(b"MZ" + option.encode("utf-16-le") + b"\0\0")
    framework = {"name": "Microsoft.NETCore.App", "version": "10.0.0"}
    config = json.dumps({"runtimeOptions": {"framework": framework}})
    library.with_suffix(".runtimeconfig.json").write_text(config, encoding="utf-8")
    return library


def auto(root: Path, home: Path, why_no_roslyn_server: str | None = "no toolchain") -> Selection:
    return select("auto", root, lambda _: why_no_roslyn_server, home)


def reasons(selection: Selection) -> dict[str, str]:
    return {each.name: each.reason for each in selection.candidates}


def test_our_own_server_is_taken_where_it_can_be_used(
    root: Path, home: Path, programs: Path
) -> None:
    program(programs, "csharp-ls")
    chosen = auto(root, home, None)
    assert [each.spec.name for each in chosen.launches] == ["roslyn_server", "csharp-ls"]
    command = chosen.launches[0].command
    assert command == (sys.executable, "-m", "roslyn_server", "--stdio", "--project", str(root))
    assert chosen.to_json()["taken"] == "roslyn_server"
    assert reasons(chosen)["csharp-ls"] == "can be used, but another comes first"
    assert reasons(chosen)["OmniSharp"] == "not on PATH"


def test_where_nothing_is_found_each_says_why(root: Path, home: Path, programs: Path) -> None:
    chosen = auto(root, home)
    assert chosen.launches == ()
    assert chosen.to_json()["taken"] is None
    assert chosen.why_none() == "no toolchain"
    assert set(reasons(chosen)) == {spec.name for spec in server_table.KNOWN}


def test_servers_get_the_solution_that_bears_the_projects_name(
    root: Path, home: Path, programs: Path
) -> None:
    for name in ("Other.sln", "project.sln", "Assembly-CSharp.csproj"):
        (root / name).touch()
    for name in ("roslyn-language-server", "csharp-ls", "OmniSharp"):
        program(programs, name)
    launches = {each.spec.name: each for each in auto(root, home).launches}
    solution = root / "project.sln"
    assert launches["csharp-ls"].command[1:] == ("--solution", str(solution))
    assert launches["OmniSharp"].command[1:] == ("-lsp", "-z", "-s", str(solution))
    assert launches["roslyn-language-server"].command[1] == "--stdio"
    assert launches["roslyn-language-server"].opens == (solution,)


def test_without_a_solution_the_projects_are_opened(root: Path, home: Path, programs: Path) -> None:
    files = tuple(root / name for name in ("A.csproj", "B.csproj"))
    for file in files:
        file.touch()
    program(programs, "roslyn-language-server")
    program(programs, "csharp-ls")
    launches = {each.spec.name: each for each in auto(root, home).launches}
    assert launches["roslyn-language-server"].opens == files
    assert launches["csharp-ls"].command[1:] == ()


@pytest.mark.parametrize("editor", [".vscode", ".cursor", ".vscode-server"])
def test_the_newest_extension_is_used_where_a_runtime_fits(
    root: Path, home: Path, programs: Path, editor: str
) -> None:
    (root / "A.csproj").touch()
    extension(home, "2.9.1-linux-x64", editor)
    library = extension(home, "2.110.4-linux-x64", editor)
    program_path = dotnet(programs, 8, 10)
    (launch,) = auto(root, home).launches
    found, *arguments = launch.command[:3]
    assert Path(found) == program_path  # on Windows whatever the case of PATHEXT
    assert arguments == [str(library), "--stdio"]
    assert launch.spec is server_table.ROSLYN_LANGUAGE_SERVER


@pytest.mark.parametrize(
    ("runtimes", "stdio", "project", "says"),
    [
        ((8, 9), True, True, "it needs .NET 10; dotnet has: 8, 9"),
        ((), True, True, "it needs .NET 10; dotnet has: none"),
        (None, True, True, "there is no dotnet on PATH"),
        ((10,), False, True, "too old: it does not know --stdio"),
        ((10,), True, False, "no .sln or .csproj"),
    ],
)
def test_why_an_extension_can_not_be_used(
    root: Path,
    home: Path,
    programs: Path,
    runtimes: tuple[int, ...] | None,
    stdio: bool,
    project: bool,
    says: str,
) -> None:
    if project:
        (root / "A.csproj").touch()
    extension(home, "2.110.4", stdio=stdio)
    if runtimes is not None:
        dotnet(programs, *runtimes)
    chosen = auto(root, home)
    assert chosen.launches == ()
    assert says in reasons(chosen)["C# extension 2.110.4 of VS Code"]


def test_an_extension_that_can_not_be_read_is_no_bug(
    root: Path, home: Path, programs: Path
) -> None:
    library = extension(home, "2.110.4")
    library.with_suffix(".runtimeconfig.json").write_text('{"runtimeOptions": 5}', "utf-8")
    assert "can't be read" in reasons(auto(root, home))["C# extension 2.110.4 of VS Code"]


@pytest.mark.parametrize(
    ("command", "spec"),
    [
        ("csharp-ls --loglevel error", server_table.CSHARP_LS),
        ("/opt/x/OmniSharp -lsp", server_table.OMNISHARP),
        (f"dotnet '/a b/{LIBRARY}' --stdio", server_table.ROSLYN_LANGUAGE_SERVER),
        ("python -m roslyn_server --stdio", server_table.ROSLYN_SERVER),
        ("my-server --stdio", server_table.custom("my-server")),
    ],
)
def test_of_a_given_command_is_known_what_the_table_knows(
    root: Path, command: str, spec: server_table.ServerSpec
) -> None:
    chosen = select(command, root, lambda _: "not asked")
    (launch,) = chosen.launches
    assert launch.spec == spec
    assert chosen.to_json()["taken"] == spec.name


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (r"C:\bin\csharp-ls.exe --x", [r"C:\bin\csharp-ls.exe", "--x"]),
        (r'"C:\Program Files\x.exe" "a b"', [r"C:\Program Files\x.exe", "a b"]),
        (r"dotnet 'C:\a b\X.dll' --stdio", ["dotnet", r"C:\a b\X.dll", "--stdio"]),
        (r"C:\O'Brien\x.exe -a", [r"C:\O'Brien\x.exe", "-a"]),
    ],
)
def test_the_words_of_a_command_on_windows(text: str, words: list[str]) -> None:
    assert split_command(text, "nt") == words


def test_off_is_nothing_at_all(root: Path) -> None:
    chosen = select("off", root, lambda _: None)
    assert (chosen.launches, chosen.candidates) == ((), ())
    assert "--lsp off" in chosen.why_none()


@pytest.mark.parametrize("option", ["auto", "off", command_line([sys.executable, "-c", "1"])])
def test_options_that_can_be_had(option: str) -> None:
    assert check_option(option) is None


@pytest.mark.parametrize("option", ["", "  ", "'", "no-such-program-anywhere --stdio"])
def test_options_that_can_not(option: str) -> None:
    wrong = check_option(option)
    assert wrong is not None
    assert len(wrong) <= 200
