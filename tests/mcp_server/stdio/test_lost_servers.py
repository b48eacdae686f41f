"""What becomes of a message whose server goes away, and how long an answer is waited for."""

from __future__ import annotations

import json
from typing import Any, cast

import httpx2
import pytest
from running_server import edit

from mcp_server.calls.answer_limits import ANSWER_MARGIN_S, answer_limit_s
from mcp_server.stdio.pipe import Pipe, _called
from mcp_server.stdio.shared_server import SharedServer

pytestmark = pytest.mark.anyio


class DyingServer:
    """The project's server: its first ``deaths`` end while they are asked."""

    url = bound_url = "http://127.0.0.1:1/mcp"
    project = None

    def __init__(self, *deaths: Exception) -> None:
        self.deaths = list(deaths)
        self.asked = 0
        self.lease: object = object()

    async def ensure(self) -> None:
        """There is one by now."""

    async def leave(self) -> None:
        self.lease = object()

    def http_options(self) -> dict[str, Any]:
        return {"transport": httpx2.MockTransport(self._answer)}

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        self.asked += 1
        if self.deaths:
            raise self.deaths.pop(0)
        answer = {"jsonrpc": "2.0", "id": json.loads(request.content)["id"], "result": {}}
        return httpx2.Response(200, json=answer)


LOST = httpx2.ReadError("reset")
REFUSED = httpx2.ConnectError("refused")


@pytest.mark.parametrize(
    ("tool", "arguments", "is_answered"),
    [
        ("get_editor_state", {}, True),
        ("read_console", {}, True),
        ("edit_snippet", edit(), True),
        ("edit_snippet", edit("apply"), False),
        ("compile", {}, False),
    ],
)
async def test_what_only_reads_is_asked_of_the_next_server(
    tool: str, arguments: dict[str, Any], is_answered: bool
) -> None:
    server = DyingServer(LOST, REFUSED)
    told: list[dict[str, Any]] = []

    async def send(line: bytes) -> None:
        told.append(json.loads(line))

    pipe = Pipe(cast("SharedServer", server), send)
    params = {"name": tool, "arguments": arguments}
    call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
    await pipe.take(json.dumps(call).encode())
    await pipe.drain(60)
    await pipe.close()
    (answer,) = told
    assert answer["id"] == 7
    if is_answered:
        assert (answer["result"], server.asked) == ({}, 3)
        return
    error = answer["result"]["structuredContent"]["error"]
    assert (error["code"], server.asked) == ("ERR_RECONNECT_TIMEOUT", 1)
    assert error["details"]["execution_guarantee"] == "unknown"


@pytest.mark.parametrize(
    ("arguments", "limit_ms"),
    [
        ({}, 10_000),
        ({"timeout_ms": 20_000}, 20_000),
        ({"timeout_ms": "20000"}, 30_000),
        ({"timeoutMs": 20_000}, 30_000),
        ({"request": {"timeout_ms": 20_000}}, 30_000),
        ("text", 10_000),
    ],
)
def test_what_the_server_may_read_otherwise_gets_the_longest_time(
    arguments: Any, limit_ms: int
) -> None:
    params = {"name": "edit_snippet", "arguments": arguments}
    spec, known = _called({"method": "tools/call", "params": params})
    assert spec is not None
    assert answer_limit_s(spec, known) == limit_ms / 1000 + ANSWER_MARGIN_S
