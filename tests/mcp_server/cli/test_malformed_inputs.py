"""Malformed input of every kind: a clear error, the right exit code, never a traceback.

Most of it runs in this process, so that there can be a lot of it. What could make a command wait
for ever, or needs a process of its own, is at the end.
"""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from file_rights import binds_rights, without_roots_rights
from running_server import SCRIPT, SOURCE, UNITY_CLI, edit, environment, run_python
from this_system import needs_posix
from transcript import run_here

from mcp_server.cli.params import MAX_BYTES

TIMEOUT_S = 180
MISSING = "does not exist|No such file"

PAYLOADS: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "empty"),
    "truncated object": (b'{"tool": "get_symbols", "params"', "a colon between"),
    "truncated array": (b'[{"a": 1},', "a value|a comma with nothing"),
    "truncated string": (b'{"path": "Assets/', "no closing quotation mark"),
    "bad escape": (b'{"path": "\\q"}', "begins no escape"),
    "no quotes": (b"{path: 1}", "a key in double quotation marks is missing"),
    "trailing comma": (b'{"path": "x",}', "a comma with nothing after it"),
    "comment": (b'{"path": "x" /* here */}', "a comma or a closing bracket is missing"),
    "python": (b"True", "a value"),
    "control character": (b'{"path": "a\nb"}', "a line break inside of a text"),
    "nul bytes": (b"\x00\x00\x00\x00", "a value"),
    "latin-1": (b'{"path": "\xe9"}', "not UTF-8 text .byte 10"),
    "utf-16 without a mark": (
        '{"path": "x"}'.encode("utf-16le"),
        "not UTF-8 text .it is UTF-16|a key in ",
    ),
    "utf-16": ('{"path": "x"}'.encode("utf-16"), "not UTF-8 text .(byte 0|it is UTF-16)"),
    "overlong utf-8": (b'{"path": "\xc0\xaf"}', "not UTF-8 text .byte 10"),
    "number": (b"5", "got 5|got the number 5|neither an array nor lines"),
    "nan": (b"NaN", "finite|no JSON value|got NaN|neither an array nor lines"),
    "null": (b"null", "got null|neither an array nor lines"),
    "true": (b"true", "got true|neither an array nor lines"),
    "array of numbers": (b"[1, 2, 3]", "must be an object"),
    "empty object": (b"{}", "is required"),
    "unknown keys only": (b'{"": 1, "\\u0000": 2}', "unknown key"),
    "lone surrogate": (b'{"path": "\\ud800", "tool": "\\udfff"}', "half of a surrogate pair"),
    "deep arrays": (b"[" * 200_000, "nested too deeply"),
    "deep but readable": (b'{"path":' * 300 + b"1" + b"}" * 300, "deeper than 100|is required"),
    "a huge number": (b'{"path": ' + b"9" * 5000 + b"}", "limit .4300 digits"),
    "a long key": (b'{"' + b"k" * 1_000_000 + b'": 1}', "unknown key"),
    "many keys": (
        json.dumps({f"k{n}": n for n in range(20_000)}).encode(),
        "unknown key|is required",
    ),
}


@pytest.fixture
def here(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project, as the working folder of a command that has no server to talk to."""
    monkeypatch.chdir(project)
    monkeypatch.setenv("COLUMNS", "80")
    for variable in ("UNITY_CLI_URL", "UNITY_CLI_TOKEN", "UNITY_CLI_LSP"):
        monkeypatch.delenv(variable, raising=False)
    return project


class Refusing:
    """Runs a command as text and as JSON, and sees that it refuses as it should."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    def __call__(self, *arguments: str, stdin: bytes = b"", code: int = 2, said: str) -> Any:
        """The JSON document, which both say ``said`` (a pattern) in."""
        self._give(stdin)
        ended, out, err = run_here(self._capsys, *arguments)
        shown = out + err
        assert ended == code, shown[:2000]
        assert "Traceback" not in shown
        assert re.search(said, shown), shown[:2000]
        assert not out or code == 1, out[:2000]
        self._give(stdin)
        ended, out, err = run_here(self._capsys, "--output", "json", *arguments)
        assert ended == code
        assert err == ""
        document = json.loads(out)
        told = [document["error"]] if "error" in document else document["findings"]
        assert told
        for each in told:
            assert each["code"]
            assert 0 < len(each["message"]) <= 200
        return document

    def _give(self, stdin: bytes) -> None:
        self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))


