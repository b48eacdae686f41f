"""``unity-cli tool …`` as a real process: what is printed where, and the exit codes."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import jsonschema
import pytest
from running_server import (
    SCRIPT,
    SOURCE,
    TIMEOUT_S,
    UNITY_CLI,
    document,
    edit,
    environment,
    run_cli,
    run_cli_process,
)
from terminal import run_on_terminal
from this_system import needs_posix

from mcp_server.contract.catalog import CATALOG

EDITED = SOURCE.replace(b"speed > 10", b"speed > 20")


def call(project: Path, tool: str, params: Any, *options: str, **process: Any) -> Any:
    return run_cli("tool", "call", tool, "--json", json.dumps(params), *options, cwd=project)


def error(done: Any, code: int = 2) -> dict[str, Any]:
    assert done.returncode == code
    found: dict[str, Any] = document(done)["error"]
    return found


# -- list and schema -----------------------------------------------------------------------


def test_list(no_project: Path) -> None:
    done = run_cli("tool", "list", cwd=no_project)
    assert (done.returncode, done.stdout.splitlines(), done.stderr) == (0, list(CATALOG), "")
    assert document(run_cli("tool", "list", "--output", "json", cwd=no_project)) == list(CATALOG)


@pytest.mark.parametrize("command", [("list", "-v"), ("schema",)])
def test_a_line_for_each_tool(no_project: Path, command: tuple[str, ...]) -> None:
    lines = run_cli("tool", *command, cwd=no_project).stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(CATALOG)
    assert "check_project        Does the project compile?" in lines
    assert all(
        len(line) <= 85 and CATALOG[line.split()[0]].description.startswith(line[21:])
        for line in lines
    )


def test_schema(no_project: Path) -> None:
    everything = document(run_cli("tool", "schema", "--all", cwd=no_project))
    assert document(run_cli("tool", "schema", "--output", "json", cwd=no_project)) == everything
    assert list(everything) == ["tools"]
    assert [spec["name"] for spec in everything["tools"]] == list(CATALOG)
    one = document(run_cli("tool", "schema", "edit_snippet", cwd=no_project))
    assert one == everything["tools"][0]
    for spec in everything["tools"]:
        tool = CATALOG[spec["name"]]
        assert spec["params_schema"] == tool.input_schema
        assert spec["response_schema"] == tool.answer_schema


# -- calls ---------------------------------------------------------------------------------


def test_preview_apply_undo_as_json(project: Path) -> None:
    preview = document(call(project, "edit_snippet", edit(), "--output", "json"))
    jsonschema.validate(preview, dict(CATALOG["edit_snippet"].output_schema))
    assert preview["status"] == "previewed"
    assert (project / SCRIPT).read_bytes() == SOURCE
    applied = document(call(project, "edit_snippet", edit("apply"), "--output", "json"))
    assert applied["hashAfter"] == preview["hashAfter"]
    assert (project / SCRIPT).read_bytes() == EDITED
    undo = {"path": SCRIPT, "hashAfter": applied["hashAfter"]}
    undone = document(call(project, "undo_snippet", undo, "--output", "json"))
    assert undone["status"] == "undone"
    assert (project / SCRIPT).read_bytes() == SOURCE


def test_people_see_the_whole_diff(project: Path) -> None:
    fields = [f"    public int field{number} = {number};" for number in range(100)]
    text = "\n".join(["class Fields", "{", *fields, "}", ""])
    (project / SCRIPT).write_text(text, encoding="utf-8")
    request = edit()
    request["instructions"] = [
        {
            "operation": "replace",
            "anchor": {"type": "text", "target": f"field{number} = {number}"},
            "newText": f"field{number} = -1",
        }
        for number in range(5, 100, 10)
    ]
    done = call(project, "edit_snippet", request)
    diff = document(call(project, "edit_snippet", request, "--output", "json"))["diff"]
    assert len(diff) > 1000
    assert done.stdout.endswith(diff.rstrip("\n") + "\n")


@needs_posix
@pytest.mark.parametrize("no_color", [{}, {"NO_COLOR": "1"}])
def test_colour_on_a_terminal(project: Path, no_color: dict[str, str]) -> None:
    call = ("tool", "call", "edit_snippet", "--json", json.dumps(edit()))
    _, shown, _ = run_on_terminal(*call, cwd=project, **no_color)
    assert "+        if (speed > 20)" in shown
    assert ("\x1b[32m+" in shown) is ("\x1b" in shown) is (not no_color)


CTRL_BREAK = (
    "import signal; signal.SIGBREAK = signal.SIGUSR1; from mcp_server.cli import main; main()"
)
"""The command where a signal of ours stands in for the one of Windows."""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals to interrupt with")
@pytest.mark.parametrize(
    ("command", "number"),
    [([UNITY_CLI], "SIGINT"), ([sys.executable, "-c", CTRL_BREAK], "SIGUSR1")],
    ids=["Ctrl-C", "Ctrl-Break"],
)
def test_an_interrupted_call(project: Path, command: list[str], number: str) -> None:
    process = subprocess.Popen(
        [*command, "tool", "call", "get_symbols", "-", "--output", "json"],
        cwd=project,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    assert process.stdin is not None
    process.stdin.write(b" " * 1_000_000)  # more than a pipe holds: now it is reading
    process.send_signal(getattr(signal, number))
    stdout, _ = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 130
    assert json.loads(stdout)["error"]["message"] == "Interrupted."


def test_params_from_a_file_on_windows(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It knows no opening without waiting, and refuses to have that changed of a file."""

    def refused(*_: object) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.delattr(os, "O_NONBLOCK", raising=False)
    monkeypatch.setattr(os, "set_blocking", refused)
    (project / "params.json").write_text(json.dumps({"path": SCRIPT}))
    done = run_cli("tool", "call", "get_symbols", "--params-file", "params.json", cwd=project)
    assert done.returncode == 0, done.stderr


