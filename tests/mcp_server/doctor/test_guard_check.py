"""``doctor``: the guard's hooks of the installed clients, and an event tried through one."""

from __future__ import annotations

import json
import os
import socket
from datetime import datetime
from pathlib import Path

import pytest
from running_server import UNITY_CLI, RunningServer, make_project
from this_system import needs_posix

from mcp_server.doctor.check import Check
from mcp_server.doctor.guard import _event, check_guard
from mcp_server.guard.clients.table import ADAPTERS
from mcp_server.guard.events import DOCTOR_SESSION, Moment, Patch, Whole
from mcp_server.guard.fired import read
from mcp_server.hook.server_record import RECORD

LIMIT_S = 60.0


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder without any client, and ``unity-cli`` on PATH."""
    folder = tmp_path / "home"
    folder.mkdir()
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(folder))
    for variable in ("XDG_CONFIG_HOME", "APPDATA", "XDG_STATE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(variable, str(folder / ".config"))
    for variable in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME"):
        monkeypatch.delenv(variable, raising=False)
    programs = str(Path(UNITY_CLI).parent)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    return folder


def install(home: Path, name: str, *, old: bool = False) -> None:
    (hook,) = ADAPTERS[name].files
    assert isinstance(hook.path, str)
    file = home / hook.path.removeprefix("~/")
    file.parent.mkdir(parents=True)
    text = json.dumps(hook.content, indent=2) + "\n"
    file.write_text(text.replace('"timeout": 5', '"timeout": 9') if old else text, encoding="utf-8")


def checked(project: Path | None) -> Check:
    (check,) = check_guard(project, LIMIT_S)
    return check


def test_no_client_has_it(home: Path) -> None:
    check = checked(None)
    assert (check.ok, check.optional) == (False, True)
    assert "--guard" in check.advice


@needs_posix
def test_a_servers_file_that_others_may_read_is_named(home: Path, tmp_path: Path) -> None:
    install(home, "codex")
    project = make_project(tmp_path / "project")
    record = project / RECORD
    record.parent.mkdir(parents=True)
    record.write_text("{}", encoding="utf-8")
    record.chmod(0o644)
    assert f"{record} is not this user's alone (mode 0644)" in checked(project).details[0]


def test_it_is_installed_and_has_not_fired(home: Path) -> None:
    install(home, "codex")
    check = checked(None)
    assert check.ok
    assert check.summary == "Codex"
    (line,) = check.details
    assert line.startswith("codex: installed; has not fired in this project (type /hooks")
    assert line.endswith("; not tried, because there is no project")


def test_another_text_is_reported_with_what_replaces_it(home: Path) -> None:
    install(home, "cursor", old=True)
    check = checked(None)
    assert not check.ok
    assert check.command == "unity-cli client install cursor --guard --replace"
    assert "installed, but incomplete, edited or of another version" in check.details[0]


def test_a_file_that_cannot_be_read_is_reported(home: Path) -> None:
    (home / ".codex").mkdir()
    (home / ".codex/hooks.json").write_text("{", encoding="utf-8")
    check = checked(None)
    assert not check.ok
    assert check.details[0].startswith("codex: its hooks file can't be read")


def test_agents_find_no_program(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(home, "codex")
    monkeypatch.setenv("PATH", str(home))
    check = checked(None)
    assert not check.ok
    assert "not on PATH" in check.summary
    assert "pipx" in check.advice or "uv tool" in check.advice


def test_a_setting_that_turns_hooks_off_is_reported(home: Path) -> None:
    install(home, "claude-code")
    file = home / ".claude/settings.json"
    file.write_text('{"disableAllHooks": true,' + file.read_text(encoding="utf-8")[1:], "utf-8")
    check = checked(None)
    assert not check.ok
    assert "switched off in the same file (disableAllHooks: true)" in check.details[0]


@pytest.mark.parametrize("name", ["codex", "kiro"])
def test_without_a_server_nothing_is_claimed(home: Path, tmp_path: Path, name: str) -> None:
    install(home, name)
    project = make_project(tmp_path / "project")
    check = checked(project)
    assert (check.ok, check.optional) == (False, True)
    assert f"no server runs for {project}, so no edit is checked" in check.summary
    assert " serve --project " in check.command
    assert f"not tried, because no server runs for {project}" in check.details[0]


def test_a_server_that_does_not_answer_is_no_success(home: Path, tmp_path: Path) -> None:
    install(home, "codex")
    project = make_project(tmp_path / "project")
    record = project / RECORD
    record.parent.mkdir(parents=True)
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        found = {"port": mute.getsockname()[1], "pid": 1, "key": "0" * 64, "token": None}
        record.write_text(json.dumps(found), encoding="utf-8")
        record.chmod(0o600)
        check = checked(project)
    assert (check.ok, check.optional) == (False, False)
    assert "1 of 1 did not refuse a broken text" in check.summary
    assert "hook.log" in check.advice
    assert "did not answer in time" in check.details[0]


def test_the_last_event_is_in_local_time(home: Path, tmp_path: Path) -> None:
    install(home, "codex")
    project = make_project(tmp_path / "project")
    fired = project / "Library/SnippetEngine/guard.json"
    fired.parent.mkdir(parents=True)
    entry = {"at": "2026-11-28T20:55:24+00:00", "said": "", "count": 1}
    fired.write_text(json.dumps({"codex": {"before": entry}}), encoding="utf-8")
    local = datetime.fromisoformat(entry["at"]).astimezone()
    assert f"last fired {local:%Y-%m-%d %H:%M:%S} (before)" in checked(project).details[0]


def test_a_server_refuses_the_event_each_time_and_nothing_is_written(
    home: Path, tmp_path: Path
) -> None:
    project = make_project(tmp_path / "project")
    (project / "Library").mkdir()
    before = sorted((project / "Assets").rglob("*"))
    with RunningServer(cwd=project):
        for name in ("codex", "kiro"):
            install(home, name)
            for _ in range(2):
                check = checked(project)
                while any(
                    "did not answer in time" in line for line in check.details
                ):  # a slow machine
                    check = checked(project)
                assert check.ok
                assert len(check.details) == (1 if name == "codex" else 2)
                for line in check.details:
                    assert line.endswith("works: it refused a broken text just now")
    assert sorted((project / "Assets").rglob("*")) == before
    assert read(project) == {}  # it isn't the client that has fired


@pytest.mark.parametrize("name", [each for each in ADAPTERS if each != "windsurf"])
def test_the_event_is_one_of_the_client(tmp_path: Path, name: str) -> None:
    event = ADAPTERS[name].read(_event(name, tmp_path))
    assert event is not None
    assert (event.moment, event.session) == (Moment.BEFORE, DOCTOR_SESSION)
    assert isinstance(event.writes[0], Patch if name == "codex" else Whole)
