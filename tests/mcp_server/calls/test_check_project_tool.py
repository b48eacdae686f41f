"""``check_project`` as a tool: which paths it takes, how much it answers, and in what words."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import jsonschema
import project_server
import pytest
from mcp import Client
from running_server import RunningServer
from this_system import command_line

from lsp_client.project.project_requests import (
    ProjectCheck,
    ProjectCompiler,
    ProjectDiagnostic,
    Unchecked,
)
from mcp_server.calls.project_check import (
    AS_COMPILED,
    MAX_LISTED,
    MAX_NOT_CHECKED,
    advice,
    check_project,
    text,
)
from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import ToolError
from mcp_server.contract.outcome import ToolResult
from mcp_server.lint.report import project_github_lines as github_lines
from mcp_server.lint.report import project_sarif_log as sarif_log
from snippet_engine.errors import SnippetError

SERVER = command_line([sys.executable, "-S", str(project_server.__file__)])


class Answering:
    """A server's client that has this answer."""

    def __init__(self, answer: ProjectCheck | SnippetError) -> None:
        self.answer = answer
        self.asked: list[Any] = []

    def check_project(self, *arguments: Any, **options: Any) -> ProjectCheck | SnippetError:
        self.asked.append((arguments, options))
        return self.answer


def outcome(root: Path, answer: ProjectCheck, **arguments: Any) -> Any:
    return check_project(Answering(answer), root, arguments, 1000)  # type: ignore[arg-type]


def answered(root: Path, answer: ProjectCheck, **arguments: Any) -> dict[str, Any]:
    found = outcome(root, answer, **arguments)
    assert isinstance(found, ToolResult)
    schema = dict(CATALOG["check_project"].output_schema)
    jsonschema.Draft202012Validator(schema).validate(found.structured)
    return found.to_json()


def error(number: int = 1, message: str = "no") -> ProjectDiagnostic:
    return ProjectDiagnostic("Assets/A.cs", number, 1, "CS0103", message, "Game")


@pytest.mark.parametrize("status", ["clean", "unknown"])
def test_nothing_is_confirmed_where_nothing_was_judged(tmp_path: Path, status: str) -> None:
    found = answered(tmp_path, ProjectCheck(status, assemblies=0, files=0, confirmed=True))
    assert (found["status"], found["confirmed"]) == ("unknown", False)


def test_a_clean_project_of_no_scripts_is_not_called_clean(tmp_path: Path) -> None:
    found = answered(tmp_path, ProjectCheck("clean", assemblies=0, files=0))
    assert found["status"] == "unknown"
    assert "No script was checked" in found["notChecked"][0]["reason"]


def test_the_first_errors_and_the_number_of_all(tmp_path: Path) -> None:
    many = tuple(error(number, "x" * 5_000) for number in range(1, 2_001))
    left = tuple(Unchecked(f"A{number}", "It waits.") for number in range(500))
    found = outcome(tmp_path, ProjectCheck("errors", many, many, 3, 9, left))
    document = found.to_json()
    assert document["counts"] == {"errors": 2_000, "warnings": 2_000}
    assert len(document["errors"]) == len(document["warnings"]) == MAX_LISTED
    assert len(document["notChecked"]) == MAX_NOT_CHECKED + 1
    assert document["notChecked"][-1]["reason"] == "450 more were not checked."
    assert len(found.text) < 20_000
    assert len(str(document)) < 500_000


def test_the_text_has_it_all_in_its_first_line(tmp_path: Path) -> None:
    left = (Unchecked("Tests", "Game has errors."),)
    found = answered(tmp_path, ProjectCheck("errors", (error(7),), (), 1, 12, left))
    assert text(found).splitlines() == [
        "errors: 1 error (1 assembly, 12 files checked)",
        "Assets/A.cs:7:1: error CS0103: no",
        "not checked: Tests: Game has errors.",
    ]


@pytest.mark.parametrize("confirmed", [True, False])
def test_clean_by_a_quick_check_says_so(tmp_path: Path, confirmed: bool) -> None:
    found = answered(tmp_path, ProjectCheck("clean", (), (), 1, 12, confirmed=confirmed))
    more = "" if confirmed else "; a full check is under way to confirm it: ask again"
    assert text(found) == f"clean: no errors (1 assembly, 12 files checked {AS_COMPILED}{more})"


