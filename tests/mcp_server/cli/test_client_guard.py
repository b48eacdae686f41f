"""``unity-cli client install NAME --guard``, ``uninstall`` and ``list``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from client_home import Home
from this_system import needs_posix

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
    file = home.folder / ".codex/hooks.json"
    assert f"guard: hooks would be written to {file}\n" in done.stdout
    assert "exec unity-cli hook codex'\"," in done.stdout
    assert everything(home) == before


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


@needs_posix
def test_anothers_script_is_kept_and_named(home: Home) -> None:
    script = home.written("Documents/Cline/Hooks/PreToolUse", "#!/bin/sh\necho theirs\n")
    before = script.read_bytes()
    refused = home.client("install", "cline", "--guard")
    assert refused.returncode == 1
    assert "--replace replaces it, and keeps a copy of the file." in refused.stderr
    assert script.read_bytes() == before
    done = home.client("install", "cline", "--guard", "--replace")
    copy = script.with_name("PreToolUse.before-unity-snippet")
    assert f"A copy of the old file is {copy}." in done.stdout
    assert copy.read_bytes() == before
    done = home.client("uninstall", "cline")
    assert f"The file that the install replaced was kept as {copy}." in done.stdout
    assert copy.read_bytes() == before
    assert not script.exists()


def test_each_message_says_what_became_of_the_file(home: Home) -> None:
    file = home.written(".claude/settings.json", '{"model": "x"}\n')
    for words in (f"hooks written to {file}", f"{file} has the hooks already"):
        assert f"guard: {words}\n" in home.client("install", "claude-code", "--guard").stdout
    dry = home.client("uninstall", "claude-code", "--guard", "--dry-run").stdout
    assert f"guard: hooks would be removed from {file}\n" in dry
    assert "-        " in dry
    done = home.client("uninstall", "claude-code").stdout
    assert f"guard: hooks removed from {file}\n" in done
    assert home.client("install", "kiro", "--guard").returncode == 0
    file = home.folder / ".kiro/hooks/unity-snippet.json"
    whole = f"guard: hooks removed with {file}: nothing else was in it\n"
    assert whole in home.client("uninstall", "kiro").stdout


def test_hooks_that_cannot_be_removed_are_reported(home: Home) -> None:
    assert home.client("install", "claude-code", "--guard").returncode == 0
    file = home.folder / ".claude/settings.json"
    file.write_text(file.read_text(encoding="utf-8") + "}", encoding="utf-8")
    assert "guard unknown: its hooks file can't be read" in home.client("list").stdout
    done = home.client("uninstall", "claude-code")
    assert done.returncode == 1
    assert "hooks of Claude Code could not be removed" in done.stderr
    assert "client uninstall claude-code --guard" in done.stderr


def test_folders_of_the_user_stay_and_those_of_an_install_go(home: Home) -> None:
    (home.folder / ".kiro/settings").mkdir(parents=True)
    assert home.client("uninstall", "kiro").returncode == 0
    assert home.client("install", "kiro", "--guard", "--skill").returncode == 0
    assert home.client("uninstall", "kiro").returncode == 0
    assert list((home.folder / ".kiro").iterdir()) == [home.folder / ".kiro/settings"]


def test_a_client_that_runs_no_hooks_is_not_called_guarded(home: Home) -> None:
    home.written(".claude/settings.json", '{"disableAllHooks": true}')
    done = home.client("install", "claude-code", "--guard")
    assert "with disableAllHooks: true in " in done.stdout
    assert guards(home)["claude-code"] == "off"
    assert "the client's hooks are switched off" in home.client("list").stdout


@pytest.mark.parametrize(
    "command",
    [
        "echo unity-cli hook claude-code",
        "cd /x && unity-cli hook claude-code; mine",
        "[ -d Assets ] && unity-cli hook claude-code",
    ],
)
def test_a_command_of_the_user_that_calls_ours_stays(home: Home, command: str) -> None:
    theirs = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}}
    file = home.written(".claude/settings.json", json.dumps(theirs))
    before = file.read_bytes()
    note = f"note: {file} also calls unity-cli hook claude-code in a hook of your own, which stays."
    for _ in range(2):
        assert note in home.client("install", "claude-code", "--guard").stdout
        assert command in file.read_text(encoding="utf-8")
    assert note in home.client("uninstall", "claude-code").stderr
    assert file.read_bytes() == before


def test_a_file_of_ours_that_was_added_to_is_never_forgotten(home: Home) -> None:
    assert home.client("install", "kiro", "--guard").returncode == 0
    (file,) = home.folder.rglob("unity-snippet.json")
    text = file.read_text(encoding="utf-8")
    added = text.replace('"hooks": [', '"hooks": [{"action": {"command": "theirs"}}, ')
    file.write_text(added, encoding="utf-8")
    assert guards(home)["kiro"] == "other"
    done = home.client("uninstall", "kiro")
    assert done.returncode == 1
    assert f"{file} calls unity-cli hook kiro, but no install wrote it like this" in done.stderr
    assert file.read_text(encoding="utf-8") == added


def test_a_copy_is_named_whatever_the_output(home: Home) -> None:
    assert home.client("install", "codex", "--guard").returncode == 0
    file = home.folder / ".codex/hooks.json"
    text = file.read_text(encoding="utf-8").replace('"timeout": 5', '"timeout": 9')
    file.write_text(text, encoding="utf-8")
    done = home.client("uninstall", "codex", "--output=json", "--quiet")
    assert f"A copy of the old file is {file}.before-unity-snippet." in done.stderr
    assert Path(f"{file}.before-unity-snippet").read_text(encoding="utf-8") == text


def test_a_folder_that_an_install_made_elsewhere_goes(home: Home) -> None:
    file = home.folder / "new/mcp.json"
    for command in ("install", "uninstall"):
        assert home.client(command, "cursor", "--file", str(file)).returncode == 0
    assert not file.parent.exists()


@needs_posix
def test_anothers_binary_program_stays(home: Home) -> None:
    file = home.written("Documents/Cline/Hooks/PreToolUse", "")
    file.write_bytes(b"\xff\xfe\0")
    assert guards(home)["cline"] == "no"
    done = home.client("install", "cline", "--guard", "--replace")
    assert done.returncode == 1
    assert f"{file} is another program, not a text" in done.stderr
    assert everything(home) == {"Documents/Cline/Hooks/PreToolUse": b"\xff\xfe\0"}
