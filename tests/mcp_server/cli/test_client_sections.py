"""``unity-cli client uninstall`` takes away what an install has made, and nothing of the user's."""

from __future__ import annotations

import json
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
