"""The guard's hooks in clients' files: others' hooks stay, and an uninstall undoes it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from mcp_server.clients import config_files, guard_hooks
from mcp_server.clients.config_files import Plan, Problem
from mcp_server.clients.guard_hooks import Installed, installed_in, plan_hooks, plan_hooks_removal
from mcp_server.clients.installation import carry_out
from mcp_server.clients.table import CLIENTS
from mcp_server.guard.clients.adapter import Adapter, HookFile
from mcp_server.guard.clients.table import ADAPTERS
from mcp_server.guard.events import Moment
from mcp_server.hook import CLIENTS as HOOK_CLIENTS

ROOT = Path(__file__).parents[3]
FILES = [(name, each) for name, adapter in ADAPTERS.items() for each in adapter.files]
SHARED = [(name, each) for name, each in FILES if not each.own]
OWN = [(name, each) for name, each in FILES if each.own]
LAYOUTS = [
    "{}",
    "{}\n",
    '{"hooks": {}}',
    '{"hooks":{"PreToolUse":[],"preToolUse":[]}}',
    '{\n  "model": "x",\n  "hooks": {\n    "PreToolUse": [\n      {"matcher": "Bash", "hooks": '
    '[{"type": "command", "command": "a.sh"}]}\n    ],\n    "Stop": []\n  }\n}\n',
    '{"hooks":{"stop":[{"command":"x"}],"BeforeTool":[{"hooks":[{"command":"x"}]}]},"version":1}',
    '// c\n{\r\n\t"a": [1,2], // z\r\n\t"hooks": { /* mine */ "BeforeTool": [ {"x": 1}, ], },\r\n}',
    '\ufeff{"a": 1}\n',
]


@pytest.fixture(autouse=True)
def _own_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config_files, "state_folder", lambda: tmp_path / "state")


def install(name: str, file: Path, hook: HookFile, *, replace: bool = False) -> Plan:
    done = carry_out(lambda: plan_hooks(name, file, hook, system="linux", replace=replace))
    assert isinstance(done, Plan), done
    assert guard_hooks.make_executable(file, hook) is None
    return done


def uninstall(name: str, file: Path, hook: HookFile) -> Plan:
    done = carry_out(lambda: plan_hooks_removal(name, file, hook, system="linux"))
    assert isinstance(done, Plan), done
    return done


@pytest.mark.parametrize("before", [None, *LAYOUTS])
@pytest.mark.parametrize(("name", "hook"), SHARED)
def test_there_and_back(tmp_path: Path, name: str, hook: HookFile, before: str | None) -> None:
    file = tmp_path / "settings.json"
    if before is not None:
        file.write_bytes(before.encode())
    assert installed_in(name, file, hook, system="linux") is Installed.NO
    assert install(name, file, hook).changes
    assert installed_in(name, file, hook, system="linux") is Installed.CURRENT
    assert not install(name, file, hook).changes
    assert uninstall(name, file, hook).changes
    assert (file.read_bytes().decode() if file.exists() else None) == before
    assert not uninstall(name, file, hook).changes
    assert not (tmp_path / "state/clients.json").exists()


@pytest.mark.parametrize(("name", "hook"), SHARED)
def test_another_text_of_ours_is_replaced_only_if_asked_and_others_hooks_stay(
    tmp_path: Path, name: str, hook: HookFile
) -> None:
    file = tmp_path / "settings.json"
    other = '{"hooks": [{"command": "theirs.sh"}], "command": "theirs.sh"}'
    old = f'{{"command": "/old/unity-cli hook {name} --fast"}}'
    file.write_text(f'{{"hooks": {{"Old": [{old}, {other}]}}}}', encoding="utf-8")
    assert installed_in(name, file, hook, system="linux") is Installed.OTHER
    before = file.read_bytes()
    refused = plan_hooks(name, file, hook, system="linux")
    assert isinstance(refused, Problem)
    assert "--replace" in refused.message
    done = install(name, file, hook, replace=True)
    assert done.copy is not None
    assert done.copy.read_bytes() == before
    text = file.read_text(encoding="utf-8")
    assert "--fast" not in text
    assert text.count(other) == 1
    assert installed_in(name, file, hook, system="linux") is Installed.CURRENT


def test_one_of_several_handlers_of_a_group_is_ours(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    theirs = {"type": "command", "command": "theirs.sh"}
    ours = {"type": "command", "command": "unity-cli", "args": ["hook", "claude-code"]}
    groups = {"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [ours, theirs]}]}}
    file.write_text(json.dumps(groups), encoding="utf-8")
    uninstall("claude-code", file, ADAPTERS["claude-code"].files[0])
    left = {"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [theirs]}]}}
    assert json.loads(file.read_text(encoding="utf-8")) == left


def test_hooks_that_were_added_to_a_file_of_ours_stay(tmp_path: Path) -> None:
    file, hook = tmp_path / "hooks.json", ADAPTERS["cursor"].files[0]
    install("cursor", file, hook)
    document = json.loads(file.read_text(encoding="utf-8"))
    document["hooks"]["stop"].append({"command": "theirs.sh"})
    file.write_text(json.dumps(document), encoding="utf-8")
    uninstall("cursor", file, hook)
    left = {"version": 1, "hooks": {"stop": [{"command": "theirs.sh"}]}}
    assert json.loads(file.read_text(encoding="utf-8")) == left


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "it is not JSON"),
        ("[]", "the document is not an object"),
        ('{"hooks": []}', "hooks is not an object"),
        ('{"hooks": {"PreToolUse": {}}}', "hooks.PreToolUse is not a list"),
    ],
)
def test_a_broken_file_is_refused_and_stays(tmp_path: Path, text: str, why: str) -> None:
    file, hook = tmp_path / "settings.json", ADAPTERS["claude-code"].files[0]
    file.write_text(text, encoding="utf-8")
    done = plan_hooks("claude-code", file, hook, system="linux")
    assert isinstance(done, Problem)
    assert done.message.startswith(f"{file} can't be changed: {why}")
    assert file.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(("name", "hook"), OWN)
def test_a_file_of_ours(tmp_path: Path, name: str, hook: HookFile) -> None:
    file = tmp_path / "hook"
    assert install(name, file, hook).changes
    assert installed_in(name, file, hook, system="linux") is Installed.CURRENT
    if os.name == "posix":
        assert os.access(file, os.X_OK) == hook.executable
    assert not install(name, file, hook).changes
    assert uninstall(name, file, hook).changes
    assert not file.exists()


@pytest.mark.parametrize(("name", "hook"), OWN)
def test_a_file_of_someone_else_stays(tmp_path: Path, name: str, hook: HookFile) -> None:
    file = tmp_path / "hook"
    file.write_text('{"hooks": {"PreToolUse": [{"command": "theirs.sh"}]}}', encoding="utf-8")
    done = plan_hooks(name, file, hook, system="linux")
    assert isinstance(done, Problem)
    assert "--replace" in done.message
    assert not uninstall(name, file, hook).changes
    before = file.read_bytes()
    replaced = install(name, file, hook, replace=True)
    assert replaced.copy is not None
    assert replaced.copy.read_bytes() == before


@pytest.mark.parametrize(("name", "hook"), FILES)
def test_what_a_user_changed_in_our_hooks_is_never_lost(
    tmp_path: Path, name: str, hook: HookFile
) -> None:
    file = tmp_path / "hook"
    for _ in range(2):
        install(name, file, hook)
        text = file.read_text(encoding="utf-8")
        edited = text.replace(f"hook {name}", f"hook {name} --mine")
        edited = text + "// mine\n" if edited == text else edited
        file.write_text(edited, encoding="utf-8")
        assert isinstance(plan_hooks(name, file, hook, system="linux"), Problem)
        assert file.read_text(encoding="utf-8") == edited
        done = uninstall(name, file, hook)
        assert done.copy is not None
        assert done.copy.read_text(encoding="utf-8") == edited
    assert len(list(tmp_path.glob("hook.before-unity-snippet*"))) == 2


@pytest.mark.parametrize(("name", "hook"), SHARED)
def test_a_hook_of_ours_that_is_missing_is_added(tmp_path: Path, name: str, hook: HookFile) -> None:
    file = tmp_path / "settings.json"
    install(name, file, hook)
    document = json.loads(file.read_text(encoding="utf-8"))
    document["hooks"].popitem()
    file.write_text(json.dumps(document), encoding="utf-8")
    assert installed_in(name, file, hook, system="linux") is Installed.OTHER
    assert install(name, file, hook).copy is None
    assert installed_in(name, file, hook, system="linux") is Installed.CURRENT


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("claude-code", '"disableAllHooks": true'),
        ("gemini-cli", '"tools": {"enableHooks": false}'),
        ("gemini-cli", '"hooksConfig": {"enabled": false}'),
    ],
)
def test_a_setting_turns_hooks_off(tmp_path: Path, name: str, setting: str) -> None:
    file, (hook,) = tmp_path / "settings.json", ADAPTERS[name].files
    file.write_text(f"{{{setting}}}", encoding="utf-8")
    assert installed_in(name, file, hook, system="linux") is Installed.NO
    install(name, file, hook)
    assert installed_in(name, file, hook, system="linux") is Installed.OFF
    assert guard_hooks.switched_off(file, hook) is not None


def test_commands_are_the_same_in_every_version_and_never_fail_where_that_would_block() -> None:
    for name, adapter in ADAPTERS.items():
        for hook in adapter.files:
            for content in (hook.content, hook.on_windows):
                text = json.dumps(content)
                assert content is None or f"hook {name}" in text or "opencode" in text
                assert "/work" not in text
                assert sys.prefix not in text
    copilot = ADAPTERS["copilot-cli"].files[0]
    assert "exit 0" in json.dumps(copilot.content)
    assert "exit /b 0" in json.dumps(guard_hooks.content_of(copilot, "win32"))
    assert "exit 0" in json.dumps(ADAPTERS["gemini-cli"].files[0].content)


def test_every_client_with_hooks_is_a_client() -> None:
    assert ADAPTERS.keys() < CLIENTS.keys()
    assert set(HOOK_CLIENTS) == ADAPTERS.keys()


def test_the_page_says_what_each_client_is_told_at_the_end_and_start() -> None:
    page = (ROOT / "docs/howto/guard.md").read_text(encoding="utf-8")
    (start,) = (line for line in page.splitlines() if line.startswith("At the start of a session"))
    rows = {cells[1].strip(): cells for line in page.splitlines() if (cells := line.split("|"))[1:]}
    for name, adapter in ADAPTERS.items():
        title = CLIENTS[name].title
        text = json.dumps([each.content for each in adapter.files])

        def is_installed(moment: Moment, text: str = text, adapter: Adapter = adapter) -> bool:
            return any(f'"{each}"' in text for each, at in adapter.events.items() if at is moment)

        (cells,) = (cells for row, cells in rows.items() if row.split(" (")[0] == title)
        assert is_installed(Moment.STOP) != cells[4].strip().startswith("nothing"), name
        assert is_installed(Moment.START) != (title in start), name