def test_params_from_a_file_and_from_standard_input(project: Path) -> None:
    text = json.dumps({"path": SCRIPT}).encode()
    (project / "params.json").write_bytes(b"\xef\xbb\xbf" + text)  # as Windows editors write it
    by_file = run_cli("tool", "call", "get_symbols", "--params-file", "params.json", cwd=project)
    by_stdin = run_cli("tool", "call", "get_symbols", "-", cwd=project, stdin=text)
    by_argument = run_cli("tool", "call", "get_symbols", "--json", text.decode(), cwd=project)
    assert by_file.returncode == 0, by_file.stderr
    assert by_file.stdout == by_stdin.stdout == by_argument.stdout
    assert "  Update() method" in by_file.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["tool", "call", "get_symbols", "--output", "json", "--project", "PROJECT", "-"],
        ["--output", "json", "--project", "PROJECT", "tool", "call", "get_symbols", "-"],
        ["--output=json", "tool", "--project=PROJECT", "call", "get_symbols", "-"],
        ["--output=text", "--project=no", "tool", "call", "get_symbols", "-",
         "--output=json", "--project=PROJECT"],
    ],
)  # fmt: skip
def test_global_options_anywhere(project: Path, no_project: Path, arguments: list[str]) -> None:
    filled = [argument.replace("PROJECT", str(project)) for argument in arguments]
    done = run_cli(*filled, cwd=no_project, stdin=json.dumps({"path": SCRIPT}).encode())
    assert document(done)["path"] == SCRIPT


def test_the_nearest_project_upward_is_used(project: Path) -> None:
    done = call(project / "Assets" / "Scripts", "validate_script", {"path": SCRIPT})
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{SCRIPT}: no errors")


@pytest.mark.parametrize("options", [[], ["--output", "json"]])
def test_a_script_with_errors_is_something_found(project: Path, options: list[str]) -> None:
    (project / "Assets/Broken.cs").write_text("class Broken {\n")
    done = call(project, "validate_script", {"path": "Assets/Broken.cs"}, *options)
    assert (done.returncode, done.stderr) == (1, "")
    assert "brackets" in done.stdout


def test_an_engine_refusal(project: Path) -> None:
    request = edit("apply", expectedHash="sha256:" + "0" * 64)
    found = error(call(project, "edit_snippet", request, "--output", "json"), code=1)
    assert found["code"] == "ERR_SNIPPET"
    assert found["retryable"] is True
    assert found["details"]["code"] == "stale_file"
    done = call(project, "edit_snippet", request)
    assert (done.returncode, done.stdout) == (1, "")
    refusal, *offers = done.stderr.splitlines()
    assert refusal.startswith("stale_file")
    assert [offer.split(" ")[:2] for offer in offers] == [["offer", "1"]]
    assert (project / SCRIPT).read_bytes() == SOURCE


def test_no_project(no_project: Path) -> None:
    found = error(call(no_project, "get_symbols", {"path": SCRIPT}, "--output", "json"))
    assert found["code"] == "ERR_CONFIG_VALIDATION"
    missing = call(no_project, "get_symbols", {"path": SCRIPT}, "--project", "nowhere")
    assert missing.returncode == 2
    assert missing.stderr.startswith("ERR_CONFIG_VALIDATION: --project")


