"""What a check found is kept for the next one, and believed only if nothing could be otherwise.

docs/design/roslyn.md §3 "The whole project". Each question is asked of a new model.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import new_models
import pytest
from compiled_library import compiled_library
from small_project import Check
from test_traps import add, add_option, edit
from this_system import needs_posix

from benchmarks.project_check.compilers import Compiler
from benchmarks.verdict import running_validator
from lsp_client.project.project_requests import ProjectCheck

CLOCK = "Assets/Core/Clock.cs"
PLAYER = "Assets/Game/Player.cs"
ENEMY = "Assets/Game/Enemy.cs"
ALONE = "Assets/Alone/Alone.cs"
TESTS = "Assets/Game.Tests/PlayerTests.cs"
FOLDER = "Library/SnippetEngine/check"

Ask = Callable[..., Any]

Change = tuple[Path, bytes, bytes, tuple[str, str]]
"""A file, what to replace in it by what, and the error that comes of it."""


@pytest.fixture(scope="module")
def models(compiler: Compiler) -> Iterator[subprocess.Popen[str]]:
    toolchain = compiler.toolchain
    command = [sys.executable, new_models.__file__, str(toolchain.roslyn_dir)]
    command += [str(toolchain.dotnet_root), toolchain.runtime]
    environ = {
        name: value for name, value in os.environ.items() if name != "UNITY_SNIPPET_CHECK_INDEX"
    }
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environ
    ) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


@pytest.fixture
def ask(game: Path, models: subprocess.Popen[str]) -> Ask:
    """Ask a new model; of several questions the last answer counts."""

    def ask(*checks: dict[str, Any]) -> Any:
        assert models.stdin is not None
        assert models.stdout is not None
        models.stdin.write(json.dumps({"root": str(game), "checks": checks or [{}]}) + "\n")
        models.stdin.flush()
        return json.loads(models.stdout.readline())

    return ask


def codes(answer: Any) -> list[tuple[str, str]]:
    return sorted((each["code"], each["path"]) for each in answer["errors"])


def kept(game: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in (game / FOLDER).iterdir()}


def test_nothing_is_compiled_if_nothing_changed(game: Path, ask: Ask) -> None:
    first, again = ask(), ask()
    assert (first["boundAgain"], again["boundAgain"]) == ("assemblies", "nothing")
    first.pop("durationMs"), again.pop("durationMs")
    assert again == {**first, "boundAgain": "nothing"}
    assert len(kept(game)) == 4


def test_errors_are_kept_and_what_they_block_is_named(game: Path, ask: Ask) -> None:
    edit(game / CLOCK, "=> 1;", "=> one;")
    first, again = ask(), ask()
    assert codes(first) == codes(again) == [("CS0103", CLOCK)]
    assert first["notChecked"] == again["notChecked"] != []
    assert again["boundAgain"] == "nothing"


@pytest.mark.parametrize("path", [CLOCK, ENEMY, ALONE])
def test_a_file_of_the_same_size_and_time_is_read(game: Path, ask: Ask, path: str) -> None:
    ask()
    file = game / path
    status, text = file.stat(), file.read_text("utf-8")
    file.write_text(text.replace("public class", "public clas_"), "utf-8")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert file.stat().st_size == status.st_size
    assert ask()["status"] == "errors"


def test_a_changed_body_leaves_what_is_above_it_alone(game: Path, ask: Ask) -> None:
    ask()
    before = kept(game)
    edit(game / CLOCK, "=> 1;", "=> 11;")
    assert (answer := ask())["status"] == "clean"
    assert answer["boundAgain"] == "assemblies"
    assert sum(before[name] != content for name, content in kept(game).items()) == 1


def test_a_changed_declaration_is_judged_above_it(game: Path, ask: Ask) -> None:
    ask()
    edit(game / CLOCK, "Now()", "Then()")
    edit(game / "Assets/Core/Timer.cs", "Now()", "Then()")
    assert codes(ask()) == [("CS1061", PLAYER)]


@pytest.mark.parametrize("is_visible", [True, False])
def test_internal_members_count_if_they_are_visible(game: Path, ask: Ask, is_visible: bool) -> None:
    if is_visible:
        line = '[assembly: System.Runtime.CompilerServices.InternalsVisibleTo("Game")]\n'
        add(game / "Assets/Core/Visible.cs", line)
        edit(game / PLAYER, "clock.Now()", "clock.Hidden()")
    assert ask()["status"] == "clean"
    before = kept(game)
    edit(game / CLOCK, "Hidden()", "Hiden()")
    assert codes(ask()) == ([("CS1061", PLAYER)] if is_visible else [])
    if not is_visible:
        assert sum(before[name] != content for name, content in kept(game).items()) == 1


def test_a_new_and_a_removed_script_count(game: Path, ask: Ask) -> None:
    ask()
    add(game / "Assets/Alone/More.cs", "class Nobody2 : Missing { }\n")
    assert codes(ask()) == [("CS0246", "Assets/Alone/More.cs")]
    (game / "Assets/Alone/More.cs").unlink()
    (game / "Assets/Core/Timer.cs").unlink()
    assert codes(ask()) == [("CS1061", PLAYER)]


def test_options_count(game: Path, ask: Ask) -> None:
    ask()
    edit(game / ENEMY, "#if HARD_MODE", "#if HARDER")
    assert ask()["status"] == "clean"
    add_option(game, "Game", "-define:HARDER")
    assert codes(ask()) == [("CS0103", ENEMY)]


def test_warnings_are_kept_for_themselves(game: Path, ask: Ask) -> None:
    edit(game / ALONE, "public string", "private int unused; public string")
    add_option(game, "Alone", "-warn:4")
    assert ask()["warnings"] == []
    with_warnings = {"includeWarnings": True}
    first, again = ask(with_warnings), ask(with_warnings)
    assert first["warnings"] == again["warnings"] != []
    assert again["boundAgain"] == "nothing"
    assert ask()["warnings"] == []


def test_analyzers_and_their_configuration_count(
    game: Path, ask: Ask, made_libraries: Path, tmp_path: Path
) -> None:
    library = Path(shutil.copy(made_libraries / "Critics.dll", tmp_path))
    add_option(game, "Alone", f'-analyzer:"{library}"', "-warn:4")
    add_option(game, "Alone", '-analyzerconfig:"Assets/.globalconfig"')
    configuration = game / "Assets/.globalconfig"
    add(configuration, "is_global = true\n# one\n")
    edit(game / ALONE, "Name", "nameless")
    ask()
    assert ask()["boundAgain"] == "nothing"
    status = configuration.stat()
    add(configuration, "is_global = true\n# two\n")
    os.utime(configuration, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert ask()["boundAgain"] == "assemblies"
    library.with_name("Beside.dll").write_bytes(b"what it may load")
    assert ask()["boundAgain"] == "assemblies"
    assert ask()["boundAgain"] == "nothing"


def _additional_file(game: Path, _libraries: Path) -> Change:
    add(game / "Banned.txt", "Nobodies")
    add_option(game, "Alone", '-additionalfile:"Banned.txt"')
    return game / "Banned.txt", b"Nobodies", b"Nobody  ", (ALONE, "CRIT4")


def _included_rule_set(game: Path, _libraries: Path) -> Change:
    edit(game / PLAYER, "public int Time", "void lower() { } public int Time")
    head = '<RuleSet Name="Own" ToolsVersion="14.0">'
    include = '<Include Path="Inner.ruleset" Action="Default" />'
    rule = '<Rule Id="CRIT2" Action="Hidden" />'
    rules = f'<Rules AnalyzerId="Critics" RuleNamespace="Critics">{rule}</Rules>'
    add(game / "Assets/Own.ruleset", f"{head}{include}</RuleSet>")
    add(game / "Assets/Inner.ruleset", f"{head}{rules}</RuleSet>")
    add_option(game, "Game", '-ruleset:"Assets/Own.ruleset"')
    return game / "Assets/Inner.ruleset", b'"Hidden"', b'"Error" ', (PLAYER, "CRIT2")


def _configuration(game: Path, _libraries: Path) -> Change:
    edit(game / TESTS, "public bool Passes", "void lower() { } public bool Passes")
    severity = "dotnet_diagnostic.CRIT2.severity = none "
    add(game / "Assets/.editorconfig", f"root = true\n[*.cs]\n{severity}\n")
    add_option(game, "Game.Tests", '-analyzerconfig:"Assets/.editorconfig"')
    return game / "Assets/.editorconfig", b"none ", b"error", (TESTS, "CRIT2")


def _library(game: Path, libraries: Path) -> Change:
    edit(game / CLOCK, "public int Now", "public int Lent = Lender.One; public int Now")
    lender = libraries / "Lender.dll"
    add_option(game, "Core", f'-reference:"{lender}"')
    return lender, b"\0One\0", b"\0Two\0", (CLOCK, "CS0117")


@pytest.fixture(scope="module")
def made_libraries(tmp_path_factory: pytest.TempPathFactory, compiler: Compiler) -> Path:
    folder = tmp_path_factory.mktemp("libraries")
    add(folder / "Lender.cs", "public static class Lender { public static int One; }")
    for source in (folder / "Lender.cs", Path(__file__).with_name("Critics.cs")):
        compiled_library(source, folder, compiler.toolchain)
    return folder


def replace_in_place(file: Path, old: bytes, new: bytes) -> None:
    """Change a file's content, but neither its size nor its time."""
    status, content = file.stat(), file.read_bytes()
    assert old in content
    file.write_bytes(content.replace(old, new))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert file.stat().st_size == status.st_size


