"""``unity-cli batch`` as a real process, with script tools and a real server's."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fake_editor import FakeEditor
from running_server import (
    SCRIPT,
    SOURCE,
    TIMEOUT_S,
    UNITY_CLI,
    RunningServer,
    document,
    edit,
    environment,
    free_port,
    new_script_and_edit,
    run_cli,
    run_process,
    run_python,
)
from terminal import run_on_terminal
from this_system import needs_posix

SYMBOLS = {"tool": "get_symbols", "params": {"path": SCRIPT}, "id": "outline"}
APPLY = {"tool": "edit_snippet", "params": edit("apply")}
STALE = {"tool": "edit_snippet", "params": edit("apply", expectedHash="sha256:" + "0" * 64)}


def batch(
    cwd: Path, items: Any, *options: str, url: str | None = None
) -> subprocess.CompletedProcess[str]:
    text = items if isinstance(items, bytes) else json.dumps(items).encode()
    server = ["--url", url] if url else []
    return run_cli(*server, "batch", "-", *options, cwd=cwd, stdin=text)


def test_a_file_an_array_lines_and_standard_input_do_the_same(project: Path) -> None:
    items = [SYMBOLS, {"tool": "validate_script", "params": {"path": SCRIPT}}]
    lines = "".join(json.dumps(item) + "\n" for item in items)
    (project / "items.json").write_text(json.dumps(items))
    (project / "items.jsonl").write_text(lines)
    done = [
        run_cli("batch", "items.json", cwd=project),
        run_cli("batch", "items.jsonl", cwd=project),
        run_cli("batch", cwd=project, stdin=lines.encode()),
        batch(project, items),
    ]
    assert [each.returncode for each in done] == [0] * 4
    assert len({each.stdout for each in done}) == 1
    assert done[0].stdout.startswith("[1/2] get_symbols (id outline): ok\n")
    assert done[0].stdout.endswith("\n2 items: 2 succeeded\n")


def test_a_script_with_errors_fails_its_item(project: Path) -> None:
    (project / "Assets/Broken.cs").write_text("class Broken {\n")
    item = {"tool": "validate_script", "params": {"path": "Assets/Broken.cs"}}
    done = batch(project, [item, SYMBOLS], "--output", "json")
    (broken, good) = document(done)["results"]
    assert (done.returncode, broken["ok"], good["ok"]) == (1, False, True)
    assert broken["error"]["message"] == "validate_script: the script has errors."
    assert broken["result"]["valid"] is False


def test_results_per_item_and_the_exit_code(project: Path) -> None:
    done = batch(project, [SYMBOLS, STALE, APPLY], "--output", "json")
    assert done.returncode == 1
    found = document(done)
    assert [(r["index"], r["tool"], r["ok"]) for r in found["results"]] == [
        (0, "get_symbols", True),
        (1, "edit_snippet", False),
        (2, "edit_snippet", True),
    ]
    assert found["results"][0]["id"] == "outline"
    assert found["results"][1]["error"]["details"]["code"] == "stale_file"
    assert found["results"][2]["result"]["status"] == "applied"
    assert (project / SCRIPT).read_bytes() != SOURCE
    assert batch(project, [SYMBOLS], "--output", "json").returncode == 0


def test_one_invalid_item_keeps_all_from_running(project: Path) -> None:
    bad = {"tool": "edit_snipet", "params": {}}
    worse = {"tool": "edit_snippet", "params": {"path": SCRIPT}}
    for options in ([], ["--dry-run"], ["--stop-on-error"]):
        done = batch(project, [APPLY, bad, worse], *options)
        assert (done.returncode, done.stdout) == (2, "")
        assert "nothing was executed" in done.stderr
    found = document(batch(project, [APPLY, bad, worse], "--output", "json"))["error"]
    assert found["code"] == "ERR_INVALID_PARAMS"
    assert [problem["index"] for problem in found["details"]["problems"]] == [1, 2, 2]
    assert (project / SCRIPT).read_bytes() == SOURCE


def test_a_dry_run_skips_what_changes_things(project: Path) -> None:
    undo = {"tool": "undo_snippet", "params": {"path": SCRIPT, "hashAfter": "sha256:" + "0" * 64}}
    before = sorted(project.rglob("*"))
    done = batch(project, [SYMBOLS, APPLY, undo], "--dry-run", "--output", "json")
    assert done.returncode == 0
    symbols, held, undone = document(done)["results"]
    assert symbols["ok"] is True
    assert "skipped" not in symbols
    assert (held["ok"], held["skipped"]) == (True, True)
    assert held["result"]["preview"]["status"] == "previewed"
    assert (undone["ok"], undone["skipped"]) == (True, True)
    assert "preview" not in undone["result"]
    assert sorted(project.rglob("*")) == before
    refused = batch(project, [STALE], "--dry-run", "--output", "json")
    assert refused.returncode == 1
    (result,) = document(refused)["results"]
    assert (result["ok"], result["skipped"]) == (False, True)
    assert result["error"]["details"]["code"] == "stale_file"


def test_no_project_and_no_server_fail_items_only(no_project: Path) -> None:
    url = f"http://127.0.0.1:{free_port()}/mcp"
    console = {"tool": "read_console", "params": {}}
    done = batch(no_project, [SYMBOLS, console], "--output", "json", url=url)
    assert done.returncode == 1
    codes = [result["error"]["code"] for result in document(done)["results"]]
    assert codes == ["ERR_CONFIG_VALIDATION", "ERR_UNITY_DISCONNECTED"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
def test_progress_on_a_terminal(project: Path) -> None:
    (project / "items.json").write_text(json.dumps([SYMBOLS] * 20))
    call = ("batch", "items.json", "--output", "json")
    code, shown, stdout = run_on_terminal(*call, cwd=project, stdout_too=False)
    assert code == 0
    assert "20/20" in shown
    assert stdout is not None
    assert json.loads(stdout)["succeeded"] == 20


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
def test_results_on_a_terminal_are_the_progress(project: Path) -> None:
    (project / "items.json").write_text(json.dumps([SYMBOLS, STALE]))
    code, shown, _ = run_on_terminal("batch", "items.json", cwd=project)
    assert code == 1
    assert "\x1b[32m[1/2] get_symbols (id outline): ok" in shown
    assert "\x1b[31m[2/2] edit_snippet: failed" in shown
    assert "2/2\x1b" not in shown  # no bar between them


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
def test_a_terminal_as_input_is_not_waited_for(project: Path) -> None:
    import pty

    ours, theirs = pty.openpty()
    try:
        done = run_process([UNITY_CLI, "batch"], project, stdin=theirs)
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.returncode == 2
    assert "Give a FILE, or - to read" in done.stderr


# -- with a server and an Editor -----------------------------------------------------------


@pytest.mark.anyio
async def test_script_tools_and_editor_tools_in_one_batch(
    served: RunningServer, editor: FakeEditor, project: Path
) -> None:
    editor.console = [{"type": "error", "message": "CS0103", "stack_trace": ""}]
    items = [
        {"tool": "read_console", "params": {}, "id": 1},
        APPLY,
        {"tool": "control_play_mode", "params": {"action": "pause"}},
        {"tool": "run_tests", "params": {}},
        {"tool": "get_editor_state", "params": {}},
    ]
    running = asyncio.create_task(
        asyncio.to_thread(batch, project, items, "--output", "json", url=served.url)
    )
    await editor.received("get_job_status")
    (job,) = editor.jobs.values()
    summary = {"total": 1, "passed": 0, "failed": 1, "skipped": 0, "duration_ms": 1}
    failed = [{"name": "A.B", "message": "expected 1", "stack_trace": ""}]
    job.finish(result={"summary": summary, "failed_tests": failed})
    done = await running
    assert done.returncode == 1
    console, applied, paused, tests, state = document(done)["results"]
    assert console["result"]["entries"] == editor.console
    assert applied["result"]["status"] == "applied"
    assert paused["error"]["code"] == "ERR_UNITY_EXECUTION"
    assert (tests["ok"], tests["error"]["message"]) == (False, "run_tests: 1 test failed.")
    assert tests["result"]["result"]["failed_tests"] == failed
    assert state["result"]["connected"] is True


@pytest.mark.anyio
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals to interrupt with")
async def test_an_interrupt_cancels_the_job_and_tells_what_has_run(
    served: RunningServer, editor: FakeEditor, project: Path
) -> None:
    items = [APPLY, {"tool": "run_tests", "params": {}}, SYMBOLS]
    (project / "items.json").write_text(json.dumps(items))
    with subprocess.Popen(
        [UNITY_CLI, "--url", served.url, "--output", "json", "batch", "items.json"],
        cwd=project,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as process:
        await editor.received("submit_job")
        (job_id,) = editor.jobs
        await asyncio.to_thread(served.wait_until_asked, job_id)
        process.send_signal(signal.SIGINT)
        frame = await editor.received("cancel")
        stdout, stderr = await asyncio.to_thread(process.communicate, None, TIMEOUT_S)
    assert process.returncode == 130, stderr
    found = json.loads(stdout)
    assert (found["interrupted"], found["not_run"]) == (True, 1)
    applied, tests = found["results"]
    assert applied["result"]["status"] == "applied"
    assert tests["error"]["message"].startswith(f"Interrupted. The job {job_id} (run_tests) was ")
    assert editor.jobs[frame["target_job_id"]].state == "cancelled"


SET = new_script_and_edit("Assets/New/Made.cs")
SECOND = {"mode": "apply", "changes": [{"path": SCRIPT, "moveTo": "Assets/Core/Player.cs"}]}


def test_change_sets_in_a_batch_build_on_each_other(project: Path) -> None:
    items = [{"tool": "edit_scripts", "params": each} for each in (SET, SECOND)]
    done = document(batch(project, items, "--output", "json"))
    assert [each["result"]["status"] for each in done["results"]] == ["applied", "applied"]
    # The line endings are those of the folder's scripts.
    assert (project / "Assets/New/Made.cs").read_bytes() == b"class Made { }\r\n"
    assert b"speed > 20" in (project / "Assets/Core/Player.cs").read_bytes()
    assert not (project / SCRIPT).exists()
    undos = [
        {"tool": "undo_snippet", "params": {"changeId": each["result"]["changeId"]}}
        for each in reversed(done["results"])
    ]
    assert batch(project, undos).returncode == 0
    assert (project / SCRIPT).read_bytes() == SOURCE
    assert not (project / "Assets/New").exists()


def test_a_dry_run_previews_a_change_set_and_writes_nothing(project: Path) -> None:
    items = [{"tool": "edit_scripts", "params": SET}]
    done = document(batch(project, items, "--dry-run", "--output", "json"))
    assert done["results"][0]["skipped"] is True
    held = done["results"][0]["result"]
    assert held["executed"] is False
    preview = held["preview"]
    assert [each["status"] for each in preview["files"]] == ["created", "edited"]
    assert (project / SCRIPT).read_bytes() == SOURCE
    assert not (project / "Assets/New").exists()
    assert not (project / "Library").exists()


ENDED = """
import os, signal, sys
from mcp_server.calls.tool_caller import ToolCaller
from mcp_server.cli import main

call, calls = ToolCaller.call, []

def ended(*given):
    calls.append(given)
    if len(calls) == 2:
        os.kill(os.getpid(), int(sys.argv[1]))
    return call(*given)

ToolCaller.call = ended
main(["batch", "items.json", "--output", "json"])
"""


@needs_posix
@pytest.mark.parametrize(
    ("first", "sent"),
    [(SYMBOLS, "SIGTERM"), (SYMBOLS, "SIGHUP"), (SYMBOLS, "SIGINT"), (APPLY, "SIGTERM")],
)
def test_a_batch_that_is_ended_tells_what_has_run(
    project: Path, sent: str, first: dict[str, Any]
) -> None:
    (project / "items.json").write_text(json.dumps([first, SYMBOLS, SYMBOLS]))
    number = signal.Signals[sent]
    done = run_python(
        ENDED,
        str(int(number)),
        cwd=project,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
    )
    found = json.loads(done.stdout)
    assert found["interrupted"] is True
    assert found["results"][0]["ok"] is True
    assert done.returncode == 128 + number
