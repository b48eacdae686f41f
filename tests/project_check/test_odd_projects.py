"""Projects in odd places, of odd files, and files that change while they are looked at."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from small_project import Check, assemblies
from this_system import is_root, needs_fifo

from benchmarks.project_check.compilers import Compiler
from benchmarks.project_check.layout import LaidOutProject, response_file
from benchmarks.project_check.plain_compiler import compiled_by_csc
from benchmarks.shared_toolchains import ABSENT
from benchmarks.verdict import STARTING_S
from lsp_client.process.server_process import resident_mb
from lsp_client.project.project_requests import ProjectCheck
from lsp_client.validator import LanguageServerValidator
from snippet_engine.source_text import MAX_FILE_BYTES
from snippet_engine.validation.validator import ChangesVerdict

pytestmark = pytest.mark.shares_server

Server = Callable[[Path], LanguageServerValidator]


def checked(server: LanguageServerValidator) -> ProjectCheck:
    found = server.check_project(within_s=STARTING_S)
    assert isinstance(found, ProjectCheck), found.message
    return found


def places(found: ProjectCheck) -> list[tuple[str, int, int, str]]:
    return [(each.path, each.line, each.column, each.code) for each in found.errors]


@pytest.mark.own_server
def test_blanks_and_letters_beyond_ascii_in_every_name(
    game: Path, tmp_path: Path, server: Server
) -> None:
    root = tmp_path / "Mein Spiel ü 名 (1)"
    game.rename(root)
    odd = "Assets/Alone/Zwei Wörter — 名前.cs"
    (root / odd).write_text("class Größe { int a = Unbekannt; }\n", encoding="utf-8")
    assert places(checked(server(root))) == [(odd, 1, 23, "CS0103")]
    (root / odd).unlink()
    assert checked(server(root)).status == "clean"


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_a_package_behind_a_link(game: Path, tmp_path: Path, check: Check) -> None:
    outside = tmp_path / "shared" / "com.example.alone"
    outside.parent.mkdir()
    (game / "Assets/Alone").rename(outside)
    (game / "Packages/com.example.alone").symlink_to(outside, target_is_directory=True)
    file = response_file(game, "Alone")
    text = file.read_text().replace("Assets/Alone/", "Packages/com.example.alone/")
    file.write_text(text)
    os.utime(file, (1_700_000_000, 1_700_000_000))
    (outside / "package.json").write_text('{"name": "com.example.alone", "version": "1.0.0"}')
    assert (check().status, check().files) == ("clean", 6)
    script = outside / "Alone.cs"
    script.write_text(script.read_text().replace('"nobody"', "nobody"))
    (error,) = check().errors
    assert (error.path, error.code) == ("Packages/com.example.alone/Alone.cs", "CS0103")


@pytest.mark.skipif(is_root(), reason="the rights of files don't bind root")
def test_a_script_that_cannot_be_read_is_named_and_the_rest_is_judged(
    game: Path, server: Server
) -> None:
    judge = server(game)
    assert checked(judge).status == "clean"
    clock = game / "Assets/Core/Clock.cs"
    clock.write_text(clock.read_text() + "\n")  # as long as it is as it was, it is known
    clock.chmod(0)
    found = checked(judge)
    assert (found.status, found.errors) == ("unknown", ())
    told = {each.assembly: each.reason for each in found.not_checked}
    assert told.keys() == {"Core", "Game", "Game.Tests"}
    assert told["Core"].endswith(": Assets/Core/Clock.cs can't be read (permission denied).")
    (game / "Assets/Alone/Alone.cs").write_text("class Alone { int a = Nothing; }\n")
    (game / "Assets/Core/Timer.cs").write_text("class Timer { int a = ; }\n")
    assert {each[:1] + each[3:] for each in places(checked(judge))} == {
        ("Assets/Alone/Alone.cs", "CS0103"),
        ("Assets/Core/Timer.cs", "CS1525"),
    }
    clock.chmod(0o644)
    assert {each.assembly for each in checked(judge).not_checked} == {"Game", "Game.Tests"}


def _of_two_gigabytes(file: Path) -> None:
    with file.open("wb") as opened:
        opened.truncate(2**31)


@pytest.mark.skipif(sys.platform != "linux", reason="files are sparse, and one fails, on Linux")
def test_a_script_that_is_not_read_to_its_end_is_named_and_the_rest_is_judged(
    game: Path, check: Check
) -> None:
    (game / "Assets/Alone/Alone.cs").write_text("class Alone { int a = Nothing; }\n")
    (game / "Assets/Core/Bad.cs").write_text("class Bad { int a = ; }\n")
    too_large = "//" + "x" * (MAX_FILE_BYTES - 1)
    cases: tuple[tuple[str, Callable[[Path], object]], ...] = (
        ("larger than 8 MB", _of_two_gigabytes),
        ("larger than 8 MB", lambda file: file.write_text(too_large)),
        # A disk that fails: its first byte nobody can read.
        ("input/output error", lambda file: file.symlink_to("/proc/self/mem")),
    )
    for number, (why, make) in enumerate(cases):
        huge = game / f"Assets/Core/Huge{number}.cs"
        make(huge)
        found = check()
        assert {each.code for each in found.errors} == {"CS0103", "CS1525"}
        told = {each.assembly: each.reason for each in found.not_checked}
        assert told["Core"].endswith(f": {huge.relative_to(game)} can't be read ({why}).")
        huge.unlink()
    huge.write_text(too_large[:-1])
    found = check()
    assert {each.code for each in found.errors} == {"CS0103", "CS1525"}
    assert not any("can't be read" in each.reason for each in found.not_checked)


def _project_file(root: Path, assembly: str, libraries: Sequence[Path], more: str = "") -> Path:
    """What Unity writes for code editors, of an assembly and its folder."""
    named = "".join(
        f'<Reference Include="{each.stem}"><HintPath>{each}</HintPath></Reference>'
        for each in libraries
    )
    scripts = "".join(
        f'<Compile Include="{each.relative_to(root).as_posix()}" />'
        for each in sorted((root / "Assets" / assembly).glob("*.cs"))
    )
    file = root / f"{assembly}.csproj"
    options = "<PropertyGroup><AllowUnsafeBlocks>True</AllowUnsafeBlocks></PropertyGroup>"
    items = f"<ItemGroup>{scripts}{named}{more}</ItemGroup>"
    file.write_text(f"<Project>{options}{items}</Project>")
    return file


@pytest.fixture
def described(game: Path, compiler: Compiler) -> Path:
    """The project as its project files describe it: two assemblies that refer to no other."""
    shutil.rmtree(game / "Library")
    for folder in ("Game", "Game.Tests"):
        shutil.rmtree(game / "Assets" / folder)
    for assembly in ("Core", "Alone"):
        _project_file(game, assembly, compiler.libraries)
    return game


def test_a_project_file_that_is_being_written_is_named_and_the_rest_is_judged(
    described: Path, check: Check
) -> None:
    assert check().status == "clean"
    file = described / "Alone.csproj"
    whole = file.read_bytes()
    script = described / "Assets/Core/Clock.cs"
    script.write_text(script.read_text().replace("=> 1", "=> one"))
    for half in (b"", b"<Project", whole[: len(whole) // 2]):
        file.write_bytes(half)
        found = check()
        assert places(found) == [("Assets/Core/Clock.cs", 5, 29, "CS0103")]
        (left,) = found.not_checked
        assert left.assembly == "Alone"
        assert "Alone.csproj can't be read" in left.reason
    script.write_text(script.read_text().replace("=> one", "=> 1"))
    assert check().status == "unknown"
    file.write_bytes(whole)
    assert check().status == "clean"


@needs_fifo
@pytest.mark.own_server
def test_a_server_starts_where_a_project_file_has_no_end(described: Path, server: Server) -> None:
    file = described / "Alone.csproj"
    file.unlink()
    os.mkfifo(file)
    found = checked(server(described))
    assert (found.status, found.errors) == ("unknown", ())
    assert ["Alone.csproj can't be read" in each.reason for each in found.not_checked] == [True]


@pytest.mark.parametrize("text", ["<Project/>", "<!DOCTYPE x []><Project/>", None])
def test_a_project_file_without_references_is_no_error_of_the_scripts(
    described: Path, check: Check, text: str | None
) -> None:
    """Neither CS0518 in every line, nor CS1562 of a command line that nobody wrote."""
    file = _project_file(described, "Alone", [])
    if text is not None:
        file.write_text(text)
        (described / "Assets/Alone/Alone.asmdef").write_text('{"name": "Alone"}')
    found = check()
    assert (found.status, places(found)) == ("unknown", [])
    (left,) = found.not_checked
    assert left.assembly == "Alone"
    assert "the library with System.Object isn't named by its build" in left.reason
    # What is wrong in a text alone is told all the same.
    script = described / "Assets/Alone/Alone.cs"
    script.write_text(script.read_text() + "}")
    assert [each.code for each in check().errors] == ["CS1022"]


def test_an_assembly_that_a_project_file_describes_has_its_own_name(
    described: Path, check: Check, compiler: Compiler
) -> None:
    """Not that of its first script: friends are named by it."""
    friend = described / "Assets/Alone/Friend.cs"
    friend.write_text(
        '[assembly: System.Runtime.CompilerServices.InternalsVisibleTo("Core")]\n'
        "class Secret { internal static int Number => 1; }\n"
    )
    script = described / "Assets/Core/Clock.cs"
    script.write_text(script.read_text().replace("=> 1", "=> Secret.Number"))
    _project_file(described, "Alone", compiler.libraries)
    reference = '<ProjectReference Include="Alone.csproj" />'
    _project_file(described, "Core", compiler.libraries, reference)
    assert places(check()) == []


@pytest.mark.parametrize("is_checked", [True, False])
def test_what_refers_to_an_assembly_without_references_is_not_judged_by_it(
    described: Path, server: Server, compiler: Compiler, is_checked: bool
) -> None:
    _project_file(described, "Core", [])
    reference = '<ProjectReference Include="Core.csproj" />'
    _project_file(described, "Alone", compiler.libraries, reference)
    definition = described / "Assets/Alone/Alone.asmdef"
    definition.write_text(definition.read_text().replace("[]", '["Core"]'))
    if is_checked:
        found = checked(server(described))
        assert {each.assembly for each in found.not_checked} == {"Core", "Alone"}
        assert all("System.Object" in each.reason for each in found.not_checked)
    for script in ("Assets/Core/Clock.cs", "Assets/Alone/Alone.cs"):
        text = (described / script).read_text().replace("public class", "public sealed class")
        judged = server(described).judge_changes({script: text}, within_s=STARTING_S, patient=True)
        assert isinstance(judged, ChangesVerdict), judged
        assert judged.errors == ()
        assert "semantics" not in judged.coverage


def _with_bom(text: str) -> bytes:
    return b"\xef\xbb\xbf" + text.encode()


def _with_crlf(text: str) -> bytes:
    return text.replace("\n", "\r\n").encode()


def _in_utf16(text: str) -> bytes:
    return text.encode("utf-16")


def _on_one_line(text: str) -> bytes:
    return text.replace("\n", " ").encode()


def _with_slashes_and_quotes(text: str) -> bytes:
    lines = [f'"{line}"' if '"' not in line else line for line in text.splitlines()]
    return "\n".join(line.replace("-r:", "/reference:") for line in lines).encode()


@pytest.mark.parametrize(
    "written", [_with_bom, _with_crlf, _in_utf16, _on_one_line, _with_slashes_and_quotes]
)
def test_response_files_as_the_compiler_reads_them(
    game: Path, check: Check, written: Callable[[str], bytes]
) -> None:
    for name in ("Core", "Game"):
        file = response_file(game, name)
        file.write_bytes(written(file.read_text()))
        os.utime(file, (1_700_000_000, 1_700_000_000))
    found = check()
    assert (found.status, found.files, found.not_checked) == ("clean", 6, ())


@pytest.mark.parametrize("name", ["Core", "Alone"])
def test_a_response_file_that_goes_and_comes_back(game: Path, check: Check, name: str) -> None:
    """Whether others refer to its assembly or not: a library stands beside it."""
    assert check().status == "clean"
    file = response_file(game, name)
    kept = file.read_bytes()
    file.unlink()
    gone = check()
    assert gone.status == "unknown"
    assert {each.assembly for each in gone.not_checked} == {name}
    file.write_bytes(kept)
    assert check().status == "clean"


def test_a_library_that_is_half_written(game: Path, check: Check, compiler: Compiler) -> None:
    """What ``csc`` can't read is named, or an error in its words; no wall of others."""
    if compiler.csc is None:
        pytest.skip(ABSENT)
    whole = (game / "Library/Bee/artifacts/1900b0aE.dag/Alone.dll").read_bytes()
    library = game / "Assets/Plugins/Half.dll"
    library.parent.mkdir()
    for file in LaidOutProject(game, assemblies()).response_files:
        file.write_text(f'-r:"Assets/Plugins/Half.dll"\n{file.read_text()}')
    alone = LaidOutProject(game, tuple(each for each in assemblies() if each.name == "Alone"))
    for size in (0, 1, 100, 2_000):
        library.write_bytes(whole[:size])
        found = check()
        plain = compiled_by_csc(compiler, alone)
        assert (found.status == "clean") == (not plain.errors), size
        assert {each.code for each in found.errors} <= {"CS0009"}, size
        if found.status == "unknown":
            assert any("Half.dll" in each.reason for each in found.not_checked), size
    library.write_bytes(whole)
    assert check().status == "clean"


