"""What is advised for a command line that is wrong: only what may be meant, in its own words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from running_server import SCRIPT, RunningServer, edit, environment, run_cli

from mcp_server.cli.command_table import near

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
        (["tool", "call", "get_symbols", "path=x"], "--json '{…}'"),
        (["tool", "call", "get_symbols", SCRIPT], "unity-cli tool schema"),
        (["tool", "call", "get_symbols", "--json", "@edit.json"], "--params-file edit.json"),
        (["tool", "call", "get_symbols", "--json", "edit.json"], "--params-file edit.json"),
        (["tool", "call", "get_symbols", "--json", "@edit"], "--params-file edit"),
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


def test_only_a_slip_or_two_is_taken_for_another_name() -> None:
    meant = "tol=tool otol=tool --jsno=--json --dryrun=--dry-run --out=--output histroy=history"
    meant += " hstroy=history chek=check edit=editor list=lint"
    for typed, _, name in (each.partition("=") for each in meant.split()):
        assert near(typed, [name]) == [name]
    others = "--path=--project status=start ed=editor --force=--output"
    for typed, _, name in (each.partition("=") for each in others.split()):
        assert near(typed, [name]) == []
    assert near("x" * 2000, ["undo", "history"]) == []
    assert near("undo", None) == near("", ["undo"]) == []


@pytest.mark.parametrize(
    ("variable", "value", "call"),
    [
        ("UNITY_CLI_LSP", "bogus", ("validate_script", "--json", json.dumps({"path": SCRIPT}))),
        ("UNITY_CLI_URL", "localhost:1", ("get_editor_state",)),
    ],
)
def test_a_variable_that_is_wrong_is_named(
    project: Path, variable: str, value: str, call: tuple[str, ...]
) -> None:
    done = run_cli("tool", "call", *call, cwd=project, env=environment(**{variable: value}))
    assert done.returncode == 2
    assert done.stderr.startswith(f"ERR_CONFIG_VALIDATION: {variable}")


@pytest.mark.parametrize(
    ("command", "value"),
    [
        ("serve", "abc"),
        ("tool call get_editor_state", "abc"),
        ("client show cursor", "70000"),
        ("doctor --timeout 60", "70000"),
    ],
)
def test_a_port_of_the_environment_is_told_as_one_of_an_option(
    project: Path, command: str, value: str
) -> None:
    done = run_cli(*command.split(), cwd=project, env=environment(UNITY_CLI_PORT=value))
    told = {
        "abc": 'UNITY_CLI_PORT must be a number from 1 to 65535 (got "abc").',
        "70000": "UNITY_CLI_PORT must be from 1 to 65535 (got 70000).",
    }[value]
    is_doctor = command.startswith("doctor")
    assert done.returncode == (0 if is_doctor else 2)
    assert told in (done.stdout if is_doctor else done.stderr)


def test_what_can_t_make_a_token_file_isn_t_advised(project: Path) -> None:
    blocked = project / "file" / "token"
    blocked.parent.write_text("no folder")
    for file in (blocked, project / ("x" * 300)):
        done = run_cli("serve", "--token-file", str(file), cwd=project)
        assert done.returncode == 2
        assert str(file) in done.stderr
        assert "creates it" not in done.stderr


def test_one_problem_of_a_batch_is_told_once(project: Path) -> None:
    (project / "calls.json").write_text('{"tool": "get_symbol", "params": {}}')
    told = run_cli("batch", "calls.json", cwd=project).stderr
    assert told.count("There is no tool") == 1


def test_a_server_that_refuses_the_token_is_found_and_the_cure_told(project: Path) -> None:
    env = environment(UNITY_CLI_TOKEN="wrong-one")
    with RunningServer(cwd=project, UNITY_CLI_TOKEN="right-one") as running:
        for named in ((), ("--url", running.url)):
            call = ("tool", "call", "get_editor_state", *named)
            done = run_cli(*call, cwd=project, env=env)
            assert done.returncode == 3
            told = f"The program at {running.url} can't be used: it requires its bearer"
            assert told in done.stderr
            assert "Set UNITY_CLI_TOKEN to that token, or" in done.stderr
        doctor = run_cli("doctor", "--output", "json", cwd=project, env=env)
    checks = {each["name"]: each for each in json.loads(doctor.stdout)["checks"]}
    assert running.url in checks["server"]["summary"]
    assert "--port" not in checks["server"]["advice"]
    assert "UNITY_CLI_TOKEN" in checks["server"]["advice"]


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