@pytest.fixture
def refusing(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Refusing:
    return Refusing(capsys, monkeypatch)


# -- what is no JSON, or not the right JSON ------------------------------------------------


@pytest.mark.parametrize("name", PAYLOADS)
def test_parameters_on_standard_input(refusing: Refusing, name: str) -> None:
    data, said = PAYLOADS[name]
    found = refusing("tool", "call", "get_symbols", "-", stdin=data, said=said)
    assert found["error"]["details"]["execution_guarantee"] == "not_executed"


@pytest.mark.parametrize("name", PAYLOADS)
def test_a_batch_in_a_file(refusing: Refusing, here: Path, name: str) -> None:
    data, said = PAYLOADS[name]
    (here / "batch.json").write_bytes(data)
    found = refusing("batch", "batch.json", said=said)
    assert found["error"]["details"]["execution_guarantee"] == "not_executed"


@pytest.mark.parametrize("name", PAYLOADS)
def test_a_bundle(refusing: Refusing, here: Path, name: str) -> None:
    data, said = PAYLOADS[name]
    (here / "a.snippet.json").write_bytes(data)
    found = refusing("lint", "a.snippet.json", code=1, said=said)
    assert {f["code"] for f in found["findings"]} <= {"invalid_json", "invalid_request"}
    assert all(f["line"] >= 1 and f["column"] >= 1 for f in found["findings"])


def test_more_than_is_read(refusing: Refusing, here: Path) -> None:
    huge = b" " * (MAX_BYTES + 1)
    (here / "a.snippet.json").write_bytes(huge)
    refusing("tool", "call", "get_symbols", "-", stdin=huge, said="more than 4,194,304 bytes")
    refusing(
        "tool", "call", "get_symbols", "--params-file", "a.snippet.json", said="more than 4,194,304"
    )
    refusing("lint", "a.snippet.json", code=1, said="more than 4,194,304 bytes")


def test_more_than_a_batch_may_have(
    refusing: Refusing, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mcp_server.cli.commands.batch_command.MAX_BYTES", 1000)
    refusing("batch", "-", stdin=b" " * 1001, said="standard input has more than 1,000 bytes")


# -- tools and parameters ------------------------------------------------------------------


@pytest.mark.parametrize(
    "tool",
    ["", " ", "EDIT_SNIPPET", "edit_snippet ", "../x", "x" * 10_000, "\u0000", "速度", "rm -rf"],
)
def test_unknown_tools(refusing: Refusing, tool: str) -> None:
    item = json.dumps([{"tool": tool, "params": {}}]).encode()
    found = refusing("batch", "-", stdin=item, said="There is no tool")
    assert found["error"]["details"]["problems"][0]["code"] == "ERR_UNKNOWN_COMMAND"
    if "\u0000" not in tool:  # which no argument can hold
        call = refusing("tool", "call", "--", tool, said="There is no tool")
        assert call["error"]["code"] == "ERR_UNKNOWN_COMMAND"


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("edit_snippet", {**edit(), "mode": "aply"}, "$.mode must be one of"),
    ("edit_snippet", {**edit(), "path": 5}, "$.path must be a string"),
    ("edit_snippet", {**edit(), "path": ""}, "$.path must not be empty"),
    ("edit_snippet", {**edit(), "instructions": {}}, "$.instructions must be an array"),
    ("edit_snippet", {**edit(), "instructions": [[]]}, "$.instructions[0] must be an object"),
    ("edit_snippet", {**edit(), "instructions": [{}] * 11}, "at most 10 items"),
    ("edit_snippet", {**edit(), "instructions": "[{}]"}, "send the JSON itself"),
    ("edit_snippet", {**edit(), "expectedHash": "md5:0"}, "$.expectedHash must be a hash"),
    ("edit_snippet", {**edit(), "include": "workspaceEdit"}, "$.include must be an array"),
    ("edit_snippet", {**edit(), "client_request_id": "x" * 201}, "at most 200 characters"),
    ("edit_snippet", {**edit(), "preview": "true"}, "$.preview is an unknown key"),
    ("get_symbols", {"path": SCRIPT, "timeout_ms": 0}, "must be at least 1"),
    ("get_symbols", {"path": SCRIPT, "timeout_ms": 10**30}, "must be at most"),
    ("get_symbols", {"path": SCRIPT, "timeout_ms": "1"}, "must be an integer"),
    (
        "undo_snippet",
        {},
        ("$.path is required: or only the changeId of an edit_scripts; get_history lists it"),
    ),
    ("read_console", {"max_entries": 1.5}, "$.max_entries must be an integer"),
    ("run_tests", {"mode": "unit"}, "$.mode must be one of"),
    ("cancel_job", {"job_id": 7}, "$.job_id must be a string"),
    ("control_play_mode", {"action": None}, "$.action must be one of"),
    ("get_editor_state", {"verbose": True}, "$.verbose is an unknown key"),
]


@pytest.mark.parametrize(("tool", "params", "said"), WRONG)
def test_wrong_parameters(
    refusing: Refusing, here: Path, tool: str, params: dict[str, Any], said: str
) -> None:
    text = json.dumps(params)
    call = refusing("tool", "call", tool, "--json", text, said=re.escape(said))
    assert call["error"]["code"] == "ERR_INVALID_PARAMS"
    dry = refusing("--dry-run", "tool", "call", tool, "--json", text, said=re.escape(said))
    assert dry == call
    items = [{"tool": "edit_snippet", "params": edit("apply")}, {"tool": tool, "params": params}]
    in_batch = re.escape(said.replace("$.", "$[1].params."))
    refusing("batch", "-", stdin=json.dumps(items).encode(), said=in_batch)
    if tool == "edit_snippet":
        (here / "a.snippet.json").write_text(text)
        in_lint = re.escape(said).replace(r"\ ", r":?\ ")
        refusing("lint", "a.snippet.json", code=1, said=in_lint)
    assert (here / SCRIPT).read_bytes() == SOURCE


# -- files that can't be read --------------------------------------------------------------

FILE_COMMANDS = {
    "tool call": ("tool", "call", "get_symbols", "--params-file"),
    "batch": ("batch",),
    "lint": ("lint",),
}


@pytest.mark.parametrize("command", FILE_COMMANDS)
@pytest.mark.parametrize("name", ["nowhere", "no/such/folder/x.json", "a\nb", "x" * 300])
def test_files_that_are_not_there(refusing: Refusing, command: str, name: str) -> None:
    # "Invalid argument" is what Windows says of a name that it can't have.
    refusing(*FILE_COMMANDS[command], name, said=MISSING + "|File name too long|Invalid argument")


@pytest.mark.parametrize("command", ["tool call", "batch"])
def test_a_folder_is_no_file(refusing: Refusing, command: str) -> None:
    refusing(*FILE_COMMANDS[command], "Assets", said="is a folder")


@pytest.mark.parametrize("command", FILE_COMMANDS)
def test_a_project_that_is_none(refusing: Refusing, here: Path, command: str) -> None:
    (here / "x.snippet.json").write_text(json.dumps(edit()))
    arguments = {
        "tool call": ("tool", "call", "edit_snippet", "--params-file", "x.snippet.json"),
        "lint": ("lint", "x.snippet.json"),
    }.get(command)
    for project in ("nowhere", "Assets", SCRIPT):
        if arguments is not None:
            refusing("--project", project, *arguments, said="--project")


# -- what could wait for ever, or needs a process ------------------------------------------


def run(*arguments: str, cwd: Path, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [UNITY_CLI, *arguments],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
        env=environment(),
        **more,
    )


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no FIFOs and devices in folders")
@pytest.mark.parametrize("command", ["tool call", "batch"])
@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("fifo", "is a pipe without a writer|is not a regular file"),
        ("/dev/zero", "has more than|is not a regular file"),
        ("/dev/null", "is empty|is not a regular file"),
        ("socket", "No such device or address|is not a regular file"),
    ],
)
def test_what_is_no_regular_file_is_not_waited_for(
    project: Path, command: str, kind: str, said: str
) -> None:
    import socket

    path = project / "a.snippet.json"
    listener = socket.socket(socket.AF_UNIX)
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "socket":
        os.chdir(project)  # a socket's address must be short
        listener.bind(path.name)
    else:
        path.symlink_to(kind)
    done = run(*FILE_COMMANDS[command], path.name, "--output", "json", cwd=project)
    listener.close()
    assert done.stderr == ""
    document = json.loads(done.stdout)
    assert re.search(said, document["error"]["message"]), document
    assert done.returncode == 2