def test_a_server_sees_what_is_replaced_in_place(
    game: Path, ask: Ask, check: Check, made_libraries: Path, tmp_path: Path
) -> None:
    for each in made_libraries.glob("*.dll"):
        shutil.copy(each, tmp_path)
    for assembly in ("Alone", "Game", "Game.Tests"):
        add_option(game, assembly, f'-analyzer:"{tmp_path / "Critics.dll"}"', "-warn:4")
    # Each in an assembly of its own, the uppermost first: what is below was not compiled yet.
    prepares = (_configuration, _included_rule_set, _library, _additional_file)
    changes = [prepare(game, tmp_path) for prepare in prepares]
    assert ask()["status"] == "clean"
    assert (check().status, check().bound_again) == ("clean", "nothing")
    for file, before, after, error in changes:
        for _ in range(2):  # first what was kept, then what was compiled
            replace_in_place(file, before, after)
            assert error in [(each.path, each.code) for each in check().errors]
            replace_in_place(file, after, before)
            assert check().status == "clean"


def test_a_server_sees_what_an_analyzer_or_the_compiler_may_load(
    game: Path, ask: Ask, check: Check, made_libraries: Path, tmp_path: Path
) -> None:
    shutil.copy(made_libraries / "Critics.dll", tmp_path)
    critics, key, beside = tmp_path / "Critics.dll", game / "Own.snk", tmp_path / "Beside.dll"
    beside.write_bytes(b"loads one")
    key.write_bytes(b"a key")
    word = "forbidden".encode("utf-16-le")
    replace_in_place(critics, word, word[::-1])
    edit(game / ALONE, "Name", "forbidden")
    add_option(game, "Alone", f'-analyzer:"{critics}"')
    add_option(game, "Game", '-keyfile:"Own.snk"')  # which is none: an error of Game's
    ask()
    assert check().bound_again == "nothing"
    for _ in range(2):  # first what was kept, then what was compiled
        replace_in_place(critics, word[::-1], word)
        assert (ALONE, "CRIT1") in [(each.path, each.code) for each in check().errors]
        replace_in_place(critics, word, word[::-1])
        assert ALONE not in [each.path for each in check().errors]
    for file, old, new in ((beside, b"one", b"two"), (key, b"a", b"b"), (beside, b"two", b"one")):
        replace_in_place(file, old, new)
        assert check().bound_again == "assemblies"
        assert check().bound_again == "nothing"
    (tmp_path / "New.dll").write_bytes(b"what it may load, too")
    assert check().bound_again == "assemblies"


