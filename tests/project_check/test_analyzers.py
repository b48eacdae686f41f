"""What analyzers of a build call an error is one; those that can't be heard are named.

docs/design/roslyn.md §3 "Analyzers". They are real ones, compiled by the Roslyn that then runs
them, and the truth is ``csc`` with the same response files.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from compiled_library import compiled_library
from small_project import Check, assemblies
from test_traps import add, add_option, codes, edit, reasons

from benchmarks.project_check.compilers import Compiler
from benchmarks.project_check.layout import LaidOutAssembly, LaidOutProject, response_file
from benchmarks.project_check.plain_compiler import compiled_by_csc
from benchmarks.shared_toolchains import ABSENT
from benchmarks.verdict import STARTING_S
from lsp_client.project.project_requests import ProjectCheck
from lsp_client.validator import LanguageServerValidator
from snippet_engine.validation.validator import ChangesVerdict

pytestmark = pytest.mark.shares_server

ALONE = "Assets/Alone/Alone.cs"
PLAYER = "Assets/Game/Player.cs"
Server = Callable[[Path], LanguageServerValidator]


@pytest.fixture(scope="module")
def critics(tmp_path_factory: pytest.TempPathFactory, compiler: Compiler) -> Path:
    """The library with the analyzers."""
    source = Path(__file__).with_name("Critics.cs")
    return compiled_library(source, tmp_path_factory.mktemp("critics"), compiler.toolchain)


@pytest.fixture(autouse=True)
def criticized(game: Path, critics: Path) -> None:
    for name in ("Alone", "Game"):
        add_option(game, name, f'-analyzer:"{critics}"', "-warn:4")


def told_by_csc(
    game: Path, compiler: Compiler, concerned: tuple[LaidOutAssembly, ...]
) -> tuple[set[tuple[str, int, int, str]], set[str]]:
    plain = compiled_by_csc(compiler, LaidOutProject(game, concerned))
    return set(plain.places), set(plain.blocked)


def state_of(game: Path, assembly: LaidOutAssembly) -> list[bytes]:
    """What the assembly is compiled from."""
    sources = sorted((game / "Assets" / assembly.name).glob("*.cs"))
    return [each.read_bytes() for each in (response_file(game, assembly.name), *sources)]


def concerned_by(change: Callable[[Path], None], game: Path) -> tuple[LaidOutAssembly, ...]:
    """Make the change; the assemblies that it concerns. If it concerns none, all of them."""
    before = {each.name: state_of(game, each) for each in assemblies()}
    change(game)
    concerned: dict[str, LaidOutAssembly] = {}
    for each in assemblies():
        is_changed = state_of(game, each) != before[each.name]
        if is_changed or concerned.keys() & {*each.references}:
            concerned[each.name] = each
    return tuple(concerned.values()) or assemblies()


def told(found: ProjectCheck) -> tuple[set[tuple[str, int, int, str]], set[str | None]]:
    places = {(each.path, each.line, each.column, each.code) for each in found.errors}
    return places, {each.assembly for each in found.not_checked}


def _say(root: Path, line: str, head: str = "is_global = true\n") -> None:
    add(root / "Assets/.globalconfig", f"{head}{line}\n")


def _nothing(root: Path) -> None:
    """The project as it is, for ``csc`` to say of the others that nothing is wrong with them."""


def _named_so(root: Path) -> None:
    edit(root / PLAYER, "readonly Clock clock", "readonly int forbidden = 1; readonly Clock clock")


def _named_so_and_wrong(root: Path) -> None:
    _named_so(root)
    edit(root / PLAYER, "clock.Now()", "clock.Nwo()")


def _not_declared_well(root: Path) -> None:
    _named_so(root)
    edit(root / PLAYER, "public int Time", "public Strange Time")


def _warned_of(root: Path) -> None:
    edit(root / ALONE, "public string Name", "void lower() { } public string Name")


def _of_a_severity(root: Path) -> None:
    _warned_of(root)
    add_option(root, "Alone", "-warnaserror+:CRIT2")


def _left_out_again(root: Path) -> None:
    _of_a_severity(root)
    edit(root / ALONE, "namespace Alone", "#pragma warning disable CRIT2\nnamespace Alone")


def _of_a_rule_set(root: Path) -> None:
    _warned_of(root)
    add(
        root / "Assets/Own.ruleset",
        '<RuleSet Name="Own" ToolsVersion="14.0">'
        '<Rules AnalyzerId="Critics" RuleNamespace="Critics">'
        '<Rule Id="CRIT2" Action="Error" /></Rules></RuleSet>',
    )
    add_option(root, "Alone", '-ruleset:"Assets/Own.ruleset"')


def _of_a_configuration(root: Path) -> None:
    _warned_of(root)
    _say(root, "dotnet_diagnostic.CRIT2.severity = error")
    add_option(root, "Alone", '-analyzerconfig:"Assets/.globalconfig"')


def _of_all_analyzers(root: Path) -> None:
    _warned_of(root)
    _say(root, "dotnet_analyzer_diagnostic.severity = error")
    add_option(root, "Alone", '-analyzerconfig:"Assets/.globalconfig"')


def _of_some_files(root: Path) -> None:
    edit(root / ALONE, "public string Name", "private string unread; public string Name")
    add(root / "Assets/Alone/Other.cs", "class Other { private string unread; }\n")
    add(
        root / ".editorconfig",
        "root = true\n[Assets/Alone/O*.cs]\ndotnet_diagnostic.CS0169.severity = error\n",
    )
    add_option(root, "Alone", '-analyzerconfig:".editorconfig"', '"Assets/Alone/Other.cs"')


def _of_what_is_off(root: Path) -> None:
    _say(root, "dotnet_diagnostic.CRIT5.severity = error")
    add_option(root, "Alone", '-analyzerconfig:"Assets/.globalconfig"')


def _listed(root: Path) -> None:
    add(root / "Banned.txt", "Somebody\nNobody\n")
    add_option(root, "Alone", '-additionalfile:"Banned.txt"')


def _serialized(root: Path) -> None:
    edit(
        root / ALONE,
        "public string Name",
        "[System.Obsolete] string other; string serialized; public string Name",
    )
    edit(root / ALONE, '"nobody";', '"nobody"; string All => serialized + other;')
    add_option(root, "Alone", "-warnaserror+:CS0649,CS0414")


def _skipped(root: Path) -> None:
    _named_so(root)
    add_option(root, "Game", "-skipanalyzers+")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (_nothing, set()),
        (_named_so, {"CRIT1"}),
        (_named_so_and_wrong, {"CRIT1", "CS1061"}),
        (_not_declared_well, {"CS0246"}),
        (_warned_of, set()),
        (_of_a_severity, {"CRIT2"}),
        (_left_out_again, set()),
        (_of_a_rule_set, {"CRIT2"}),
        (_of_a_configuration, {"CRIT2"}),
        (_of_all_analyzers, {"CRIT2"}),
        (_of_some_files, {"CS0169"}),
        (_of_what_is_off, {"CRIT5"}),
        (_listed, {"CRIT4"}),
        (_serialized, {"CS0649"}),
        (_skipped, set()),
    ],
)
def test_errors_are_those_of_csc(
    game: Path, check: Check, compiler: Compiler, change: Callable[[Path], None], expected: set[str]
) -> None:
    if compiler.csc is None:
        pytest.skip(ABSENT)
    concerned = concerned_by(change, game)
    found = check()
    assert told(found) == told_by_csc(game, compiler, concerned)
    assert {code for _, code in codes(found)} == expected
    assert found.status == ("errors" if expected else "clean")


def test_they_are_asked_again_when_something_changed(game: Path, check: Check) -> None:
    assert check().status == "clean"
    edit(game / PLAYER, "clock", "forbidden")
    assert codes(check()) == [(PLAYER, "CRIT1")]
    assert codes(check()) == [(PLAYER, "CRIT1")]
    edit(game / PLAYER, "forbidden", "clock")
    assert check().status == "clean"
    _listed(game)
    assert codes(check()) == [(ALONE, "CRIT4")]
    add(game / "Banned.txt", "Somebody\n")
    assert check().status == "clean"


def test_their_warnings_are_shown_if_asked_for(game: Path, check: Check) -> None:
    _warned_of(game)
    assert not check().warnings
    found = check(warnings=True)
    assert (found.status, [each.code for each in found.warnings]) == ("clean", ["CRIT2"])


def test_one_that_throws_is_named(game: Path, check: Check) -> None:
    edit(game / PLAYER, "class Player", "class Throws { } public class Player")
    found = check()
    assert (found.status, codes(found)) == ("unknown", [])
    (left,) = found.not_checked
    assert left.assembly == "Game"
    assert "InvalidOperationException" in left.reason
    assert "no opinion on that" in left.reason


@pytest.mark.own_server  # one has to end, and it is remembered
def test_one_without_an_end_is_named(game: Path, check: Check) -> None:
    edit(game / PLAYER, "class Player", "class Endless { } public class Player")
    found = check()
    assert found.status == "unknown"
    (left,) = found.not_checked
    assert "didn't end within 30 seconds" in left.reason
    assert check().not_checked == found.not_checked


def test_one_that_cant_be_loaded_is_named(game: Path, check: Check, critics: Path) -> None:
    damaged = game / "Damaged.dll"
    damaged.write_bytes(critics.read_bytes()[:2000] + b"DiagnosticAnalyzerAttribute")
    add_option(game, "Alone", f'-analyzer:"{damaged}"')
    _named_so(game)
    found = check()
    assert codes(found) == [(PLAYER, "CRIT1")]
    assert "Damaged.dll can't be loaded" in (reasons(found)["Alone"])


def test_a_verdict_on_an_edit_says_that_they_were_not_asked(game: Path, server: Server) -> None:
    text = (game / PLAYER).read_text().replace("clock", "forbidden")
    judged = server(game).judge_changes({PLAYER: text}, within_s=STARTING_S, patient=True)
    assert isinstance(judged, ChangesVerdict), judged
    assert "semantics" in judged.coverage
    assert [each for each in judged.not_checked if "Analyzers" in each]


def test_code_that_is_too_deep_for_them_is_named(game: Path, check: Check) -> None:
    edit(game / PLAYER, "=> clock.Now()", f"=> {'(' * 600}1{')' * 600} + clock.Now()")
    found = check()
    assert (found.status, codes(found)) == ("unknown", [])
    assert "Player.cs is too deep for them" in (reasons(found)["Game"])
