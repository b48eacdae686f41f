"""What is advised for a command line that is wrong: only what may be meant, in its own words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from running_server import SCRIPT, RunningServer, edit, environment, run_cli

from mcp_server.cli.command_table import near
from mcp_server.version import package_version

_TOKEN_FILE = "unity-cli serve --token-file new.token creates it."


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["undo", "--yes"], "No such option '--yes'. See: unity-cli undo --help"),
        (["serve", "--host", "0.0.0.0"], "No such option '--host'. See: unity-cli serve --help"),
        (["undo", "--dryrun"], "Did you mean '--dry-run'?"),
        (["serve", "--tok", "x"], "Did you mean '--token-file'? See"),
        (["mcp", "--tokne", "x"], "Did you mean '--token-file'? See"),
        (["tool", "call", "get_symbols", "--jsn", "{}"], "Did you mean '--json'?"),
        (["tool", "call", "get_symbols", "--path", "x"], "parameters are one JSON object"),
        (["bundle", "from-gti"], "Did you mean 'from-git'? See: unity-cli bundle --help"),
        (["get_symbols", SCRIPT], "It is a tool: unity-cli tool call get_symbols."),
        (["tool", "get_symbols"], "It is a tool: unity-cli tool call get_symbols."),
        (["help"], "Did you mean 'unity-cli --help'?"),
        (["version"], "Did you mean 'unity-cli --version'?"),
        (["install"], "'unity-cli client install' or 'unity-cli plugin install' or 'unity-cli ro"),
        (["tool", "list", "--json"], "For results as JSON: --output json."),
        (
            ["batch", "Edits/one.snippet.json"],
            "is a bundle of edits: apply it with unity-cli",
        ),
        (["tool", "call", "get_symbols", "--json", '{"file": "A.cs"}'], 'did you mean "path"?'),
        (["edit", SCRIPT, "--replace", "", "--with", "x"], "--replace is empty. Give text that"),
        (["edit", "Assets/Scripts/Plyer.cs", "--replace", "x", "--with", "y"], "did you mean Asse"),
        (["symbols", "Assets"], "Assets is not a .cs file"),
        (["symbols", "Player.cs"], f"Player.cs does not exist; did you mean {SCRIPT}?"),
        (["symbols", "Player"], f"did you mean {SCRIPT}?"),
        (["serve", "Assets"], "argument (Assets). Name a project with --project PATH. See"),
        (["serve", "nowhere"], "argument (nowhere). See"),
        (
            ["undo", "HEAD"],
            "'HEAD' is neither a script (PATH) nor the id of a change. To list",
        ),
        (["undo", ""], "The empty text (a variable that isn't set?) is neither a script"),
        (["undo", "0123456789abcdef"], "unity-cli history lists those that can."),
        (["lint", SCRIPT], f"{SCRIPT} is a script, not a bundle (*.snippet.json)"),
        (["lint", "edit"], "edit does not exist. Did you mean Edits?"),
        (["apply", "Edits/on"], "Did you mean Edits/one.snippet.json?"),
        (["check", "--timeout", "5000"], "'--timeout': 5000.0 is not in the range 0<x<=600."),
        (["--timeout", "5000", "check"], "'--timeout': 5000.0 is not in the range 0<x<=600."),
        (["client", "install", "cursor", "--http", "--token-file", "new.token"], _TOKEN_FILE),
    ],
)
def test_what_is_advised(project: Path, arguments: list[str], told: str) -> None:
    (project / "Edits").mkdir()
    (project / "Edits/one.snippet.json").write_text(f"[{json.dumps(edit())}]")
    done = run_cli(*arguments, cwd=project)
    assert done.returncode != 0
    assert told in done.stderr.replace("\\", "/")  # Windows' paths


@pytest.mark.parametrize(
    ("typed", "name", "meant"),
    [
        ("tol", "tool", True),
        ("otol", "tool", True),
        ("--jsno", "--json", True),
        ("--dryrun", "--dry-run", True),
        ("--out", "--output", True),
        ("histroy", "history", True),
        ("hstroy", "history", True),
        ("chek", "check", True),
        ("--path", "--project", False),
        ("status", "start", False),
        ("edit", "editor", True),
        ("ed", "editor", False),
        ("--force", "--output", False),
        ("list", "lint", True),
    ],
)
def test_only_a_slip_or_two_is_taken_for_another_name(typed: str, name: str, meant: bool) -> None:
    assert near(typed, [name]) == ([name] if meant else [])


def test_a_name_of_any_length_is_compared() -> None:
    assert near("x" * 2000, ["undo", "history"]) == []
    assert near("undo", None) == near("", ["undo"]) == []


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("UNITY_CLI_LSP", "bogus"),
        ("UNITY_CLI_PORT", "abc"),
        ("UNITY_CLI_URL", "localhost:1"),
    ],
)
def test_a_variable_that_is_wrong_is_named(project: Path, variable: str, value: str) -> None:
    tool = "validate_script" if variable == "UNITY_CLI_LSP" else "get_editor_state"
    given = "{}" if tool == "get_editor_state" else json.dumps({"path": SCRIPT})
    env = environment(**{variable: value})
    done = run_cli("tool", "call", tool, "--json", given, cwd=project, env=env)
    assert done.returncode == 2
    assert done.stderr.startswith(f"ERR_CONFIG_VALIDATION: {variable}")


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("abc", 'UNITY_CLI_PORT must be a number from 1 to 65535 (got "abc").'),
        ("70000", "UNITY_CLI_PORT must be from 1 to 65535 (got 70000)."),
    ],
)
@pytest.mark.parametrize(
    "command",
    [
        ("serve",),
        ("tool", "call", "get_editor_state"),
        ("client", "show", "cursor"),
        ("doctor", "--timeout", "60"),
    ],
)
def test_a_port_of_the_environment_is_told_as_one_of_an_option(
    project: Path, command: tuple[str, ...], value: str, told: str
) -> None:
    done = run_cli(*command, cwd=project, env=environment(UNITY_CLI_PORT=value))
    assert done.returncode == (0 if command[0] == "doctor" else 2)
    assert told in (done.stdout if command[0] == "doctor" else done.stderr)


def test_what_can_t_make_a_token_file_isn_t_advised(project: Path) -> None:
    blocked = project / "file" / "token"
    blocked.parent.write_text("no folder")
    long = project / ("x" * 300)
    for file in (blocked, long):
        done = run_cli("serve", "--token-file", str(file), cwd=project)
        assert done.returncode == 2
        assert str(file) in done.stderr
        assert "creates it" not in done.stderr
    assert "creates it" in run_cli("mcp", "--token-file", "none", cwd=project).stderr


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_file_in_another_encoding_is_to_be_saved_as_utf_8(project: Path, encoding: str) -> None:
    (project / "call.json").write_text("{}", encoding=encoding)
    arguments = ("tool", "call", "get_symbols", "--params-file", "call.json")
    told = run_cli(*arguments, cwd=project).stderr
    assert "is not UTF-8 text (it is UTF-16). Save it as UTF-8." in told


def test_one_problem_of_a_batch_is_told_once(project: Path) -> None:
    (project / "calls.json").write_text('{"tool": "get_symbol", "params": {}}')
    told = run_cli("batch", "calls.json", cwd=project).stderr
    assert told.count("There is no tool") == 1


def test_a_port_that_the_projects_own_server_has(project: Path) -> None:
    with RunningServer(cwd=project) as running:
        done = run_cli("serve", "--port", str(running.port), cwd=project)
    assert done.returncode == 2
    version = package_version()
    assert (
        f"A server of version {version} runs for this project already, at {running.url}"
        in done.stderr
    )


def test_a_wrong_token_of_the_environment_is_told_with_its_cure(project: Path) -> None:
    with RunningServer(cwd=project, UNITY_CLI_TOKEN="right-one") as running:
        done = run_cli(
            *("tool", "call", "get_editor_state", "--url", running.url),
            cwd=project,
            env=environment(UNITY_CLI_TOKEN="wrong-one"),
        )
    assert done.returncode != 0
    assert "Set UNITY_CLI_TOKEN to that token, or" in done.stderr


def test_the_projects_own_server_is_found_though_it_refuses_the_token(project: Path) -> None:
    with RunningServer(cwd=project, UNITY_CLI_TOKEN="right-one") as running:
        done = run_cli(
            *("tool", "call", "get_editor_state"),
            cwd=project,
            env=environment(UNITY_CLI_TOKEN="wrong-one"),
        )
        assert done.returncode == 3
        assert f"The program at {running.url} can't be used: it requires its bearer" in done.stderr
        assert "Set UNITY_CLI_TOKEN to that token, or" in done.stderr
        env = environment(UNITY_CLI_TOKEN="wrong-one")
        assert running.url in run_cli("doctor", cwd=project, env=env).stdout


def test_a_name_with_another_ending_is_no_folder_to_move_into(project: Path) -> None:
    def told(new_path: str) -> str:
        changes = [{"path": SCRIPT, "moveTo": new_path}]
        params = json.dumps({"mode": "preview", "changes": changes})
        return run_cli("tool", "call", "edit_scripts", "--json", params, cwd=project).stderr

    assert "Send" not in told("Assets/Player.txt")
    assert "Send Assets/Other/" in told("Assets/Other")
    (project / "Assets/Core.Parts").mkdir()
    assert "Send Assets/Core.Parts/" in told("Assets/Core.Parts")


def test_an_option_of_other_commands_is_told_with_what_does_the_same(no_project: Path) -> None:
    done = run_cli("--port", "3", "doctor", cwd=no_project)
    assert done.returncode == 2
    assert "--url http://127.0.0.1:PORT/mcp" in done.stderr
