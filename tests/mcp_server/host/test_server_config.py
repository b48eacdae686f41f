"""Start-up options: what is taken, and what is said about the rest."""

from __future__ import annotations

import asyncio
import os
import socket
from pathlib import Path

import pytest
from running_server import free_port

from mcp_server.calls.project import find_project
from mcp_server.calls.server.server_file import DEFAULT_PORT
from mcp_server.contract.errors import ToolError, ToolErrorCode
from mcp_server.host.config import (
    ServerConfig,
    bind,
    check_token,
    parse_port,
    token_of,
    weakness_of,
)


@pytest.mark.parametrize(
    "text", ["", "abc", "-1", "0", "65536", "4.5", "٤٨", "1e3", " 80", "²", "9" * 5000]
)
def test_wrong_ports(text: str) -> None:
    error = parse_port(text)
    assert isinstance(error, ToolError)
    assert error.code is ToolErrorCode.CONFIG_VALIDATION
    assert "65535" in error.message
    assert [parse_port(port) for port in ("1", "48091", "65535")] == [1, 48091, 65535]


def test_the_default_port_is_the_specs() -> None:
    assert ServerConfig().port == DEFAULT_PORT == 48091
    assert ServerConfig().url == "http://127.0.0.1:48091/mcp"


@pytest.mark.parametrize("token", ["", "two words", "naïve", "a\n"])
def test_tokens_that_no_client_could_send(token: str) -> None:
    error = check_token(token, "--token-file some.file")
    assert error is not None
    assert error.message.startswith("--token-file some.file")
    assert error.code is ToolErrorCode.CONFIG_VALIDATION
    assert token not in error.message or not token
    for good in (None, "s3cret", "a.b-c_d~e+f/g=="):
        assert check_token(good, "UNITY_CLI_TOKEN") is None


def test_where_a_wrong_token_is_from_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNITY_CLI_TOKEN", "")
    of_variable = token_of(None)
    assert isinstance(of_variable, ToolError)
    assert of_variable.message.startswith("UNITY_CLI_TOKEN is empty.")
    file = tmp_path / "token"
    file.touch(0o600)
    of_file = token_of(file)
    assert isinstance(of_file, ToolError)
    assert of_file.message.startswith(f"--token-file {file} is empty.")


def test_a_token_that_can_be_guessed_is_told_without_it() -> None:
    told = weakness_of("abc")
    assert told is not None
    assert "3 characters" in told
    assert "abc" not in told
    assert weakness_of("x" * 15) is not None
    assert weakness_of("x" * 16) is None


def test_a_port_in_use() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        error = bind(port)
        assert isinstance(error, ToolError)
        assert error.code is ToolErrorCode.CONFIG_VALIDATION
        assert f"--port {port} is in use" in error.message


def test_only_the_loopback_address_is_bound() -> None:
    port = free_port()
    listener = bind(port)
    assert isinstance(listener, socket.socket)
    with listener:
        assert listener.getsockname() == ("127.0.0.1", port)
        with socket.create_connection(("127.0.0.1", port), timeout=10):
            pass


def test_answers_do_not_wait_for_acknowledgements() -> None:
    async def connection_has_no_delay(port: int, listener: socket.socket) -> int:
        accepted: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def on_connection(_reader: object, writer: asyncio.StreamWriter) -> None:
            found = writer.get_extra_info("socket")
            accepted.set_result(found.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        async with await asyncio.start_server(on_connection, sock=listener):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            no_delay = await accepted
            writer.close()
            return no_delay

    port = free_port()
    listener = bind(port)
    assert isinstance(listener, socket.socket)
    assert asyncio.run(connection_has_no_delay(port, listener))


def test_the_nearest_project_upward(tmp_path: Path) -> None:
    for root in (tmp_path / "outer", tmp_path / "outer" / "inner"):
        (root / "Assets" / "Deep").mkdir(parents=True)
        (root / "ProjectSettings").mkdir()
    inner = tmp_path / "outer" / "inner"
    assert find_project(inner / "Assets" / "Deep") == inner
    assert find_project(inner) == inner
    assert find_project(tmp_path / "outer" / "Assets") == tmp_path / "outer"


def test_a_folder_with_one_of_the_two_is_no_project(tmp_path: Path) -> None:
    (tmp_path / "Assets").mkdir()
    (tmp_path / "ProjectSettings").write_text("a file")
    found = find_project(tmp_path)
    assert found is None or not found.is_relative_to(tmp_path), os.fspath(tmp_path)