def test_what_is_kept_is_trusted_only_if_whole_and_in_place(game: Path, ask: Ask) -> None:
    ask()
    files = sorted((game / FOLDER).iterdir(), key=lambda each: each.stat().st_size)
    contents = [each.read_bytes() for each in files]
    for at in (0, 40, len(contents[0]) // 2, len(contents[0]) - 1):
        damaged = bytearray(contents[0])
        damaged[at] ^= 1
        files[0].write_bytes(damaged)
        assert ask()["boundAgain"] == "assemblies"
        assert ask()["boundAgain"] == "nothing"
    for content in (b"", contents[0][:-1], contents[1]):
        files[0].write_bytes(content)
        assert (answer := ask())["status"] == "clean"
        assert answer["boundAgain"] == "assemblies"


def test_what_another_user_signed_is_not_trusted(
    game: Path, ask: Ask, compiler: Compiler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask()
    before = kept(game)
    key = tmp_path / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(key))
    monkeypatch.setenv("LOCALAPPDATA", str(key))
    with running_validator(game, compiler.toolchain) as server:
        found = server.check_project(within_s=120)
    assert isinstance(found, ProjectCheck)
    assert found.bound_again == "assemblies"
    assert kept(game).keys() == before.keys()
    assert all(kept(game)[name] != content for name, content in before.items())


def test_a_folder_in_the_way_is_no_failure(game: Path, ask: Ask) -> None:
    (game / "Library/SnippetEngine").write_text("no folder", "utf-8")
    assert (ask()["status"], ask()["boundAgain"]) == ("clean", "assemblies")


@needs_posix
def test_nothing_is_written_through_a_link(game: Path, ask: Ask, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (game / "Library/SnippetEngine").mkdir()
    (game / FOLDER).symlink_to(outside, target_is_directory=True)
    assert ask()["status"] == "clean"
    assert list(outside.iterdir()) == []


def test_what_is_gone_is_not_kept(game: Path, ask: Ask) -> None:
    ask()
    (game / FOLDER / "0123.kept").write_bytes(b"an assembly that is gone")
    edit(game / ALONE, "nobody", "somebody")
    ask()
    assert len(kept(game)) == 4


def test_a_server_goes_on_from_what_was_kept(game: Path, ask: Ask, check: Check) -> None:
    ask()
    assert ask({}, {}, {})["boundAgain"] == "nothing"
    assert check().bound_again == "nothing"
    edit(game / CLOCK, "Now()", "Then()")
    edit(game / "Assets/Core/Timer.cs", "Now()", "Then()")
    assert [(each.code, each.path) for each in check().errors] == [("CS1061", PLAYER)]
    edit(game / CLOCK, "Then()", "Now()")
    edit(game / "Assets/Core/Timer.cs", "Then()", "Now()")
    assert check().status == "clean"


def test_it_can_be_done_without(
    game: Path, compiler: Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNITY_SNIPPET_CHECK_INDEX", "off")
    with running_validator(game, compiler.toolchain) as server:
        assert isinstance(server.check_project(within_s=120), ProjectCheck)
    assert not (game / FOLDER).exists()
