"""``unity-cli client``: an uninstall takes away what installs made, and nothing of the user's."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from client_home import Home
from user_state import set_state

from mcp_server.clients.json_document import parse_json
from mcp_server.clients.table import CLIENTS, Format

BY_SECTION = {
    client.section: name for name, client in CLIENTS.items() if client.format is Format.JSON
}
"""A client for each name that a section has."""


def file_of(home: Home, name: str) -> Path:
    rows = json.loads(home.client("list", "--output", "json").stdout)
    return Path(next(row["file"] for row in rows if row["name"] == name))


def there_and_back(home: Home, name: str, text: str) -> str | None:
    """What becomes of ``text``, the client's file, by an install and an uninstall."""
    file = file_of(home, name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())
    for command in ("install", "uninstall"):
        done = home.client(command, name)
        assert done.returncode == 0, done.stderr
    return file.read_bytes().decode() if file.exists() else None


@pytest.mark.parametrize("name", BY_SECTION.values())
@pytest.mark.parametrize(
    "text",
    [
        '{\n  "%s": {\n    // off for now:\n    // "blender": {"command": "x"}\n  }\n}\n',
        '{\n  "a": 1,\n  "%s": { // {\n  }\n}\n',
        '{"%s": {/* none */}}',
        '{"%s": /* none */ {}}',
        '{"%s": {}}',
        '{\n  "%s": {}\n}\n',
        '{\n  "%s": {},\n  "a": 1\n}\n',
    ],
)
def test_a_section_that_was_there_stays_with_its_comments(home: Home, name: str, text: str) -> None:
    section = CLIENTS[name].section
    before = text.replace("%s", section)
    after = there_and_back(home, name, before)
    assert after is not None
    assert parse_json(after) == parse_json(before)
    assert "".join(after.split()) == "".join(before.split())


@pytest.mark.parametrize("name", BY_SECTION.values())
@pytest.mark.parametrize(
    "text", ['{"a": 1}', '{\n  "a": 1, // one\n  // two\n}\n', '// mine\n{\n  "a": 1\n}\n']
)
def test_a_section_that_an_install_made_goes(home: Home, name: str, text: str) -> None:
    after = there_and_back(home, name, text)
    assert after is not None
    assert parse_json(after) == {"a": 1}
    assert "".join(after.split()) == "".join(text.split())


def test_a_comment_in_a_section_that_an_install_made_keeps_it(home: Home) -> None:
    file = home.written(".cursor/mcp.json", '{"a": 1}\n')
    home.client("install", "cursor")
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('"unity": {', '// mine\n    "unity": {'), encoding="utf-8")
    assert home.client("uninstall", "cursor").returncode == 0
    assert "// mine\n" in file.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [*BY_SECTION.values(), "codex"])
@pytest.mark.parametrize("text", ["{\n}\n", "{}\n", "{}", "\n", ""])
def test_a_file_that_was_there_stays(home: Home, name: str, text: str) -> None:
    if CLIENTS[name].format is Format.TOML:
        text = text.replace("{", "").replace("}", "")
    after = there_and_back(home, name, text)
    assert after is not None
    assert "".join(after.split()) in ("", "{}")


def test_a_section_that_somebody_else_has_made_since_is_theirs(home: Home) -> None:
    file = file_of(home, "cursor")
    home.client("install", "cursor")
    file.unlink()
    text = '{\n  "mcpServers": {}\n}\n'
    assert there_and_back(home, "cursor", text) == text


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"x": 1}', None])
def test_what_is_not_known_to_be_made_stays(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: bytes | None
) -> None:
    set_state(monkeypatch, tmp_path / "state")
    file = file_of(home, "cursor")
    home.client("install", "cursor")
    (record,) = (tmp_path / "state").rglob("clients.json")
    assert str(file.resolve()) in json.loads(record.read_bytes())
    if damage is None:
        record.unlink()
    else:
        record.write_bytes(damage)
    assert home.client("uninstall", "cursor").returncode == 0
    assert json.loads(file.read_bytes()) == {"mcpServers": {}}


