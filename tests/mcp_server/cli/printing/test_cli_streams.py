"""Pipes that close early, interrupts, and the progress of tests on a terminal."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from bundle_files import with_target, write_bundle
from running_server import (
    SCRIPT,
    TIMEOUT_S,
    UNITY_CLI,
    edit,
    environment,
    free_port,
    run_cli_process,
    run_process,
)
from this_system import needs_posix
from user_state import state_in

from mcp_server.cli.printing import prepare_streams

pytestmark = pytest.mark.anyio

Done = subprocess.CompletedProcess[str]


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_a_reader_that_has_enough(no_project: Path) -> None:
    command = f"'{UNITY_CLI}' tool schema --all --output json | head -c 5"
    done = run_process(["bash", "-c", command], no_project)
    assert (done.returncode, done.stdout, done.stderr) == (0, '{\n  "', "")


@pytest.mark.parametrize(
    ("road", "more"),
    [
        *((road, {}) for road in ("--json", "--params-file", "-", "batch")),
        ("--json", {"PYTHONUTF8": "0"}),
        ("-", {"PYTHONUTF8": "0"}),
        ("--json", {"PYTHONCOERCECLOCALE": "0"}),
        ("-", {"PYTHONCOERCECLOCALE": "0"}),
    ],
)
async def test_text_beyond_ascii_arrives_whole_under_the_c_locale(
    project: Path, road: str, more: dict[str, str]
) -> None:
    script = "Assets/Scripts/Größe.cs"
    (project / script).write_text('class Größe { string s = "日本 😀"; }\n', encoding="utf-8")
    anchor = {"type": "text", "target": "日本 😀"}
    instruction = {"operation": "replace", "anchor": anchor, "newText": "日本語"}
    request = {"path": script, "mode": "apply", "instructions": [instruction]}
    text = json.dumps(request, ensure_ascii=False)
    (project / "edit.json").write_text(text, encoding="utf-8")
    values = {"--json": ["--json", text], "--params-file": ["--params-file", "edit.json"]}
    command = ["tool", "call", "edit_snippet", *values.get(road, ["-"])]
    if road == "batch":
        command = ["batch", "-"]
        text = f'{{"tool": "edit_snippet", "params": {text}}}'
    if os.name == "posix":
        kept = {"PATH": os.environ["PATH"], "HOME": str(project), "LC_ALL": "C"}
    else:  # where it is the code page
        kept = {name: value for name, value in environment().items() if name != "PYTHONUTF8"}
    done = run_cli_process(
        *command, "--output", "json", cwd=project, stdin=text.encode(), env={**kept, **more}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    answer = json.loads(done.stdout)
    result = answer["results"][0]["result"] if road == "batch" else answer
    assert result["path"] == script
    assert '+class Größe { string s = "日本語"; }' in result["diff"]
    assert '"日本語"' in (project / script).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("asked", "printed"),
    [("", "Größe 日 \\udfff\n".encode()), ("cp1252", b"Gr\xf6\xdfe \\u65e5 \\udfff\r\n")],
)
def test_a_pipe_gets_utf8_and_line_feeds_whatever_windows_has_for_it(
    monkeypatch: pytest.MonkeyPatch, asked: str, printed: bytes
) -> None:
    """But the encoding that was asked for is kept."""
    pipe = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(pipe, encoding="cp1252", newline="\r\n"))
    monkeypatch.delenv("PYTHONIOENCODING", raising=False)
    if asked:
        monkeypatch.setenv("PYTHONIOENCODING", asked)
    prepare_streams(windows=True)
    print("Größe 日 \udfff", flush=True)
    assert pipe.getvalue() == printed


@needs_posix
async def test_an_argument_that_is_no_utf8_says_so(project: Path) -> None:
    done = run_cli_process(
        "tool", "call", "get_symbols", "--json", '{"path": "Assets/\udcf6.cs"}', cwd=project
    )
    assert done.returncode == 2
    assert done.stderr == "--json is not UTF-8 text (byte 17: 0xf6). Save it as UTF-8.\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is full")
def test_a_standard_output_that_is_full_is_told_in_a_line() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [UNITY_CLI, "tool", "list"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "can't be written to standard output" in done.stderr
    assert "done" not in done.stderr  # it changes nothing


def apply_to(project: Path, stdout: int, *, stderr: int = subprocess.PIPE, more: str = "") -> Done:
    """Three bundles, each building on the one before it, told to ``stdout``."""
    for number, name in enumerate("abc"):
        old, new = f"speed > {10 + number}", f"speed > {11 + number}"
        write_bundle(project / "edits", name, with_target(old, new))
    command = [UNITY_CLI, "apply", "edits", "--yes", *more.split()]
    return run_process(command, project, stdout=stdout, stderr=stderr)


def nobody() -> int:
    """The end of a pipe that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    return writer


def test_what_nobody_reads_is_no_bug(no_project: Path) -> None:
    gone = nobody()
    done = run_process([UNITY_CLI, "tool", "list"], no_project, stdout=gone)
    os.close(gone)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize("more", ["", "--output json"])
def test_what_is_applied_is_applied_whole_though_its_reader_has_gone(
    project: Path, more: str
) -> None:
    done = apply_to(project, nobody(), more=more)
    assert done.returncode == 0
    assert "3 bundles: 3 applied" in done.stderr
    assert "its reader has gone" in done.stderr
    assert b"speed > 13" in (project / SCRIPT).read_bytes()


