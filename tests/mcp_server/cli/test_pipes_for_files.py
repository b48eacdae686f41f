"""A FIFO in the place of a file that a command reads is told of, or passed by; never waited for.

As processes, whose end is waited for with a limit: one that waits for a FIFO can't be ended from
within.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from client_home import Home
from running_server import SCRIPT, run_cli, run_cli_process
from this_system import needs_fifo
from user_state import state_in

from mcp_server.plugin.package_manifest import PACKAGE_NAME

pytestmark = needs_fifo

PACKAGE = f"Packages/{PACKAGE_NAME}"
NO_FILE = "not a regular file"
UNWRITTEN = "a pipe without a writer"


def pipe_at(file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    os.mkfifo(file)


MANIFEST, FOREIGN = "Packages/manifest.json", "Packages/com.foo/package.json"
SETTINGS = "ProjectSettings/UnityMcpPluginSettings.asset"
STATUS, INSTALL = ("plugin", "status"), ("--dry-run", "plugin", "install")
UNINSTALL = ("--dry-run", "plugin", "uninstall", "--settings")


@pytest.mark.parametrize(
    ("path", "command", "told"),
    [
        (MANIFEST, STATUS, f"{MANIFEST} can't be read ({NO_FILE})"),
        (MANIFEST, INSTALL, f"{MANIFEST} can't be read ({NO_FILE})"),
        (f"{PACKAGE}/package.json", STATUS, f"its package.json can't be read ({NO_FILE})"),
        (f"{PACKAGE}/package.json", INSTALL, f"its package.json can't be read ({NO_FILE})"),
        (f"{PACKAGE}/package.json", UNINSTALL, f"its package.json can't be read ({NO_FILE})"),
        (f"{PACKAGE}/.unity-cli-install.json", STATUS, ""),
        (f"{PACKAGE}/.unity-cli-install.json", INSTALL, ""),
        (f"{PACKAGE}/.unity-cli-install.json", UNINSTALL, ""),
        (FOREIGN, STATUS, f"com.foo/package.json can't be read ({NO_FILE})"),
        (FOREIGN, INSTALL, f"com.foo/package.json can't be read ({NO_FILE})"),
        (SETTINGS, STATUS, f".asset is {NO_FILE}: Unity can't"),
        (SETTINGS, UNINSTALL, ""),
    ],
)
def test_below_a_project(project: Path, command: tuple[str, ...], path: str, told: str) -> None:
    if path.startswith(PACKAGE):
        assert run_cli("plugin", "install", cwd=project).returncode == 0
    pipe_at(project / path)
    done = run_cli_process(*command, cwd=project)
    assert done.returncode in (0, 1)
    assert told in done.stdout + done.stderr
    assert (project / path).is_fifo()


def test_an_install_replaces_one_where_that_is_asked_for(project: Path) -> None:
    assert run_cli("plugin", "install", cwd=project).returncode == 0
    pipe_at(project / PACKAGE / "package.json")
    done = run_cli_process("plugin", "install", "--force", cwd=project)
    assert done.returncode == 0, done.stderr
    assert (project / PACKAGE / "package.json").is_file()


def test_doctor_names_it(project: Path) -> None:
    pipe_at(project / "Packages/manifest.json")
    done = run_cli_process("doctor", "--lsp", "off", "--timeout", "60", cwd=project)
    assert f"Unity package: Packages/manifest.json can't be read ({NO_FILE})" in done.stdout


@pytest.mark.parametrize(
    "command",
    [
        ("serve", "--port", "1"),
        ("client", "show", "cursor", "--http"),
        ("client", "install", "cursor"),
    ],
)
def test_as_a_token_file(home: Home, project: Path, command: tuple[str, ...]) -> None:
    pipe = home.folder / "token"
    pipe_at(pipe)
    done = run_cli_process(*command, "--token-file", str(pipe), cwd=project, env=home.variables)
    assert done.returncode == 2
    assert f"--token-file {pipe}: {UNWRITTEN}." in done.stderr
    assert not (home.folder / ".cursor").exists()


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("clients.json", "install"),
        ("clients.json", "uninstall"),
        ("clients.json.new", "install"),
    ],
)
def test_in_the_record_of_what_installs_have_made(
    home: Home, tmp_path: Path, name: str, command: str
) -> None:
    variables = {**home.variables, **state_in(tmp_path / "state")}
    if command == "uninstall":
        run_cli("client", "install", "cursor", cwd=tmp_path, env=variables)
    pipe_at(tmp_path / "state" / "unity-snippet" / name)
    done = run_cli_process("client", command, "cursor", cwd=tmp_path, env=variables)
    assert done.returncode == 0, done.stderr
    entry = home.folder / ".cursor/mcp.json"
    assert (entry.exists() and "unity" in entry.read_text()) == (command == "install")


@pytest.mark.parametrize("pattern", ["*.json", "*.tally"])
def test_in_the_records_of_requests(project: Path, pattern: str) -> None:
    request = {
        "path": SCRIPT,
        "mode": "apply",
        "client_request_id": "once",
        "instructions": [
            {
                "operation": "replace",
                "anchor": {"type": "text", "target": "speed = 10"},
                "newText": "speed = 11",
            },
        ],
    }
    call = ("tool", "call", "edit_snippet", "--json", json.dumps(request))
    first = run_cli(*call, cwd=project)
    assert first.returncode == 0, first.stderr
    (record,) = (project / "Library/SnippetEngine/requests").glob(pattern)
    pipe_at(record)
    before = (project / SCRIPT).read_bytes()
    again = run_cli_process(*call, cwd=project)
    assert again.returncode == 1
    assert "write_failed: Keeping the record of the request failed" in again.stderr
    assert (project / SCRIPT).read_bytes() == before
