"""``unity-cli tool call`` for the Editor's tools: through a real server, to an Editor."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from fake_editor import COMPILED, PATIENCE_S, FakeEditor
from running_server import (
    KILL,
    SCRIPT,
    SOURCE,
    UNITY_CLI,
    RunningServer,
    edit,
    environment,
    free_port,
    make_project,
    run_cli,
)
from terminal import run_on_terminal
from this_system import needs_posix

from mcp_server.calls.server import project_server
from mcp_server.calls.server.remote_tools import RemoteTools
from mcp_server.contract.catalog import CATALOG

pytestmark = pytest.mark.anyio


FAILED = {"name": "A.B", "message": "expected 1", "stack_trace": ""}


async def cli(
    served: RunningServer, *arguments: str, cwd: Path
) -> subprocess.CompletedProcess[str]:
    """Run the command beside the event loop, on which the Editor lives."""
    return await asyncio.to_thread(run_cli, "--url", served.url, *arguments, cwd=cwd)


async def test_a_result_as_text_and_as_json(
    served: RunningServer, editor: FakeEditor, no_project: Path
) -> None:
    editor.console = [{"type": "error", "message": "CS0103", "stack_trace": ""}]
    done = await cli(served, "tool", "call", "read_console", cwd=no_project)
    assert (done.returncode, done.stdout) == (0, "1 entries\nerror: CS0103\n")
    done = await cli(served, "--output", "json", "tool", "call", "read_console", cwd=no_project)
    assert json.loads(done.stdout)["entries"] == editor.console


async def test_an_error_of_unity(
    served: RunningServer, editor: FakeEditor, no_project: Path
) -> None:
    call = ("tool", "call", "control_play_mode", "--json", '{"action": "pause"}')
    done = await cli(served, "--output", "json", *call, cwd=no_project)
    assert done.returncode == 1
    error = json.loads(done.stdout)["error"]
    assert error["code"] == "ERR_UNITY_EXECUTION"
    assert error["details"]["plugin_error_code"] == "ERR_INVALID_STATE"


@pytest.mark.parametrize(
    ("passed", "failed", "more", "told", "code"),
    [
        (2, 0, {"total": 2}, "2 passed", 0),
        (0, 1, {"total": 1}, "0 passed, 1 failed, 0 skipped of 1\nfailed: A.B: expected 1\n", 1),
        (0, 1, {"total": 1, "names": 0}, "1 failed", 1),
        (0, 0, {"total": 3, "inconclusive": 3}, "3 inconclusive", 1),
        (2, 0, {"total": 3}, "2 passed", 1),
        (0, 0, {"total": 3}, "breaks the contract", 1),
        (2, 0, {"total": 1}, "breaks the contract", 1),
    ],
)
async def test_tests_are_waited_for_and_only_if_all_passed_is_that_a_success(
    served: RunningServer,
    editor: FakeEditor,
    no_project: Path,
    passed: int,
    failed: int,
    more: dict[str, int],
    told: str,
    code: int,
) -> None:
    running = asyncio.create_task(cli(served, "tool", "call", "run_tests", cwd=no_project))
    await editor.received("get_job_status")
    (job,) = editor.jobs.values()
    names = [FAILED] * more.pop("names", failed)
    summary = {"passed": passed, "failed": failed, "skipped": 0, "duration_ms": 1, **more}
    job.finish(result={"summary": summary, "failed_tests": names})
    done = await running
    assert done.returncode == code
    assert told in done.stdout
    assert code == 0 or "succeeded" not in done.stdout


async def test_a_play_mode_that_was_not_reached_is_a_failure(
    served: RunningServer, editor: FakeEditor, no_project: Path
) -> None:
    async def accept(frame: dict[str, Any]) -> None:
        flags = ("is_playing", "is_paused", "is_playing_or_will_change_playmode")
        told = {"action": "start", "accepted": True, **dict.fromkeys(flags, False)}
        await editor.answer(frame, told)

    editor.on_execute = accept
    call = ("tool", "call", "control_play_mode", "--json", '{"action": "start"}')
    done = await cli(served, *call, cwd=no_project)
    assert done.returncode == 1
    assert "did not reach it: afterwards it was not playing" in done.stdout


@pytest.mark.parametrize(
    ("restarted", "with_signal"), [(False, signal.SIGTERM), (True, KILL), (True, signal.SIGTERM)]
)
async def test_a_run_that_was_accepted_is_not_said_to_be_none(
    tmp_path: Path, no_project: Path, restarted: bool, with_signal: signal.Signals
) -> None:
    with RunningServer(cwd=tmp_path) as first:
        editor = await FakeEditor(f"ws://127.0.0.1:{first.port}/unity").connect()
        call = ("--output", "json", "tool", "call", "run_tests")
        running = asyncio.create_task(cli(first, *call, cwd=no_project))
        await editor.received("submit_job")
        (job_id,) = editor.jobs
        await asyncio.to_thread(first.wait_until_asked, job_id)
        await asyncio.to_thread(first.stop, with_signal)
        if restarted:
            with RunningServer(cwd=tmp_path, port=first.port):
                done = await running
        else:
            done = await running
    told = json.loads(done.stdout)["error"]
    assert (told["code"], told["retryable"]) == ("ERR_RECONNECT_TIMEOUT", False)
    assert told["details"]["execution_guarantee"] == "unknown"
    assert told["details"]["job_id"] == job_id
    assert f"get_job_status --json '{json.dumps({'job_id': job_id})}'" in told["message"]


@pytest.mark.parametrize("with_signal", [KILL, signal.SIGTERM])
async def test_a_gated_edit_of_a_server_that_was_ended_is_told_when_it_is_sent_again(
    project: Path, with_signal: signal.Signals
) -> None:
    params = json.dumps(edit("apply", editorGate="compile", client_request_id="once"))
    call = ("--output", "json", "tool", "call", "edit_snippet", "--json", params)
    options = ("--project", str(project))

    async def compiles(editor: FakeEditor, **told: Any) -> None:
        await editor.received("submit_job")
        while not editor.jobs:
            await asyncio.sleep(0)
        job = list(editor.jobs.values())[-1]
        job.finish("succeeded", {**COMPILED, **told})
        await editor.announce(job)

    with RunningServer(*options, cwd=project) as first:
        editor = await FakeEditor(f"ws://127.0.0.1:{first.port}/unity").connect()
        running = asyncio.create_task(cli(first, *call, cwd=project))
        await compiles(editor)
        await editor.received("submit_job")
        await asyncio.to_thread(first.stop, with_signal)
        ended = await running
    assert ended.returncode != 0 or '"unknown"' in ended.stdout
    assert b"speed > 20" in (project / SCRIPT).read_bytes()
    error = {"path": SCRIPT, "line": 1, "column": 1, "code": "CS1", "message": "x"}
    with RunningServer(*options, cwd=project, port=first.port) as second:
        editor = await FakeEditor(f"ws://127.0.0.1:{second.port}/unity").connect()
        running = asyncio.create_task(cli(second, *call, cwd=project))
        await compiles(editor, status="failed", errors=[error], reloaded=False)
        told = json.loads((await running).stdout)
    assert (told["status"], told["replayed"]) == ("applied", True)
    assert told["compile"]["status"] == "unknown"
    assert "the edit may have caused" in told["compile"]["reason"]


@pytest.mark.parametrize("ends", ["failed tests", "cancelled"])
async def test_a_call_that_reports_on_a_job_has_worked(
    served: RunningServer, editor: FakeEditor, no_project: Path, ends: str
) -> None:
    call = ("--output", "json", "tool", "call")
    started = await cli(served, *call, "run_tests", "--no-wait", cwd=no_project)
    job = editor.jobs[json.loads(started.stdout)["job_id"]]
    assert (started.returncode, job.state) == (0, "queued")
    if ends == "failed tests":
        summary = {"total": 1, "passed": 0, "failed": 1, "skipped": 0, "duration_ms": 1}
        job.finish(result={"summary": summary, "failed_tests": [FAILED]})
    else:
        job.finish("cancelled")
    asked = json.dumps({"job_id": job.job_id})
    done = await cli(served, *call, "get_job_status", "--json", asked, cwd=no_project)
    assert (done.returncode, json.loads(done.stdout)["state"]) == (0, job.state)


async def test_progress_is_shown_as_it_is_made(served: RunningServer, editor: FakeEditor) -> None:
    heard: list[dict[str, Any]] = []
    shown = asyncio.Event()
    loop = asyncio.get_running_loop()

    def show(status: Mapping[str, Any]) -> None:
        heard.append(dict(status))
        if status["progress"]:
            loop.call_soon_threadsafe(shown.set)

    server = RemoteTools(served.url)
    running = asyncio.create_task(
        asyncio.to_thread(server.run_job, CATALOG["run_tests"], {"mode": "edit"}, show)
    )
    await editor.received("get_job_status")
    (job,) = editor.jobs.values()
    job.state, job.progress = "running", {"completed": 3, "total": 4, "current": "A.B"}
    await asyncio.wait_for(shown.wait(), PATIENCE_S)  # while the job goes on
    assert heard[-1] == {"state": "running", "progress": job.progress}
    job.finish()
    await running
    assert heard[-1]["state"] == "succeeded"


async def test_compile_errors_have_places_that_terminals_find(
    served: RunningServer, editor: FakeEditor, no_project: Path
) -> None:
    running = asyncio.create_task(cli(served, "tool", "call", "compile", cwd=no_project))
    await editor.received("submit_job")
    error = {"path": "Assets/A.cs", "line": 5, "column": 36, "code": "CS0029", "message": "no"}
    (job,) = editor.jobs.values()
    job.finish(result={**COMPILED, "status": "failed", "errors": [error], "reloaded": False})
    await editor.announce(job)
    done = await running
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "compilation failed: 1 error",
        "Assets/A.cs:5:36: error CS0029: no",
    ]


@needs_posix
async def test_what_the_editor_is_at_is_shown_on_a_terminal(
    served: RunningServer, editor: FakeEditor, no_project: Path
) -> None:
    call = ("--url", served.url, "tool", "call", "compile")
    running = asyncio.create_task(
        asyncio.to_thread(run_on_terminal, *call, cwd=no_project, stdout_too=False)
    )
    await editor.received("submit_job")
    (job,) = editor.jobs.values()
    job.state, job.progress = "running", {"completed": 0, "total": 1, "current": "importing assets"}
    await editor.announce(job)
    await editor.received("get_job_status")  # a second later: it has been shown
    job.finish()
    await editor.announce(job)
    code, shown, stdout = await running
    assert code == 0
    assert "importing assets" in shown
    assert stdout == "compiled Assembly-CSharp, loaded (700 ms)\n"


async def test_a_job_that_is_out_of_time_says_what_is_known_of_it(
    served: RunningServer, editor: FakeEditor, no_project: Path
) -> None:
    done = await cli(served, "tool", "call", "run_tests", "--timeout", "1", cwd=no_project)
    assert done.returncode == 1
    (job_id,) = editor.jobs
    assert done.stdout.startswith(f"{job_id}: timeout\n")
    assert "may still be running" in done.stdout
    assert "--timeout" in done.stdout


@needs_posix
@pytest.mark.parametrize("form", ["text", "json"])
async def test_an_interrupt_cancels_the_job(
    served: RunningServer, editor: FakeEditor, no_project: Path, form: str
) -> None:
    with subprocess.Popen(
        [UNITY_CLI, "--output", form, "--url", served.url, "tool", "call", "run_tests"],
        cwd=no_project,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as process:
        await editor.received("submit_job")
        (job_id,) = editor.jobs
        await asyncio.to_thread(served.wait_until_asked, job_id)
        process.send_signal(signal.SIGINT)
        frame = await editor.received("cancel")
        out, said = await asyncio.to_thread(process.communicate, None, 60)
    assert process.returncode == 130
    assert b"Traceback" not in said
    if form == "json":
        ended = json.loads(out)["error"]["message"]
    else:
        ended = said.decode().strip().splitlines()[-1]
    assert ended.startswith(f"Interrupted. The job {job_id} (run_tests) was ")
    assert "unity-cli tool call get_job_status --json" in ended
    assert editor.jobs[frame["target_job_id"]].state == "cancelled"


async def test_a_dry_run_sends_nothing(
    served: RunningServer, editor: FakeEditor, no_project: Path
) -> None:
    call = ("tool", "call", "control_play_mode", "--json", '{"action": "start"}')
    done = await cli(served, "--dry-run", "--output", "json", *call, cwd=no_project)
    assert done.returncode == 0
    assert json.loads(done.stdout) == {
        "dry_run": True,
        "executed": False,
        "tool": "control_play_mode",
        "params": {"action": "start"},
        "reason": "mutating_tool_blocked_by_dry_run",
    }
    assert editor.count("execute") == 0


def test_no_server(no_project: Path) -> None:
    url = f"http://127.0.0.1:{free_port()}/mcp"
    call = ("--url", url, "--output", "json", "tool", "call", "get_editor_state")
    done = run_cli(*call, cwd=no_project)
    assert done.returncode == 3
    error = json.loads(done.stdout)["error"]
    assert error["code"] == "ERR_UNITY_DISCONNECTED"
    assert "unity-cli serve" in error["message"]


def test_no_editor(served: RunningServer, no_project: Path) -> None:
    call = ("--url", served.url, "--timeout", "5", "tool", "call", "read_console")
    done = run_cli(*call, cwd=no_project)
    assert done.returncode == 3
    assert "ERR_EDITOR_NOT_READY" in done.stderr


def test_the_port_of_the_environment_is_where_calls_go(no_project: Path) -> None:
    port = str(free_port())
    env = environment(UNITY_CLI_PORT=port)
    done = run_cli("tool", "call", "get_editor_state", cwd=no_project, env=env)
    assert done.returncode == 3
    assert f"http://127.0.0.1:{port}/mcp" in done.stderr


def test_another_projects_server_gets_nothing(tmp_path: Path) -> None:
    asked, other = (make_project(tmp_path / name) for name in ("asked", "other"))
    calls = [
        {"tool": "edit_snippet", "params": edit("apply")},
        {"tool": "compile", "params": {}},
    ]
    with RunningServer("--project", str(other), cwd=other) as running:
        for words in ("tool call compile", "tool call run_tests", "batch -"):
            done = run_cli(
                *("--project", str(asked), "--url", running.url, *words.split()),
                cwd=tmp_path,
                stdin=json.dumps(calls).encode(),
            )
            assert done.returncode == 2
            assert str(other) in done.stderr
            assert str(asked) in done.stderr
            assert "nothing was sent or written" in done.stderr
            assert (asked / SCRIPT).read_bytes() == SOURCE


def test_without_a_project_no_server_of_a_project_is_taken_that_nobody_named(
    project: Path, no_project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = ("tool", "call", "get_editor_state")
    batch = ("batch", "-")
    calls = json.dumps([{"tool": "compile", "params": {}}]).encode()
    with RunningServer(cwd=project) as running:
        monkeypatch.setattr(project_server, "DEFAULT_PORT", running.port)
        for arguments, stdin in ((call, b""), (batch, calls)):
            refused = run_cli(*arguments, cwd=no_project, stdin=stdin)
            assert (refused.returncode, refused.stdout) == (2, "")
            assert f"{running.url} works in {project}" in refused.stderr
            assert f"no project is found upward from {no_project}" in refused.stderr
            assert f"--project {project}, or --url {running.url}" in refused.stderr
        named = run_cli(*call, "--url", running.url, cwd=no_project)
        assert named.returncode == 0, named.stderr
        assert named.stderr == f"The server at {running.url} works in {project}.\n"
        quiet = run_cli(*call, "--url", running.url, "--quiet", cwd=no_project)
        assert (quiet.returncode, quiet.stderr) == (0, "")


def test_without_a_project_a_server_without_one_is_taken(
    served: RunningServer, no_project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(project_server, "DEFAULT_PORT", served.port)
    done = run_cli("tool", "call", "get_editor_state", cwd=no_project)
    assert (done.returncode, done.stderr) == (0, "")


def test_how_to_start_the_server_that_is_missing_is_right_where_it_is_typed(
    project: Path, no_project: Path
) -> None:
    call = ("tool", "call", "get_editor_state", "--url", "http://127.0.0.1:9/mcp")
    of_project = f"unity-cli serve --project {project} --port 9"
    for cwd, options, start in [
        (no_project, (), "unity-cli serve --project PATH --port 9"),
        (no_project, ("--project", str(project)), of_project),
        (project, (), "unity-cli serve --port 9"),
    ]:
        done = run_cli(*call, *options, cwd=cwd)
        assert done.returncode == 3
        assert done.stderr.endswith(f" Start one with: {start}\n")