def test_two_checks_and_a_verdict_at_once(game: Path, server: Server) -> None:
    validator = server(game)
    script = game / "Assets/Core/Clock.cs"
    whole = script.read_text()
    validator.wait_until_ready(STARTING_S)
    script.write_text(whole.replace("public int Now", "internal int Now"))
    with ThreadPoolExecutor(4) as threads:
        asked = [threads.submit(checked, validator) for _ in range(4)]
        found = [each.result() for each in asked]
    assert {each.status for each in found} == {"errors"}
    assert len({tuple(places(each)) for each in found}) == 1


def test_a_project_that_is_edited_while_it_is_checked(game: Path, server: Server) -> None:
    """What comes meanwhile is the next answer's; none is of a half-written script."""
    validator = server(game)
    script = game / "Assets/Core/Clock.cs"
    good = script.read_text()
    bad = good.replace("=> 1;", "=> one;")
    stop = threading.Event()

    def edit() -> None:
        turn = 0
        while not stop.is_set():
            beside = script.with_suffix(".new")
            beside.write_text(bad if turn % 2 else good)
            beside.replace(script)
            turn += 1
            stop.wait(0.02)

    editing = threading.Thread(target=edit)
    editing.start()
    try:
        for _ in range(20):
            found = checked(validator)
            assert places(found) in ([], [("Assets/Core/Clock.cs", 5, 29, "CS0103")])
    finally:
        stop.set()
        editing.join()
    script.write_text(bad)
    assert places(checked(validator)) == [("Assets/Core/Clock.cs", 5, 29, "CS0103")]
    script.write_text(good)
    assert checked(validator).status == "clean"


@pytest.mark.skipif(os.name != "posix", reason="sends signals to process groups")
@pytest.mark.own_server
def test_a_server_that_is_killed_again_and_again(game: Path, server: Server) -> None:
    """In the middle of its work, or between: each check ends, and the last one is right."""
    validator = server(game)
    checked(validator)
    first = validator.server_pid
    assert first is not None
    if sys.platform == "linux":  # of which /proc tells it
        assert (resident_mb(first) or 0) > 50
        assert resident_mb(2**22 + 1) is None
    for _ in range(2):
        with ThreadPoolExecutor(1) as threads:
            asked = threads.submit(validator.check_project, within_s=STARTING_S)
            session = validator.server_pid
            if session is not None:
                os.killpg(session, signal.SIGKILL)
            asked.result()
    assert checked(validator).status == "clean"
    assert validator.server_pid not in (None, first)