@pytest.mark.parametrize(
    ("paths", "where"),
    [(["Assets/A.cs"], "Assets/A.cs"), (["Assets/A.cs", "Assets/B.cs"], "these paths")],
)
def test_clean_names_the_paths_that_were_asked_for(
    tmp_path: Path, paths: list[str], where: str
) -> None:
    for path in paths:
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).touch()
    found = outcome(tmp_path, ProjectCheck("clean", (), (), 1, 12, confirmed=True), paths=paths)
    said = f"clean: no errors in {where}; elsewhere not reported (1 assembly, 12 files checked"
    assert found.text == f"{said} {AS_COMPILED})"


def test_clean_speaks_of_the_code_that_was_read(tmp_path: Path) -> None:
    found = answered(tmp_path, ProjectCheck("clean", (), (), 1, 12, confirmed=True))
    assert (found["checkedAs"], found["checked"].keys()) == (AS_COMPILED, {"assemblies", "files"})
    left_out = tuple((f"S{number}", 60 - number) for number in range(60))
    some = answered(tmp_path, ProjectCheck("clean", (), (), 1, 12, not_read=left_out))
    said = f"{AS_COMPILED}; code under #if S0, S1, S2 and 57 more conditions was not checked"
    assert some["checkedAs"] == said
    assert said in text(some)
    assert (len(some["checked"]["notRead"]), some["checked"]["notRead"][0]) == (50, "S0")
    players = answered(tmp_path, ProjectCheck("clean", (), (), 1, 12, of_editor=False))
    assert players["checkedAs"] == "as the last build compiled it, without UNITY_EDITOR"


@pytest.mark.parametrize(
    ("compiler", "said"),
    [
        (ProjectCompiler("4.8.0", "Unity 6000.5.1f1", True), "Roslyn 4.8.0 of Unity 6000.5.1f1"),
        (
            ProjectCompiler("4.8.0", "installed Roslyn 4.8.0", False),
            "installed Roslyn 4.8.0, not the project's own",
        ),
        (
            ProjectCompiler("4.8.0", "installed Roslyn 4.8.0", False, "3 (Unity 2021.3.14f1)"),
            "installed Roslyn 4.8.0, not the project's own: Unity's Roslyn 3 (Unity 2021.3.14f1) "
            "is older and may report more errors",
        ),
    ],
)
def test_every_form_of_an_answer_names_the_compiler(
    tmp_path: Path, compiler: ProjectCompiler, said: str
) -> None:
    for status in ("clean", "errors"):
        errors = (error(),) if status == "errors" else ()
        check = ProjectCheck(status, errors, (), 1, 12, confirmed=True, compiler=compiler)
        found = answered(tmp_path, check)
        as_ = f", {AS_COMPILED}" if status == "clean" else ""
        assert (
            text(found).splitlines()[0].endswith(f"(1 assembly, 12 files checked by {said}{as_})")
        )
        assert found["checked"]["compiler"]["isProjects"] == compiler.is_projects
        kind = "warning" if compiler.unitys_older else "notice"
        *_, last = github_lines(found, str)
        assert last.startswith(f"::{kind} title=compiler::Checked by")
        assert last.endswith(f"{said}.")
        (run,) = sarif_log(found, str)["runs"]
        (invocation,) = run["invocations"]
        (note,) = invocation["toolExecutionNotifications"]
        assert (invocation["executionSuccessful"], note["level"]) == (True, "note")
        assert note["message"]["text"].endswith(f"{said}.")


@pytest.mark.parametrize(
    ("assemblies", "files", "words"),
    [
        (0, 0, "12 files checked for syntax only"),
        (1, 3, "1 assembly, 3 files checked, 12 more for syntax only"),
    ],
)
def test_files_whose_syntax_alone_was_checked_are_counted_apart(
    tmp_path: Path, assemblies: int, files: int, words: str
) -> None:
    left = (Unchecked(None, "No build is known."),)
    check = ProjectCheck("unknown", (), (), assemblies, files, left, syntax_only=12)
    found = answered(tmp_path, check)
    first = text(found).splitlines()[0]
    assert first == f"unknown: can't tell whether the project compiles ({words})"
    assert (found["checked"]["files"], found["checked"]["syntaxOnly"]) == (files, 12)


