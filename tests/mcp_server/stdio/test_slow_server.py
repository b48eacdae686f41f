"""A server that takes longer to start than it is waited for."""

from __future__ import annotations

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
    told = "No server could be started. It is not there after 0.5 s. Try again; its log: serve.log"
    assert found.message == told
