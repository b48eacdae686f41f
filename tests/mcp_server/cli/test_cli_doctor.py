"""``unity-cli doctor`` as a real process, with and without a server and an Editor."""

from __future__ import annotations

import asyncio
import http.server
import json
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest
from fake_editor import FakeEditor
from running_server import RunningServer, edit, environment, free_port, make_project, run_cli

from mcp_server.calls.server import project_server
from mcp_server.this_installation import program

pytestmark = pytest.mark.anyio


def examined(*arguments: str, cwd: Path) -> tuple[int, dict[str, Any]]:
    """The exit code, and the checks by name."""
    done = run_cli("doctor", "--output", "json", *arguments, cwd=cwd)
    document = json.loads(done.stdout)
    assert document["ok"] == (done.returncode == 0)
    return done.returncode, {check["name"]: check for check in document["checks"]}


async def test_a_server_and_then_an_editor(server: RunningServer) -> None:
    _, checks = await asyncio.to_thread(examined, "--url", server.url, cwd=server.cwd)
    assert checks["server"]["ok"]
    assert not checks["Unity Editor"]["ok"]
    assert f"port {server.port}" in checks["Unity Editor"]["advice"]
    editor = FakeEditor(f"ws://127.0.0.1:{server.port}/unity")
    await editor.connect(unity_version="2022.3.1f1", project_path=str(server.cwd))
    _, checks = await asyncio.to_thread(examined, "--url", server.url, cwd=server.cwd)
    assert checks["Unity Editor"]["ok"]
    assert "2022.3.1f1, ready, plugin 1.0.0" in checks["Unity Editor"]["summary"]
    await editor.close()


def test_a_server_of_another_project(project: Path, server: RunningServer) -> None:
    code, checks = examined("--url", server.url, cwd=project)
    assert code == 0
    assert not checks["server"]["ok"]
    assert str(project) in checks["server"]["advice"]
    assert f"unity-cli serve --project {project}" in checks["server"]["advice"]
    assert str(server.port) not in checks["Unity Editor"]["advice"]
    assert "no server runs" in checks["Unity Editor"]["summary"]