def test_an_error_in_no_file_has_no_place(tmp_path: Path) -> None:
    nowhere = ProjectDiagnostic("", 0, 0, "CS8021", "no runtime metadata", "Game")
    found = answered(tmp_path, ProjectCheck("errors", (nowhere,), (), 1, 1))
    assert text(found).splitlines()[1] == "error CS8021: no runtime metadata"


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("../other", '".."'),
        ("Assets/../../x", '".."'),
        ("/etc", "project-relative"),
        ("C:/Game/Assets", "project-relative"),
        ("Assets/Nowhere.cs", "does not exist"),
        ("Assets/\0.cs", "project-relative"),
    ],
)
def test_a_path_that_is_not_in_the_project(tmp_path: Path, path: str, why: str) -> None:
    (tmp_path / "Assets").mkdir()
    refused = outcome(tmp_path, ProjectCheck("clean"), paths=["Assets", path])
    assert isinstance(refused, ToolError)
    assert refused.code == "ERR_INVALID_PARAMS"
    assert refused.message.startswith("$.paths[1]")
    assert why in refused.message


@pytest.mark.parametrize("path", ["Assets/", "./Assets", "Assets\\", "Assets/."])
def test_ways_to_write_a_path(tmp_path: Path, path: str) -> None:
    (tmp_path / "Assets").mkdir()
    server = Answering(ProjectCheck("clean", assemblies=1, files=1))
    check_project(server, tmp_path, {"paths": [path]}, 1000)  # type: ignore[arg-type]
    ((arguments, _),) = server.asked
    assert arguments == (None, ["Assets"])


@pytest.mark.anyio
async def test_over_mcp(project: Path) -> None:
    (project / "Assets" / "Game").mkdir()
    (project / "Assets" / "Game" / "A.cs").write_text("#error no\n")
    heard: list[str] = []

    async def hear(_progress: float, _total: float | None, message: str | None) -> None:
        heard.append(message or "")

    with RunningServer("--lsp", SERVER, cwd=project) as server:
        async with Client(server.url) as client:
            result = await client.call_tool("check_project", {}, progress_callback=hear)
            part = await client.call_tool("check_project", {"assemblies": ["Scripts"]})
            wrong = await client.call_tool("check_project", {"paths": ["Assets/No.cs"]})
    assert result.structured_content is not None
    assert result.structured_content["status"] == "errors"
    assert result.structured_content["counts"]["errors"] == 1
    assert part.structured_content is not None
    assert part.structured_content["status"] == "clean"
    assert wrong.is_error


@pytest.mark.anyio
async def test_edits_do_not_wait_for_checks(project: Path) -> None:
    """Checks that take their time leave the threads alone on which scripts are edited."""
    import anyio

    with RunningServer("--lsp", f"{SERVER} never_ends", cwd=project) as server:
        async with Client(server.url) as client, anyio.create_task_group() as checks:
            for _ in range(8):
                checks.start_soon(client.call_tool, "check_project", {"timeout_ms": 600_000})
            await anyio.to_thread.run_sync(server.wait_for_log, "tool=check_project")
            symbols = await client.call_tool("get_symbols", {"path": "Assets/Scripts/Player.cs"})
            checks.cancel_scope.cancel()
    assert not symbols.is_error


def test_an_assembly_that_there_is_not_is_refused(tmp_path: Path) -> None:
    why = "There is no assembly Gmae in the project; the nearest are Game."
    answer = ProjectCheck("unknown", not_checked=(Unchecked("Gmae", why, is_missing=True),))
    refused = outcome(tmp_path, answer, assemblies=["Core", "Gmae"])
    assert isinstance(refused, ToolError)
    assert (refused.code.value, refused.message) == ("ERR_INVALID_PARAMS", why)
    assert refused.details is not None
    assert refused.details["problems"] == [{"path": "$.assemblies[1]", "message": why}]


@pytest.mark.parametrize(
    ("reason", "is_told"),
    [
        ("Game isn't in Unity's last build yet.", True),
        ("Game.asmdef gained allowUnsafeCode since the last build.", True),
        ("Unity compiles nothing as it is: A.asmdef has no name.", False),
    ],
)
def test_what_to_do_is_said_where_the_last_build_is_of_another_state(
    reason: str, *, is_told: bool
) -> None:
    told = list(advice({"notChecked": [{"assembly": "Game", "reason": reason}]}))
    assert [each.startswith("Let Unity compile the project,") for each in told] == (
        [True] if is_told else []
    )