def test_nothing_is_known_any_more_once_all_is_out(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_state(monkeypatch, tmp_path / "state")
    for name in ("cursor", "codex", "zed"):
        home.client("install", name)
    for name in ("cursor", "codex", "zed"):
        assert home.client("uninstall", name).returncode == 0
    assert [each for each in (tmp_path / "state").rglob("*") if not each.is_dir()] == []


# -- entries that change their form, and commands at once ------------------------------------------

NAMES = ("n1", "n2", "n3")
ROUNDS = 2
"""Each lost an entry three times in four when there was no lock."""


def servers(home: Home, client: str) -> dict[str, dict[str, object]]:
    rows = json.loads(home.client("list", "--output", "json").stdout)
    file = Path(next(row["file"] for row in rows if row["name"] == client))
    if not file.exists():
        return {}
    text = file.read_text(encoding="utf-8")
    known = CLIENTS[client]
    document = tomllib.loads(text) if known.format is Format.TOML else json.loads(text)
    found = document.get(known.section, {})
    assert isinstance(found, dict)
    return found


def test_commands_at_once_lose_nothing(home: Home) -> None:
    for _ in range(ROUNDS):
        named = [("cursor", "--name", name) for name in NAMES]
        done = home.clients_at_once(*[("install", *arguments) for arguments in named])
        assert [code for code, _ in done] == [0, 0, 0], done
        assert sorted(servers(home, "cursor")) == list(NAMES)
        done = home.clients_at_once(*[("uninstall", *arguments) for arguments in named])
        assert [code for code, _ in done] == [0, 0, 0], done
        assert servers(home, "cursor") == {}


def test_the_skill_is_there_after_installs_and_an_uninstall_at_once(home: Home) -> None:
    skill = home.folder / ".cursor/skills/unity-scripts/SKILL.md"
    for _ in range(ROUNDS):
        assert home.client("install", "cursor", "--skill", "--name", "old").returncode == 0
        done = home.clients_at_once(
            ("uninstall", "cursor", "--name", "old"),
            *[("install", "cursor", "--skill", "--name", name) for name in NAMES],
        )
        assert [code for code, _ in done] == [0, 0, 0, 0], done
        assert skill.is_file()
        for name in NAMES:
            assert home.client("uninstall", "cursor", "--name", name).returncode == 0
        assert not skill.exists()


@pytest.mark.parametrize("client", ["cursor", "codex", "claude-code", "windsurf"])
def test_what_goes_with_another_form_is_told_and_no_token_is(home: Home, client: str) -> None:
    key = "http_headers" if client == "codex" else "headers"
    tokens = home.written("token", "s3cret\n")
    tokens.chmod(0o600)
    over_http = ("install", client, "--http", "--token-file", str(tokens))
    for name in ("unity", "other"):  # the other's stands beside it
        assert home.client(*over_http, "--name", name).returncode == 0
    dry = home.client("install", client, "--dry-run")
    assert "Bearer …" in dry.stdout
    assert f"{key}.Authorization" in dry.stdout
    as_json = home.client("install", client, "--dry-run", "--output", "json")
    assert f"{key}.Authorization" in json.loads(as_json.stdout)["gone"]
    assert servers(home, client)["unity"][key] == {"Authorization": "Bearer s3cret"}
    out = home.client("uninstall", client, "--dry-run")
    assert "Bearer …" in out.stdout
    done = home.client("install", client)
    assert f"{key}.Authorization" in done.stdout
    assert {"command", "args"} <= set(servers(home, client)["unity"])
    assert not {key, "url", "serverUrl"} & set(servers(home, client)["unity"])
    assert "s3cret" not in "".join(each.stdout + each.stderr for each in (dry, as_json, out, done))
    again = home.client("install", client)
    assert "Gone" not in again.stdout


def test_a_token_that_is_written_with_escapes_is_not_shown(home: Home) -> None:
    tokens = home.written("token", 's3"cr\\et\n')
    tokens.chmod(0o600)
    over_http = ("install", "cursor", "--http", "--token-file", str(tokens))
    new = home.client(*over_http, "--dry-run")
    assert home.client(*over_http).returncode == 0
    old = home.client("install", "cursor", "--dry-run")
    for shown in (new.stdout, old.stdout):
        assert '"Bearer …"' in shown
        assert "s3" not in shown


def test_a_variable_of_ours_goes_and_the_users_own_stays(home: Home) -> None:
    assert home.client("install", "claude-code", "--token-env").returncode == 0
    file = home.folder / ".claude.json"
    document = json.loads(file.read_bytes())
    entry = document["mcpServers"]["unity"]
    assert entry["env"] == {"UNITY_CLI_TOKEN": "${UNITY_CLI_TOKEN}"}
    entry["env"]["MINE"] = "1"
    file.write_text(json.dumps(document), encoding="utf-8")
    done = home.client("install", "claude-code")
    assert "Removed from the entry: env.UNITY_CLI_TOKEN." in done.stdout
    assert servers(home, "claude-code")["unity"]["env"] == {"MINE": "1"}


def test_what_the_client_would_refuse_is_said(home: Home) -> None:
    assert home.client("install", "codex").returncode == 0
    file = home.folder / ".codex/config.toml"
    text = f'{file.read_text(encoding="utf-8")}\n[mcp_servers.unity.env]\nMINE = "1"\n'
    file.write_text(text, encoding="utf-8")
    refused = home.client("install", "codex", "--http")
    assert refused.returncode == 1
    assert "has env, which Codex takes only over stdio" in refused.stderr
    assert file.read_text(encoding="utf-8") == text
    assert home.client("install", "codex", "--http", "--replace").returncode == 0
    assert set(servers(home, "codex")["unity"]) == {"url"}