def test_a_server_that_nobody_named_is_none_where_there_is_no_project(
    server: RunningServer, no_project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(project_server, "DEFAULT_PORT", server.port)
    _, checks = examined(cwd=no_project)
    assert not checks["server"]["ok"]
    assert str(server.cwd) in checks["server"]["summary"]
    assert f"--project {server.cwd}" in checks["server"]["advice"]
    assert not checks["Unity Editor"]["ok"]
    _, checks = examined("--url", server.url, cwd=no_project)
    assert checks["server"]["ok"]


@pytest.mark.parametrize("named", [True, False])
def test_another_program_on_the_port_is_told_with_what_the_command_has(
    project: Path, monkeypatch: pytest.MonkeyPatch, named: bool
) -> None:
    other = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
    threading.Thread(target=other.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{other.server_port}/mcp"
    monkeypatch.setattr(project_server, "DEFAULT_PORT", other.server_port)
    try:
        _, checks = examined(*(("--url", url) if named else ()), cwd=project)
    finally:
        other.shutdown()
        other.server_close()
    found = checks["server"]
    assert found["summary"].startswith(f"the program at {url} can't be used: a program other")
    assert "another --port" not in found["advice"]
    assert ("--url" if named else "unity-cli serve") in found["advice"]


def test_another_projects_server_on_the_usual_port_is_nothing_wrong(
    project: Path, server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(project_server, "DEFAULT_PORT", server.port)
    lines = run_cli("doctor", "--lsp", "off", cwd=project).stdout.splitlines()
    works = f"the one at {server.url} works in {server.cwd}"
    at = lines.index(f"– server: no server runs for this project; {works}")
    assert f"    To start one: {program()} serve." in lines[at + 1]
    assert not any(line.startswith("✘") for line in lines)
    assert lines[-1].startswith("Next: ")


@pytest.mark.parametrize("name", ["served", "server"])
async def test_a_server_whose_editor_has_another_project_is_of_no_use_here(
    request: pytest.FixtureRequest, project: Path, tmp_path: Path, name: str
) -> None:
    running: RunningServer = request.getfixturevalue(name)
    other = running.cwd if name == "server" else make_project(tmp_path / "other")
    editor = FakeEditor(f"ws://127.0.0.1:{running.port}/unity")
    await editor.connect(unity_version="2022.3.1f1", project_path=str(other))
    _, checks = await asyncio.to_thread(examined, "--url", running.url, cwd=project)
    call = ("tool", "call", "get_editor_state", "--url", running.url)
    refused = await asyncio.to_thread(run_cli, *call, cwd=project)
    await editor.close()
    for each in ("server", "Unity Editor"):
        assert not checks[each]["ok"]
        assert "of another project" in checks[each]["summary"]
    assert refused.returncode == 2
    assert "another project than this command" in refused.stderr
    start, other_way = f"unity-cli serve --project {project}", f"--project {other}"
    assert 0 < refused.stderr.index(start) < refused.stderr.index(other_way)


def test_no_project_is_a_failure(no_project: Path) -> None:
    code, checks = examined(cwd=no_project)
    assert code == 1
    assert "--project PATH" in checks["Unity project"]["advice"]
    told = run_cli("doctor", "--lsp", "off", cwd=no_project).stdout
    assert told.endswith(f"Next: {program()} doctor --project PATH\n")


def test_a_compiler_that_was_asked_for_and_is_not_there(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNITY_SNIPPET_ROSLYN_DIR", str(project / "nowhere"))
    _, checks = examined(cwd=project)
    assert not checks["Roslyn"]["ok"]
    assert any("asked for" in detail for detail in checks["Roslyn"]["details"])


def test_what_is_optional_is_not_failed_and_one_step_is_next(
    project: Path, no_project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(project_server, "DEFAULT_PORT", free_port())
    _, checks = examined("--lsp", "off", cwd=project)
    optional = {name for name, check in checks.items() if check["optional"]}
    assert {"server", "Unity Editor", "Unity package", "Unity Pipeline"} <= optional
    assert not any(check["ok"] for check in checks.values() if check["optional"])
    lines = run_cli("doctor", "--lsp", "off", cwd=project).stdout.splitlines()
    assert not any(line.startswith("✘") for line in lines)
    (step,) = (line.removeprefix("Next: ") for line in lines if line.startswith("Next: "))
    assert step.startswith(program())
    below = run_cli("doctor", "--lsp", "off", cwd=project.parent)
    assert [line for line in below.stdout.splitlines() if line.startswith("✘")] == [
        "✘ Unity project: none was found"
    ]
    assert below.stdout.endswith(f"Next: {program()} doctor --project {project.name}\n")


@pytest.mark.parametrize(
    ("variable", "value", "check"),
    [
        ("UNITY_CLI_LSP", "'", "C# language server"),
        ("UNITY_CLI_URL", "nope", "server"),
        ("UNITY_CLI_PORT", "many", "server"),
    ],
)
def test_a_variable_that_is_wrong_is_one_of_the_findings(
    project: Path, variable: str, value: str, check: str
) -> None:
    env = environment(**{variable: value})
    done = run_cli("doctor", "--output", "json", "--timeout", "60", cwd=project, env=env)
    assert done.returncode == 0
    checks = {each["name"]: each for each in json.loads(done.stdout)["checks"]}
    assert not checks[check]["ok"]
    assert variable in checks[check]["advice"]
    assert checks["embedded validator"]["ok"]


def test_no_server_is_advised_for_a_project_that_is_none(no_project: Path) -> None:
    nowhere, url = str(no_project / "nowhere"), f"http://127.0.0.1:{free_port()}/mcp"
    _, checks = examined("--project", nowhere, "--url", url, cwd=no_project)
    assert "serve --project PATH" in checks["server"]["advice"]


def test_what_undo_keeps_is_told_and_whether_it_outlives_library(project: Path) -> None:
    def row() -> str:
        _, checks = examined("--lsp", "off", cwd=project)
        return str(checks["undo"]["summary"]) if "undo" in checks else ""

    assert row() == ""
    apply = ("tool", "call", "edit_snippet", "--json", json.dumps(edit("apply")))
    assert run_cli(*apply, cwd=project).returncode == 0
    assert row() == "the history keeps 1 change; they survive deleting Library (.unity-snippet)"
    shutil.rmtree(project / ".unity-snippet")
    assert row() == "the history keeps 1 change; deleting Library loses 1"