def test_nobody_reads_what_went_wrong_either(project: Path) -> None:
    gone = nobody()
    assert apply_to(project, gone, stderr=gone).returncode == 0
    assert b"speed > 13" in (project / SCRIPT).read_bytes()
    assert apply_to(project, gone, stderr=gone).returncode == 1  # they don't fit any more


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is full")
def test_the_disk_of_the_log_is_full(project: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = apply_to(project, full.fileno())
        assert done.returncode == 0
        assert "edits/b.snippet.json: applied\n" in done.stderr
        undone = run_process([UNITY_CLI, "undo"], project, stdout=full)
    assert undone.returncode == 0
    assert "No space left" in undone.stderr
    assert "The command went on without it, and succeeded." in undone.stderr
    assert b"speed > 12" in (project / SCRIPT).read_bytes()


@pytest.mark.skipif(os.name != "posix", reason="closes a stream as POSIX shells do")
@pytest.mark.parametrize("arguments", ["tool list", "doctor"])
def test_a_standard_output_that_is_closed_is_no_failure(arguments: str) -> None:
    command = ["sh", "-c", f'"$0" {arguments} >&-', UNITY_CLI]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert "Failed unexpectedly" not in done.stderr
    if arguments != "doctor":  # which may find something
        assert (done.returncode, done.stderr) == (0, "")


def closed(redirected: str, *arguments: str, cwd: Path, home: Path | None = None) -> Done:
    """The command with some of its standard streams closed, or opened otherwise."""
    return run_process(
        ["sh", "-c", f'exec "$@" {redirected}', "sh", UNITY_CLI, *arguments],
        cwd,
        stdin=subprocess.DEVNULL,
        env=environment() if home is None else {**environment(), **state_in(home)},
    )


@needs_posix
def test_closed_streams_stop_no_work(project: Path, tmp_path: Path) -> None:
    call = ("tool", "call", "edit_snippet", "--json", json.dumps(edit("apply")))
    install = ("client", "install", "cursor", "--file", str(tmp_path / "mcp.json"))
    for arguments in (call, ("undo",), (*call, "--output", "json"), install):
        done = closed(">&-", *arguments, cwd=project)
        assert done.returncode == 0, arguments
        assert done.stderr == (
            "The result can't be written to standard output: it is closed.\n"
            "The command went on without it, and succeeded.\n"
        )
    assert closed(">&-", "undo", "--output", "json", cwd=project).returncode == 0
    done = closed(">&- 2>&- <&-", "undo", cwd=project)  # there is nothing left
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")


@needs_posix
def test_a_standard_output_that_only_can_be_read_is_told(project: Path) -> None:
    done = closed("1</dev/null", "tool", "list", cwd=project)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "The result can't be written to standard output: " in done.stderr
    work = ("tool", "call", "edit_snippet", "--json", json.dumps(edit("apply")))
    done = closed("1</dev/null", *work, cwd=project)
    assert done.returncode == 0
    assert "The command went on without it, and succeeded." in done.stderr


@needs_posix
@pytest.mark.parametrize(
    ("redirected", "why"),
    [
        ("<&-", "Standard input is closed."),
        (">&-", "Standard output is closed."),
        ("0>written", "Standard input can't be read: Bad file descriptor."),
    ],
)
def test_mcp_over_streams_that_are_none_ends_and_says_so(
    project: Path, tmp_path: Path, redirected: str, why: str
) -> None:
    done = closed(redirected, "mcp", cwd=project, home=tmp_path / "home")
    assert done.returncode == 2
    assert why in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is full")
def test_a_server_whose_announcement_is_lost_serves(project: Path) -> None:
    with (
        Path("/dev/full").open("wb") as full,
        subprocess.Popen(
            [UNITY_CLI, "serve", "--verbose", "--lsp", "off", "--port", str(free_port())],
            cwd=project,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
        ) as process,
    ):
        assert process.stderr is not None
        told = next(line for line in process.stderr if "not_announced" in line)
        assert "No space left" in told
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
    assert process.returncode == 0
    assert "Traceback" not in rest


@needs_posix
def test_an_interrupt_while_the_result_is_printed_begins_no_second_document(project: Path) -> None:
    names = "abcdefghijklmnopqrstuvwxyz"
    for name in names:
        made = f"class {name} {{ }}\n" + f"// {name * 60}\n" * 100
        change = {"path": f"Assets/{name}.cs", "create": made}
        write_bundle(project / "edits", name, {"mode": "apply", "changes": [change]})
    with subprocess.Popen(
        [UNITY_CLI, "--output", "json", "apply", "edits", "--yes"],
        cwd=project,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        env=environment(),
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        begin = process.stdout.read(1)  # more is on its way than a pipe holds
        process.send_signal(signal.SIGINT)
        process.wait(TIMEOUT_S)  # though nobody reads on
        rest, told = process.stdout.read(), process.stderr.read().decode()
    assert process.returncode == 130
    assert begin == b"{"
    assert not rest.endswith(b"}\n")
    assert b'"error"' not in rest
    assert "Interrupted. edits/a.snippet.json: applied; " in told
    assert "edits/z.snippet.json: applied." in told
