"""A server, or what else listens, that takes longer to answer than it is waited for."""

from __future__ import annotations

import socket
import threading
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path

import pytest
from running_server import free_port

from mcp_server.contract.errors import ToolError
from mcp_server.stdio import shared_server
from mcp_server.stdio.shared_server import SharedServer


class SlowServer:
    """A process that has started, said something, and serves nobody yet."""

    log = Path("serve.log")
    ended = False
    last_words = "INFO what it does first"

    def __init__(self, *_: object) -> None:
        pass


@pytest.mark.anyio
async def test_a_slow_server_is_told_with_its_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_server, "ServerProcess", SlowServer)
    monkeypatch.setattr(shared_server, "START_LIMIT_S", 0.5)
    found = await SharedServer(free_port(), None, None).ensure()
    assert isinstance(found, ToolError)
    told = (
        "No server could be started. It did not start within 0.5 s. Try again; its log: serve.log"
    )
    assert found.message == told


@pytest.mark.anyio
async def test_what_is_silent_is_told_while_it_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(shared_server, "LOGGED_AFTER_S", 0.0)
    monkeypatch.setattr(shared_server, "ANSWER_LIMIT_S", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as listener:  # which accepts, and says nothing
        port = listener.getsockname()[1]
        found = await SharedServer(port, None, None).ensure()
    assert isinstance(found, ToolError)
    assert found.message.startswith(f"The program on port {port} can't be used: no answer within")
    assert "restart it. Else choose another --port." in found.message
    assert len(found.message) <= 200
    assert [each.msg for each in caplog.records if each.levelname == "WARNING"] == ["no_answer_yet"]


@pytest.mark.anyio
async def test_what_answers_in_time_is_not_called_silent(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(shared_server, "LOGGED_AFTER_S", 60.0)
    with HTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        found = await SharedServer(other.server_port, None, None).ensure()
        other.shutdown()
    assert isinstance(found, ToolError)
    assert "End that program, or choose another --port." in found.message
    assert not caplog.records