@pytest.mark.skipif(sys.platform == "win32", reason="Windows shells have no process substitution")
def test_a_pipe_that_somebody_writes_to_is_read(project: Path) -> None:
    script = f"sleep 0.2; printf '%s' '{json.dumps({'path': SCRIPT})}'"
    read_end, write_end = os.pipe()
    with subprocess.Popen(["sh", "-c", script], stdout=write_end):
        os.close(write_end)
        arguments = (*FILE_COMMANDS["tool call"], f"/dev/fd/{read_end}")
        done = run(*arguments, cwd=project, pass_fds=[read_end])
        os.close(read_end)
    assert done.returncode == 0, done.stderr


@binds_rights
@pytest.mark.parametrize("command", [*FILE_COMMANDS, "lint folder", "script"])
def test_permission_denied(project: Path, command: str) -> None:
    path = project / "edits" / "a.snippet.json"
    path.parent.mkdir()
    path.write_text(json.dumps(edit()))
    arguments = (*FILE_COMMANDS.get(command, ("lint",)), "edits/a.snippet.json")
    closed = path
    if command == "lint folder":
        arguments, closed = ("lint", "edits"), path.parent
    elif command == "script":
        closed = project / "Assets"
    closed.chmod(0)
    try:
        done = run(*arguments, "--output", "json", cwd=project, preexec_fn=without_roots_rights)
    finally:
        closed.chmod(0o755)
    assert done.stderr == ""
    assert "Permission denied" in done.stdout
    assert done.returncode == (2 if command in ("tool call", "batch") else 1)


@needs_posix  # elsewhere ``exec`` is another process, and whoever started it isn't told of its end
def test_a_closed_standard_input(project: Path) -> None:
    closing = "import os, sys; os.close(0); os.execv(sys.argv[1], sys.argv[1:])"
    for command in (("tool", "call", "get_symbols", "-"), ("batch", "-"), ("batch",)):
        done = run_python(closing, UNITY_CLI, *command, "--output", "json", cwd=project)
        assert done.returncode == 2, done.stderr
        assert json.loads(done.stdout)["error"]["code"] == "ERR_INVALID_REQUEST"
        assert "Traceback" not in done.stderr
