"""JSON-RPC as the protocol has it, over real sockets: ids that are none, and cancelled requests."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import pytest
from live_server import LiveServer
from raw_http import RawConnection, messages, request

from mcp_server.host.request_bodies import with_sound_id

pytestmark = pytest.mark.anyio


@pytest.fixture
async def live() -> AsyncIterator[LiveServer]:
    async with LiveServer() as server:
        yield server


@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
@pytest.mark.parametrize("wrong", ["1.5", "null", "true", "false", "{}", "[]", "1e400", "-0.5"])
async def test_an_id_that_is_none_is_told(live: LiveServer, wrong: str, version: str) -> None:
    body = request("ping", 0).replace(b'"id": 0', f'"id": {wrong}'.encode())
    async with RawConnection(live.port) as connection:
        await connection.post(body, MCP_Protocol_Version=version)
        status, headers, answer = await connection.answer()
        assert (status, headers["content-type"]) == (400, "application/json")
        (message,) = messages(answer)
        assert message["id"] is None
        assert message["error"]["code"] == -32600
        assert "id" in message["error"]["message"]


@pytest.mark.parametrize(
    ("sent", "got"), [("1.0", 1), ("-2.0", -2), ("1e3", 1000), ("0", 0), ('""', ""), ('"a"', "a")]
)
async def test_an_id_that_is_one_is_answered(live: LiveServer, sent: str, got: object) -> None:
    body = request("ping", 0).replace(b'"id": 0', f'"id": {sent}'.encode())
    async with RawConnection(live.port) as connection:
        await connection.post(body)
        status, _, answer = await connection.answer()
        assert status == 200
        assert messages(answer) == [{"jsonrpc": "2.0", "id": got, "result": {}}]


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[]",
        b'{"jsonrpc": "2.0", "method": "notifications/initialized"}',
        b'{"jsonrpc": "2.0", "id": null, "result": {}}',
    ],
)
def test_what_is_no_request_is_not_judged(body: bytes) -> None:
    assert with_sound_id(body) == body


async def test_nothing_is_answered_after_a_cancellation(live: LiveServer) -> None:
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
    async with RawConnection(live.port) as calling, RawConnection(live.port) as other:
        await calling.post(request("tools/call", 7, name="read_console"), Mcp_Session_Id="me")
        await live.logged("request_state", state="waiting_editor_ready")
        await other.post(json.dumps(cancelled).encode(), Mcp_Session_Id="me")
        assert await other.status() == 202
        status, headers, body = await calling.answer()
        assert (status, headers["content-type"].split(";")[0]) == (200, "text/event-stream")
        assert messages(body) == []
        await live.logged("request_state", state="cancelled")
        # The connection is as good as before.
        await calling.post(request("ping", 8), Mcp_Session_Id="me")
        assert messages((await asyncio.wait_for(calling.answer(), 20))[2])[0]["id"] == 8
