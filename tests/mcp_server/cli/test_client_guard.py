"""``unity-cli client install NAME --guard``, ``uninstall`` and ``list``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from client_home import Home

from mcp_server.guard.clients.table import ADAPTERS


def everything(home: Home) -> dict[str, bytes]:
    files = (each for each in home.folder.rglob("*") if each.is_file())
    return {str(each.relative_to(home.folder)): each.read_bytes() for each in files}


def guards(home: Home) -> dict[str, str | None]:
    rows = json.loads(home.client("list", "--output", "json").stdout)
    return {row["name"]: row["guard"] for row in rows}


@pytest.mark.parametrize("name", ADAPTERS)
def test_installed_listed_and_taken_out(home: Home, name: str) -> None:
    before = everything(home)
    assert guards(home)[name] == "no"
    done = home.client("install", name, "--guard", "--output", "json")
    assert done.returncode == 0, done.stderr
    written = json.loads(done.stdout)["guard"]
    assert written
    assert all(Path(each).is_file() for each in written)
    assert guards(home)[name] == "current"
    with_guard = everything(home)
    assert home.client("install", name, "--guard").returncode == 0
    assert everything(home) == with_guard
    done = home.client("uninstall", name, "--guard", "--output", "json")
    assert json.loads(done.stdout)["guard"] == written
    assert guards(home)[name] == "no"
    assert home.client("install", name, "--guard").returncode == 0
    assert home.client("uninstall", name).returncode == 0
    assert everything(home) == before


def test_nothing_is_written_in_a_dry_run(home: Home) -> None:
    before = everything(home)
    done = home.client("install", "codex", "--guard", "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "hooks.json would be written" in done.stdout
    assert everything(home) == before


def test_a_client_without_hooks_is_refused(home: Home) -> None:
    done = home.client("install", "zed", "--guard")
    assert done.returncode == 2
    assert "Zed has no hooks." in done.stderr
    assert everything(home) == {}


def test_a_project_gets_no_hooks(home: Home, tmp_path: Path) -> None:
    (tmp_path / "game/Assets").mkdir(parents=True)
    options = ("--guard", "--scope", "project", "--project", str(tmp_path / "game"))
    for command in ("install", "uninstall"):
        done = home.client(command, "claude-code", *options)
        assert done.returncode == 2
        assert "installed for the user only" in done.stderr
    assert everything(home) == {}
    assert list((tmp_path / "game").rglob("*.json")) == []


@pytest.mark.parametrize("first", [(), ("--guard",)])
def test_a_file_that_has_the_server_and_the_hooks_goes(home: Home, first: tuple[str, ...]) -> None:
    for options in (first, ("--guard",)):
        assert home.client("install", "gemini-cli", *options).returncode == 0
    assert home.client("uninstall", "gemini-cli").returncode == 0
    assert everything(home) == {}


def test_a_broken_file_keeps_the_server_from_being_written(home: Home) -> None:
    home.written(".claude/settings.json", "{")
    before = everything(home)
    done = home.client("install", "claude-code", "--guard")
    assert done.returncode == 1
    assert "settings.json can't be changed: it is not JSON" in done.stderr
    assert everything(home) == before
    assert guards(home)["claude-code"] == "unknown"


def test_the_guard_stays_while_another_server_of_ours_needs_it(home: Home) -> None:
    for arguments in ((), ("--name", "second")):
        assert home.client("install", "cursor", "--guard", *arguments).returncode == 0
    assert home.client("uninstall", "cursor").returncode == 0
    assert guards(home)["cursor"] == "current"
    assert home.client("uninstall", "cursor", "--name", "second").returncode == 0
    assert guards(home)["cursor"] == "no"
