"""Addresses as people write them, and folders as a server's project is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from this_system import needs_posix

from mcp_server.calls.server.server_file import how_to_start, port_here, read_url
from mcp_server.calls.server.server_status import is_same_folder
from mcp_server.cli.arguments import server_port
from mcp_server.contract.errors import ToolError, ToolErrorCode


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("http://127.0.0.1:48091/mcp", "http://127.0.0.1:48091/mcp"),
        ("http://127.0.0.1:48091", "http://127.0.0.1:48091/mcp"),
        ("http://127.0.0.1:48091/", "http://127.0.0.1:48091/mcp"),
        ("http://localhost:5000/mcp/", "http://localhost:5000/mcp"),
        ("https://games.example/unity/mcp", "https://games.example/unity/mcp"),
        (" http://[::1]:5000\n", "http://[::1]:5000/mcp"),
    ],
)
def test_what_is_meant(written: str, meant: str) -> None:
    assert read_url(written) == meant


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("", "not an http URL"),
        ("nope", "not an http URL"),
        ("127.0.0.1:5000", "not an http URL. Write it as http://127.0.0.1:5000/mcp."),
        ("localhost:5000/", "not an http URL. Write it as http://localhost:5000/mcp."),
        ("localhost:port", "not an http URL. Write it as http://127.0.0.1:48091/mcp."),
        ("127.0.0.1:5000/unity", "not an http URL. Write it as http://127.0.0.1:48091/mcp."),
        ("ftp://127.0.0.1/mcp", "not an http URL"),
        ("http:///mcp", "not an http URL"),
        ("http://127.0.0.1:port/mcp", "port"),
        ("http://127.0.0.1:70000/mcp", "out of range"),
        ("http://127.0.0.1:0/mcp", "port 0"),
        ("http://[::1/mcp", "not a URL"),
        ("http://127.0.0.1:48091/unity", "must end in /mcp"),
    ],
)
def test_what_is_told(written: str, why: str) -> None:
    wrong = read_url(written)
    assert isinstance(wrong, ToolError)
    assert wrong.code is ToolErrorCode.CONFIG_VALIDATION
    assert why in wrong.message


def test_this_machine_s_own_ports() -> None:
    assert port_here("http://localhost:5000/mcp") == 5000
    assert port_here("http://127.0.0.1/mcp") == 80
    assert port_here("https://127.0.0.1:5000/mcp") is None
    assert port_here("http://games.example:5000/mcp") is None


@pytest.mark.parametrize(
    ("url", "advice"),
    [
        ("http://127.0.0.1:48091/mcp", "Start one with: unity-cli serve"),
        ("http://127.0.0.1:5000/mcp", "Start one with: unity-cli serve --port 5000"),
        ("http://games.example:5000/mcp", "Start one there, or correct the address."),
    ],
)
def test_a_server_is_started_where_it_is_asked_for(url: str, advice: str) -> None:
    assert how_to_start(url, "unity-cli serve") == advice


HERE = "http://127.0.0.1:{}"


@pytest.mark.parametrize(
    ("port", "url", "port_variable", "url_variable", "chosen"),
    [
        (None, None, None, None, None),
        ("5000", None, None, None, 5000),
        (None, HERE.format(5001), None, None, 5001),
        ("5001", HERE.format(5001), None, None, 5001),
        (None, None, "5002", None, 5002),
        (None, None, None, HERE.format(5003), 5003),
        (None, None, "", "", None),
        # An option beats the environment, whatever that says.
        ("5000", None, None, HERE.format(5003), 5000),
        (None, HERE.format(5001), "5002", "nonsense", 5001),
    ],
)
def test_the_port_that_a_server_takes(
    port: str | None,
    url: str | None,
    port_variable: str | None,
    url_variable: str | None,
    chosen: int,
) -> None:
    named = {"UNITY_CLI_PORT": port_variable, "UNITY_CLI_URL": url_variable}
    environment = {name: value for name, value in named.items() if value is not None}
    assert server_port(port, url, environment) == chosen


@pytest.mark.parametrize(
    ("port", "url", "environment", "why"),
    [
        ("5000", HERE.format(5001), {}, "--port says 5000, --url says 5001"),
        ("70000", None, {}, "--port must be from 1 to 65535"),
        (None, "http://games.example:5000", {}, "not on this machine"),
        (None, "nope", {}, "--url: "),
        ("", None, {}, "--port must be a number"),
        (None, "", {}, "--url: "),
        (None, None, {"UNITY_CLI_PORT": "x"}, "UNITY_CLI_PORT must be a number"),
        (None, None, {"UNITY_CLI_PORT": "1", "UNITY_CLI_URL": HERE.format(2)}, "UNITY_CLI_URL"),
    ],
)
def test_nothing_is_bound_in_silence(
    port: str | None, url: str | None, environment: dict[str, str], why: str
) -> None:
    wrong = server_port(port, url, environment)
    assert isinstance(wrong, ToolError)
    assert why in wrong.message


def test_another_folder_or_none(tmp_path: Path) -> None:
    (tmp_path / "Game").mkdir()
    (tmp_path / "game2").mkdir()
    assert is_same_folder(str(tmp_path / "Game"), tmp_path / "Game")
    assert is_same_folder(str(tmp_path / "game2" / ".." / "Game"), tmp_path / "Game")
    for other in ("game2", "Gone"):
        assert not is_same_folder(str(tmp_path / other), tmp_path / "Game")


@needs_posix
def test_a_link_to_it(tmp_path: Path) -> None:
    (tmp_path / "Game").mkdir()
    (tmp_path / "Work").symlink_to(tmp_path / "Game")
    assert is_same_folder(str(tmp_path / "Work"), tmp_path / "Game")