# -- wrong parameters ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["tool", "call"], "Missing argument 'TOOL'"),
        (["tool", "call", "get_symbols", "x"], "Unexpected 'x'"),
        (["tool", "call", "get_symbols", "-", "--json", "{}"], "Give the parameters once"),
        (["tool", "lst"], "No such command 'lst'"),
        (["tool", "list", "--nope"], "No such option '--nope'"),
        (["--output", "xml", "tool", "list"], "'xml' is not one of 'text', 'json'"),
        (["--timeout", "0", "tool", "list"], "0"),
        (["tool", "call", "get_symbols", "--json"], "requires an argument"),
    ],
)
def test_wrong_usage(no_project: Path, arguments: list[str], said: str) -> None:
    done = run_cli(*arguments, cwd=no_project)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    if "xml" not in arguments:
        found = error(run_cli("--output", "json", *arguments, cwd=no_project))
        assert found["code"] == "ERR_INVALID_REQUEST"
        assert said in found["message"]


# -- timeout -------------------------------------------------------------------------------


def test_timeout_is_the_calls_timeout(project: Path) -> None:
    request = {"path": SCRIPT}
    # 30 is the tool's most; one option is for calls of many tools.
    for given in ("29.5", "31"):
        in_time = call(project, "get_symbols", request, "--timeout", given)
        assert in_time.returncode == 0, in_time.stderr
    mine = {**request, "timeout_ms": 31000}
    late = call(project, "get_symbols", mine, "--timeout", "1", "--output", "json")
    (problem,) = error(late)["details"]["details"]["problems"]
    assert problem["message"] == "must be at most 30000 (got 31000)"


# -- dry run -------------------------------------------------------------------------------


def test_dry_run_of_an_apply_is_its_preview(project: Path) -> None:
    request = edit("apply", client_request_id="x")
    before = sorted(project.rglob("*"))
    done = document(call(project, "edit_snippet", request, "--dry-run", "--output", "json"))
    preview = done.pop("preview")
    assert done == {
        "dry_run": True,
        "executed": False,
        "tool": "edit_snippet",
        "params": request,
        "reason": "mutating_tool_blocked_by_dry_run",
    }
    plain = document(call(project, "edit_snippet", edit(), "--output", "json"))
    for result in (preview, plain):
        result["validation"].pop("durationMs")
    assert preview == plain
    assert (project / SCRIPT).read_bytes() == SOURCE
    assert sorted(project.rglob("*")) == before
    text = call(project, "edit_snippet", request, "--dry-run").stdout
    assert text.startswith("dry run: edit_snippet was not executed\npreviewed ")


def test_dry_run_of_what_changes_nothing_is_the_call(project: Path) -> None:
    for tool, params in (("get_symbols", {"path": SCRIPT}), ("edit_snippet", edit())):
        run = call(project, tool, params, "--dry-run", "--output", "json")
        assert run.returncode == 0
        assert "dry_run" not in document(run)


# -- terminals, streams, options -------------------------------------------------------------


def test_output_survives_a_stream_that_cannot_show_it(project: Path) -> None:
    source = SOURCE.decode().replace("speed = 10", 'speed = 10; // "速度"')
    (project / SCRIPT).write_text(source, encoding="utf-8", newline="")
    env = environment(PYTHONIOENCODING="ascii")
    text = json.dumps(edit()).encode()
    done = run_cli_process("tool", "call", "edit_snippet", "-", cwd=project, stdin=text, env=env)
    assert done.returncode == 0, done.stderr
    assert "previewed" in done.stdout


def test_a_global_option_is_taken_where_it_means_nothing(no_project: Path) -> None:
    done = run_cli("tool", "list", "--dry-run", "--url", "http://127.0.0.1:1/mcp", cwd=no_project)
    assert (done.returncode, done.stderr) == (0, "")


# -- something else on the port ------------------------------------------------------------


class _Elsewhere(BaseHTTPRequestHandler):
    """A web server that knows nothing of MCP."""

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.parametrize("folder", ["project", "no_project"])
def test_another_program_on_the_port_is_told_with_what_to_do(
    request: pytest.FixtureRequest, folder: str
) -> None:
    """From within a project it is asked first which one it serves."""
    cwd: Path = request.getfixturevalue(folder)
    with HTTPServer(("127.0.0.1", 0), _Elsewhere) as other:
        thread = Thread(target=other.serve_forever)
        thread.start()
        try:
            url = f"http://127.0.0.1:{other.server_port}"
            done = run_cli("tool", "call", "get_editor_state", "--url", url, cwd=cwd)
        finally:
            other.shutdown()
            thread.join()
    assert done.returncode == 3
    assert f"The program at {url}/mcp can't be used: a program other than" in done.stderr
    assert "unity-cli serve answers there. End that program, or" in done.stderr
