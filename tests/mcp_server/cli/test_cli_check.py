"""``unity-cli check``: what it prints in which form, its exit codes, and who does the work."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from time import sleep

import hostile_server
import jsonschema
import project_server
import pytest
from running_server import (
    TIMEOUT_S,
    UNITY_CLI,
    RunningServer,
    edit,
    environment,
    run_cli,
    run_process,
)
from this_system import KILL, command_line

from mcp_server.calls.project_check import AS_COMPILED, MAX_LISTED
from mcp_server.contract.catalog import CATALOG
from snippet_engine.validation.judge import VERDICT_S

SERVER = command_line([sys.executable, "-S", str(project_server.__file__)])


def check(
    folder: Path, *arguments: str, lsp: str = SERVER, **env: str
) -> subprocess.CompletedProcess[str]:
    return run_cli("check", *arguments, "--lsp", lsp, cwd=folder, env=environment(**env))


@pytest.fixture
def broken(project: Path) -> Path:
    """The project with an error in one assembly of two."""
    for path, text in (
        ("Assets/Game/A.cs", "class A { }\n#error no, not this\n"),
        ("Assets/Tests/B.cs", "class B { }\n"),
    ):
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text(text)
    return project


def test_a_clean_project(project: Path) -> None:
    done = check(project)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"No errors (1 assembly, 1 file checked {AS_COMPILED})\n"


def test_errors_as_the_compiler_prints_them(broken: Path) -> None:
    done = check(broken)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.splitlines() == [
        "Assets/Game/A.cs:2:1: error CS1029: #error: 'no, not this'",
        "1 error (3 assemblies, 3 files checked)",
    ]
    assert len(check(broken, "--quiet").stdout.splitlines()) == 1


def test_paths_are_shown_from_the_working_folder(broken: Path) -> None:
    done = check(broken / "Assets", "Game", "--warnings")
    assert done.returncode == 1
    assert done.stdout.splitlines()[0].startswith("Game/A.cs:2:1: error CS1029")
    assert done.stdout.splitlines()[1].startswith("Game/A.cs:2:1: warning CS1030")
    tests = check(broken / "Assets", "Tests")
    assert tests.returncode == 0
    assert tests.stdout.startswith("No errors in Assets/Tests; elsewhere not reported (")


def test_the_whole_project_by_its_folder_is_the_whole_project(broken: Path) -> None:
    assert check(broken, ".").stdout == check(broken).stdout


@pytest.mark.parametrize(("assembly", "code"), [("Tests", 0), ("Game", 1), ("Gane", 3)])
def test_assemblies(broken: Path, assembly: str, code: int) -> None:
    done = check(broken, "--assembly", "Tests", "--assembly", assembly)
    assert done.returncode == code
    if assembly == "Gane":
        assert "not checked: Gane: There is no such assembly." in done.stderr
        assert "can't tell" in done.stdout.lower()
    params = json.dumps({"assemblies": [assembly]})
    call = ("tool", "call", "check_project", "--lsp", SERVER, "--json", params)
    assert run_cli(*call, cwd=broken).returncode == code


def test_json_is_the_tools_result(broken: Path) -> None:
    done = check(broken, "--output", "json")
    document = json.loads(done.stdout)
    jsonschema.Draft202012Validator(CATALOG["check_project"].output_schema).validate(document)
    assert document["status"] == "errors"
    assert document["errors"][0]["path"] == "Assets/Game/A.cs"


def test_sarif_names_files_from_the_repository(broken: Path) -> None:
    (broken / ".git").mkdir()
    done = check(broken / "Assets", "--format", "sarif")
    run = json.loads(done.stdout)["runs"][0]
    (result,) = run["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "Assets/Game/A.cs"
    assert place["region"] == {"startLine": 2, "startColumn": 1}
    assert run["tool"]["driver"]["rules"][0]["id"] == result["ruleId"] == "CS1029"
    assert run["invocations"][0]["executionSuccessful"] is True
    unknown = json.loads(check(broken, "--format", "sarif", "--assembly", "Gane").stdout)
    (invocation,) = unknown["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False
    told = invocation["toolExecutionNotifications"][0]["message"]["text"]
    assert told == "Gane: There is no such assembly."


def test_github_annotations(broken: Path) -> None:
    (broken / ".git").mkdir()
    done = check(broken, "--format", "github")
    assert done.stdout.splitlines() == [
        "::error file=Assets/Game/A.cs,line=2,col=1,title=CS1029::#error: 'no, not this'"
    ]
    unknown = check(broken, "--format", "github", "--assembly", "Gane")
    assert unknown.stdout.startswith("::error title=not checked::Gane: ")


def test_of_many_errors_the_first_and_their_number(project: Path) -> None:
    (project / "Assets" / "Many").mkdir()
    many = MAX_LISTED + 23
    (project / "Assets" / "Many" / "A.cs").write_text("#error no\n" * many)
    done = check(project)
    *listed, more, summary = done.stdout.splitlines()
    assert len(listed) == MAX_LISTED
    assert more == "… 23 more errors"
    assert summary.startswith(f"{many} errors")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nowhere"], "nowhere does not exist."),
        (["Asets"], "Asets does not exist; did you mean Assets?"),
        (["/"], "is not in the project"),
        (["--format", "github", "--output", "json"], "exclude each other"),
        (["--lsp", "no-such-program"], "there is no program"),
        (["--project", "/tmp"], "--project"),
        (["--assembly", ""], "$.assemblies[0]"),
    ],
)
def test_wrong_usage(project: Path, arguments: list[str], says: str) -> None:
    done = run_cli("check", *arguments, cwd=project)
    assert done.returncode == 2
    assert says in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("lsp", "says"),
    [
        ("off", "--lsp is off"),
        (f"{SERVER} knows_no_projects", "can't check a project"),
        (f"{SERVER} dies", "exit code 7"),
    ],
)
def test_what_cant_be_told_is_not_called_clean(project: Path, lsp: str, says: str) -> None:
    done = check(project, lsp=lsp)
    assert done.returncode == 3
    assert says in done.stderr
    assert "no errors" not in done.stdout.lower()


def test_out_of_time(project: Path) -> None:
    done = check(project, "--timeout", "0.3", lsp=f"{SERVER} never_ends")
    assert done.returncode == 3


@pytest.mark.parametrize(
    ("fault", "code", "last_line"),
    [
        ("confirms_late", 0, f"No errors (1 assembly, 1 file checked {AS_COMPILED})"),
        ("corrects_late", 1, "1 error, 1 warning (1 assembly, 1 file checked)"),
    ],
)
def test_clean_is_not_said_before_it_is_proved(
    project: Path, fault: str, code: int, last_line: str
) -> None:
    done = check(project, lsp=f"{SERVER} {fault}")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (code, last_line)


def test_clean_without_a_proof_in_time_says_so(project: Path) -> None:
    done = check(project, "--timeout", "5", lsp=f"{SERVER} confirms_never")
    assert done.returncode == 0
    assert done.stdout == (
        f"No errors (1 assembly, 1 file checked {AS_COMPILED}; a full check is under way to "
        "confirm it: ask again)\n"
    )


def test_the_projects_running_server_does_the_work(broken: Path) -> None:
    (broken / "Library").mkdir(exist_ok=True)
    with RunningServer("--lsp", SERVER, cwd=broken, UNITY_CLI_LSP="off") as server:
        here, there = check(broken, lsp="off"), check(broken)
        assert here.returncode == 3
        assert there.returncode == 1
        server.wait_for_log("tool=check_project")
    alone = check(broken)
    assert (alone.returncode, alone.stdout) == (there.returncode, there.stdout)


def test_a_check_by_a_running_server_loads_no_mcp_sdk(project: Path) -> None:
    """It takes several times as long as the check."""
    (project / "Library").mkdir(exist_ok=True)
    script = (
        "import sys\n"
        "from mcp_server.cli import main\n"
        "try:\n"
        "    main(sys.argv[1:])\n"
        "except SystemExit:\n"
        "    print(sorted({'mcp', 'httpx2', 'pydantic', 'asyncio'} & sys.modules.keys()))\n"
    )
    with RunningServer("--lsp", SERVER, cwd=project) as server:
        command = [sys.executable, "-c", script, "check", "--lsp", SERVER]
        done = run_process(command, project)
        server.wait_for_log("tool=check_project")
    first = f"No errors (1 assembly, 1 file checked {AS_COMPILED})"
    assert done.stdout.splitlines() == [first, "[]"], done.stderr


def test_a_server_with_another_compiler_is_left_alone(broken: Path) -> None:
    (broken / "Library").mkdir(exist_ok=True)
    with RunningServer("--lsp", "off", cwd=broken):
        assert check(broken).returncode == 1


def test_edits_of_single_commands_are_judged_by_the_running_server(project: Path) -> None:
    (project / "Library").mkdir(exist_ok=True)
    slow = f"starts_in_s:{VERDICT_S + 0.5}"
    hostile = command_line([sys.executable, "-S", str(hostile_server.__file__), slow])
    request = json.dumps(edit("apply"))
    arguments = ("tool", "call", "edit_snippet", "--output", "json", "--json", request)
    with RunningServer("--lsp", hostile, cwd=project) as server:
        done = run_cli(*arguments, "--lsp", hostile, cwd=project)
        server.wait_for_log("tool=edit_snippet")
    answer = json.loads(done.stdout)
    assert answer["applied"] is True
    # That server had just been started; it is waited for as one of the command's own would be.
    assert answer["validation"]["validator"] == "python"


ENDS = [KILL, *([signal.SIGTERM, signal.SIGINT] if os.name == "posix" else [])]
"""Windows ends a process without telling it."""


@pytest.mark.parametrize(
    ("words", "by"), [*(("check", by) for by in ENDS), ("tool call check_project", KILL)]
)
def test_a_server_that_ends_while_it_checks_is_done_without(
    broken: Path, tmp_path_factory: pytest.TempPathFactory, by: signal.Signals, words: str
) -> None:
    """However it ends: what only looks is done here instead, by a compiler of the command's own."""
    (broken / "Library").mkdir(exist_ok=True)
    once = str(tmp_path_factory.mktemp("once"))
    lsp = f"{SERVER} never_ends_once"
    with RunningServer("--lsp", lsp, cwd=broken, UNITY_SNIPPET_ONCE=once) as server:
        asking = subprocess.Popen(
            [UNITY_CLI, *words.split(), "--lsp", lsp, "--output", "json"],
            cwd=broken,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(UNITY_SNIPPET_ONCE=once),
        )
        mark = Path(once) / "once"  # its compiler has been asked
        while not mark.exists():
            assert asking.poll() is None, asking.communicate()
            sleep(0.01)
        server.stop(by)
        out, err = asking.communicate(timeout=TIMEOUT_S)
    document = json.loads(out)
    assert document["status"] == "errors", (document, err)
    assert asking.returncode == 1
