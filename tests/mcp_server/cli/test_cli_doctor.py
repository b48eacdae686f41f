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
from running_server import RunningServer, edit, environment, free_port, run_cli

from mcp_server.calls.server import project_server
from mcp_server.this_installation import program

pytestmark = pytest.mark.anyio


def examined(*arguments: str, cwd: Path) -> tuple[int, dict[str, Any]]:
    """The exit code, and the checks by name."""
    done = run_cli("doctor", "--output", "json", *arguments, cwd=cwd)
    document = json.loads(done.stdout)
    assert document["ok"] == (done.returncode == 0)
    return done.returncode, {check["name"]: check for check in document["checks"]}


def test_a_project_and_no_server(project: Path) -> None:
    url = f"http://127.0.0.1:{free_port()}/mcp"
    code, checks = examined("--url", url, "--lsp", "off", cwd=project)
    assert code == 0
    assert {name for name, check in checks.items() if check["required"]} == {
        "Python",
        "packages",
        "Unity project",
        "embedded validator",
    }
    assert str(project) in checks["Unity project"]["summary"]
    assert checks["C# language server"]["summary"] == "switched off (--lsp off)"
    assert not checks["server"]["ok"]
    assert "unity-cli serve" in checks["server"]["advice"]
    assert not checks["Unity Editor"]["ok"]


async def test_a_server_and_then_an_editor(project: Path) -> None:
    with RunningServer(cwd=project) as running:
        _, checks = await asyncio.to_thread(examined, "--url", running.url, cwd=project)
        assert checks["server"]["ok"]
        assert not checks["Unity Editor"]["ok"]
        assert f"port {running.port}" in checks["Unity Editor"]["advice"]
        editor = FakeEditor(f"ws://127.0.0.1:{running.port}/unity")
        await editor.connect(unity_version="2022.3.1f1", project_path=str(project))
        _, checks = await asyncio.to_thread(examined, "--url", running.url, cwd=project)
        assert checks["Unity Editor"]["ok"]
        assert "2022.3.1f1, ready, plugin 1.0.0" in checks["Unity Editor"]["summary"]
        await editor.close()


def test_a_server_of_another_project(project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(project, other)
    with RunningServer(cwd=other) as running:
        code, checks = examined("--url", running.url, cwd=project)
    assert code == 0
    assert not checks["server"]["ok"]
    assert str(project) in checks["server"]["advice"]
    assert f"unity-cli serve --project {project}" in checks["server"]["advice"]
    assert str(running.port) not in checks["Unity Editor"]["advice"]
    assert "no server runs" in checks["Unity Editor"]["summary"]


def test_a_server_that_nobody_named_is_none_where_there_is_no_project(
    project: Path, no_project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with RunningServer(cwd=project) as running:
        monkeypatch.setattr(project_server, "DEFAULT_PORT", running.port)
        _, checks = examined(cwd=no_project)
        assert not checks["server"]["ok"]
        assert str(project) in checks["server"]["summary"]
        assert f"--project {project}" in checks["server"]["advice"]
        assert not checks["Unity Editor"]["ok"]
        _, checks = examined("--url", running.url, cwd=no_project)
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
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = shutil.copytree(project, tmp_path / "other")
    with RunningServer(cwd=other) as running:
        monkeypatch.setattr(project_server, "DEFAULT_PORT", running.port)
        lines = run_cli("doctor", "--lsp", "off", cwd=project).stdout.splitlines()
    at = f"– server: no server runs for this project; the one at {running.url} works in {other}"
    assert f"    To start one: {program()} serve." in lines[lines.index(at) + 1]
    assert not any(line.startswith("✘") for line in lines)
    assert lines[-1].startswith("Next: ")


@pytest.mark.parametrize("of", ["none", "another"])
async def test_a_server_whose_editor_has_another_project_is_of_no_use_here(
    project: Path, no_project: Path, tmp_path: Path, of: str
) -> None:
    other = tmp_path / "other"
    shutil.copytree(project, other)
    with RunningServer(cwd=no_project if of == "none" else other) as running:
        editor = FakeEditor(f"ws://127.0.0.1:{running.port}/unity")
        await editor.connect(unity_version="2022.3.1f1", project_path=str(other))
        _, checks = await asyncio.to_thread(examined, "--url", running.url, cwd=project)
        call = ("tool", "call", "get_editor_state", "--url", running.url)
        refused = await asyncio.to_thread(run_cli, *call, cwd=project)
        await editor.close()
    for name in ("server", "Unity Editor"):
        assert not checks[name]["ok"]
        assert "of another project" in checks[name]["summary"]
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


def test_the_text_has_a_mark_and_advice_for_each(project: Path) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}/mcp"
    done = run_cli("doctor", "--url", url, "--lsp", "off", "--quiet", cwd=project)
    lines = done.stdout.splitlines()
    assert lines[0].startswith("✔ Python: 3.")
    at = lines.index(f"✘ server: no answer at {url}: connection refused")
    start = f"{program()} serve --port {port}"
    assert (
        lines[at + 1] == f"    Start one with: {start}. The Editor's tools and the guard need it."
    )
    assert "\x1b" not in done.stdout


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
        ("UNITY_CLI_LSP", "nope", "C# language server"),
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
