"""JSON-RPC as the protocol has it, over real sockets: what is no message, and cancellations."""

from __future__ import annotations

import asyncio
import json

import pytest
from live_server import LiveServer
from raw_http import RawConnection, messages, request

from mcp_server.host.http.request_bodies import BATCH, NO_OBJECT, Unsound, sound

pytestmark = pytest.mark.anyio


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


ANY = b'{"jsonrpc": "2.0", "method": "ping", "id": 7}'


@pytest.mark.parametrize("version", ["2025-03-26", "2026-07-28"])
@pytest.mark.parametrize(
    ("body", "about", "problem"),
    [
        (b"[" + ANY + b"]", None, BATCH),
        (b"[]", None, BATCH),
        (b'"ping"', None, NO_OBJECT),
        (b"null", None, NO_OBJECT),
        (b"{}", None, 'jsonrpc must be "2.0"'),
        (ANY.replace(b"2.0", b"1.0"), 7, 'jsonrpc must be "2.0"'),
        (ANY.replace(b'"ping"', b"5"), 7, "method must be a string"),
        (b'{"jsonrpc": "2.0", "id": "a"}', "a", "method must be a string"),
        (ANY.replace(b'"id"', b'"params": [], "id"'), 7, "params must be an object"),
        (ANY.replace(b'"id": 7', b'"params": 1'), None, "params must be an object"),
    ],
)
async def test_what_is_no_message_is_told(
    live: LiveServer, body: bytes, about: object, problem: str, version: str
) -> None:
    async with RawConnection(live.port) as connection:
        await connection.post(body, MCP_Protocol_Version=version)
        status, headers, answer = await connection.answer()
        assert (status, headers["content-type"]) == (400, "application/json")
        (message,) = messages(answer)
        error = {"code": -32600, "message": problem}
        assert message == {"jsonrpc": "2.0", "id": about, "error": error}


INTRODUCTION = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"protocolVersion": 5}, "params.protocolVersion must be a string"),
        ({"capabilities": []}, "params.capabilities must be an object"),
        ({"clientInfo": "me"}, "params.clientInfo must be an object"),
        ({"clientInfo": {"name": 5, "version": "1"}}, "params.clientInfo.name must be a string"),
        ({"clientInfo": {"version": "1"}}, "params.clientInfo.name is missing"),
        ({}, None),
    ],
)
def test_what_is_wrong_with_an_introduction_is_told(
    wrong: dict[str, object], told: str | None
) -> None:
    params = {**INTRODUCTION, **wrong}
    sent = {"jsonrpc": "2.0", "id": 7, "method": "initialize", "params": params}
    body = json.dumps(sent).encode()
    expected = body if told is None else Unsound(told, 7, -32602)
    assert sound(body) == expected


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b'{"jsonrpc": "2.0", "method": "notifications/initialized"}',
        b'{"jsonrpc": "2.0", "method": "ping", "id": 1, "params": null}',
        b'{"jsonrpc": "2.0", "id": null, "result": {}}',
        b'{"jsonrpc": "2.0", "id": null, "error": {}}',
    ],
)
def test_messages_and_what_is_no_json_are_passed_on(body: bytes) -> None:
    assert sound(body) == body


@pytest.mark.parametrize(
    "arguments",
    [
        '{"mode": "preview", "mode": "apply"}',
        '{"instructions": [{"newText": "a", "newText": "b"}]}',
        '{"mode": "preview", "m\\u006fde": "preview"}',
    ],
)
def test_a_key_that_is_given_twice_has_two_readings(arguments: str) -> None:
    params = f'{{"name": "edit_snippet", "arguments": {arguments}}}'
    body = f'{{"jsonrpc": "2.0", "method": "tools/call", "id": 7, "params": {params}}}'
    found = sound(body.encode())
    assert isinstance(found, Unsound)
    assert found.id == 7
    assert "appears twice" in found.problem


def test_the_same_key_in_two_objects_is_none_twice() -> None:
    body = b'{"jsonrpc": "2.0", "method": "a", "id": 1, "params": {"a": [{"b": 1}, {"b": 1}]}}'
    assert sound(body) == body


@pytest.mark.parametrize("host", ["LOCALHOST", "LocalHost", "127.0.0.1", "[::1]"])
async def test_a_host_name_has_no_case(live: LiveServer, host: str) -> None:
    origin = f"HTTP://{host}:3000"
    async with RawConnection(live.port) as connection:
        await connection.post(ANY, Host=f"{host}:{live.port}", Origin=origin)
        assert await connection.status() == 200


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
