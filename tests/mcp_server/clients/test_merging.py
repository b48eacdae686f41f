"""An entry of ours in the place of another: the old form goes, and what the user added stays."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from mcp_server.clients.config_files import Plan, Problem, parse_file
from mcp_server.clients.entries import (
    entry,
    gone,
    is_ours,
    literal_token,
    merged,
    token_by_reference,
    tokens_in,
)
from mcp_server.clients.installation import document_of, plan
from mcp_server.clients.table import CLIENTS, Client, Format, Scope, Transport

URL = "http://127.0.0.1:48091/mcp"
COMMAND = ["/bin/unity-cli", "mcp"]
TOKEN = "s3cret"


def forms(client: Client) -> dict[str, dict[str, Any]]:
    """Every entry that an install writes for ``client``, by its options."""
    found: dict[str, Any] = {}
    for transport in client.transports:
        plain = entry(client, transport, url=URL, command=COMMAND)
        found[f"{transport}"] = plain
        named = token_by_reference(client, transport)
        if not isinstance(named, Problem):
            found[f"{transport} --token-env"] = plain | named
        if transport is Transport.HTTP:
            literal = literal_token(client, Scope.USER, TOKEN)
            assert not isinstance(literal, Problem)
            found["http --token-file"] = plain | literal
        else:
            command = [*COMMAND, "--token-file", "T"]
            found["stdio --token-file"] = entry(client, transport, url=URL, command=command)
    return found


def changes(client: Client) -> list[tuple[str, str]]:
    """Every form with every other that may take its place."""
    return list(itertools.permutations(forms(client), 2))


def installed(client: Client, text: str, content: dict[str, Any], file: Path, **more: Any) -> Plan:
    file.write_bytes(text.encode())
    made = plan(client, file, "unity", content, **more)
    assert isinstance(made, Plan), made
    return made


def entry_in(client: Client, text: str | None) -> dict[str, Any]:
    assert text is not None
    found = parse_file(client.format, text)[client.section]["unity"]
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("name", CLIENTS)
def test_what_an_install_wrote_goes_with_the_next_one(tmp_path: Path, name: str) -> None:
    client, file = CLIENTS[name], tmp_path / "file"
    for first, second in changes(client):
        old, new = forms(client)[first], forms(client)[second]
        made = installed(client, document_of(client, "unity", old), new, file)
        assert made.after == document_of(client, "unity", new), (first, second)
        assert {each.partition(".")[0] for each in made.gone} >= set(old) - set(new)
        assert TOKEN not in str(made.gone)
        assert made.tokens == ((TOKEN,) if first == "http --token-file" else ())
        # As earlier versions left it: both forms in one entry.
        made = installed(client, document_of(client, "unity", old | new), new, file)
        assert entry_in(client, made.after) == new, (first, second)


@pytest.mark.parametrize("name", CLIENTS)
def test_what_the_user_added_stays(tmp_path: Path, name: str) -> None:
    client, file = CLIENTS[name], tmp_path / "file"
    mine: dict[str, Any] = {"disabled": True, "timeout": 5, "alwaysAllow": ["get_symbols"]}
    inner = {"env": {"MINE": "1"}, client.headers_key: {"X-Mine": "2"}}
    if client.only_over:  # it would refuse one of them
        inner = {}
    for first, second in changes(client):
        old, new = forms(client)[first], forms(client)[second]
        before = {**old, **mine, **{k: {**v, **old.get(k, {})} for k, v in inner.items()}}
        made = installed(client, document_of(client, "unity", before), new, file)
        expected = {**new, **mine, **{k: {**v, **new.get(k, {})} for k, v in inner.items()}}
        assert entry_in(client, made.after) == expected, (first, second)
        assert not {"disabled", "timeout", "env.MINE"} & set(made.gone)
        assert not installed(client, made.after or "", new, file).changes


@pytest.mark.parametrize(
    ("mine", "form"),
    [
        ({"cwd": "/x", "env": {"MINE": "1"}}, "http"),
        ({"http_headers": {"X-Mine": "1"}}, "stdio"),
        ({"bearer_token_env_var": "MY_TOKEN"}, "stdio"),
    ],
)
def test_codex_takes_some_keys_over_one_transport_only(
    tmp_path: Path, mine: dict[str, Any], form: str
) -> None:
    client, file = CLIENTS["codex"], tmp_path / "config.toml"
    other = forms(client)["stdio" if form == "http" else "http"] | mine | {"enabled": False}
    new = forms(client)[form]
    file.write_text(document_of(client, "unity", other), encoding="utf-8")
    refused = plan(client, file, "unity", new)
    assert isinstance(refused, Problem)
    assert f"has {', '.join(sorted(mine))}, which Codex takes only over" in refused.message
    assert "--replace" in refused.message
    made = plan(client, file, "unity", new, replace=True)
    assert isinstance(made, Plan)
    assert entry_in(client, made.after) == new
    assert "enabled" in made.gone


def test_a_toml_table_with_tables_below_it(tmp_path: Path) -> None:
    text = (
        f'model = "o9" # mine\n\n[mcp_servers.unity]\nurl = "{URL}"\nstartup_timeout_sec = 9\n\n'
        f'[mcp_servers.unity.http_headers]\nAuthorization = "Bearer {TOKEN}"\n\n[tui]\na = 1\n'
    )
    client = CLIENTS["codex"]
    made = installed(client, text, forms(client)["stdio"], tmp_path / "config.toml")
    assert made.after is not None
    assert entry_in(client, made.after) == forms(client)["stdio"] | {"startup_timeout_sec": 9}
    assert TOKEN not in made.after
    assert made.after.startswith('model = "o9" # mine\n')
    assert parse_file(Format.TOML, made.after)["tui"] == {"a": 1}
    assert made.gone == ("url", "http_headers.Authorization")


@pytest.mark.parametrize(
    ("mine", "form", "stays"),
    [
        # Nothing that an install writes.
        ({"headers": {"Authorization": "Basic x"}}, "http", True),
        ({"headers": {"Authorization": "Bearer ${env:MINE}"}}, "http", True),
        ({"env": {"UNITY_CLI_TOKEN": "literal"}}, "stdio", True),
        ({"env": {}}, "stdio", True),
        ({"headers": "x"}, "http", True),
        # Of two ways to send a token one is wrong.
        ({"headers": {"Authorization": "Bearer ${env:MINE}"}}, "http --token-env", False),
        ({"headers": "x"}, "http --token-env", False),
    ],
)
def test_what_only_looks_like_ours(mine: dict[str, Any], form: str, stays: bool) -> None:
    new = forms(CLIENTS["cursor"])[form]
    assert merged(CLIENTS["cursor"], mine, new) == (new | mine if stays else new)


def test_codex_has_one_way_to_send_a_token() -> None:
    client = CLIENTS["codex"]
    plain, literal = forms(client)["http"], forms(client)["http --token-file"]
    mine = {"bearer_token_env_var": "MINE"}
    assert merged(client, mine, plain) == plain | mine
    assert merged(client, mine, literal) == literal


def test_tools_that_the_user_chose_stay_chosen() -> None:
    client = CLIENTS["copilot-cli"]
    mine = {"tools": ["get_symbols"]}
    assert merged(client, mine, forms(client)["stdio"])["tools"] == ["get_symbols"]


def test_what_goes_is_named_and_not_told() -> None:
    old = {"a": 1, "env": {"B": "x", "C": "y"}, "d": {}, "e": 5}
    assert gone(old, {"env": {"C": "z"}, "e": {}}) == ("a", "env.B", "d")


def test_tokens_of_all_entries_are_known(tmp_path: Path) -> None:
    cursor = CLIENTS["cursor"]
    values = ["Bearer a", "Bearer abc", "Bearer ${env:X}", "alone", 5]
    entries = [{"headers": {"Authorization": value}} for value in values]
    assert tokens_in(cursor, [*entries, 5, {"headers": 5}]) == ("abc", "a")
    text = json.dumps({"mcpServers": dict(enumerate(entries))})
    made = installed(cursor, text, forms(cursor)["http"], tmp_path / "mcp.json")
    assert made.tokens == ("abc", "a")
    assert "abc" not in repr(Plan(made.file, None, None, tokens=made.tokens))


@pytest.mark.parametrize(
    ("entry", "ours"),
    [
        ({"command": "unity-cli", "args": ["mcp"]}, True),
        ({"command": "/opt/venv/bin/unity-cli", "args": ["mcp"]}, True),
        ({"command": "C:\\venv\\Scripts\\unity-cli.exe", "args": ["mcp"]}, True),
        ({"command": "uvx", "args": ["unity-snippet@0.1.0", "mcp"]}, True),
        ({"command": "uvx", "args": ["--from", "unity-snippet", "unity-cli", "mcp"]}, True),
        ({"command": "python", "args": ["-m", "mcp_server.cli", "mcp"]}, True),
        ({"command": "npx", "args": ["files", "/home/me/unity-cli"]}, False),
        ({"command": "npx", "args": ["files", "--root", "/src/unity-snippet/docs"]}, False),
        ({"command": "unity-cli-of-others", "args": ["mcp"]}, False),
        ({"command": "other", "args": ["--name=unity-cli mcp"]}, False),
        ({"url": "http://127.0.0.1:48091/mcp"}, True),
        ({"url": "http://example.com/mcp"}, False),
        ("unity-cli", False),
    ],
)
def test_an_entry_is_ours_if_it_starts_or_reaches_this_program(entry: Any, ours: bool) -> None:
    assert is_ours(entry) is ours
