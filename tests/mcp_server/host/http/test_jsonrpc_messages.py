"""JSON-RPC as the protocol has it, over real sockets: what is no message, and cancellations."""

from __future__ import annotations

import asyncio
import json
from itertools import product

import pytest
from live_server import LiveServer
from raw_http import RawConnection, messages, request

from mcp_server.host.http.request_bodies import BATCH, NO_OBJECT, Unsound, sound

pytestmark = pytest.mark.anyio


ANY = b'{"jsonrpc": "2.0", "method": "ping", "id": 7}'
INTRODUCTION = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
NO_ID = Unsound("id must be a string or an integer")
NO_VERSION = 'jsonrpc must be "2.0"'


def with_id(text: str) -> bytes:
    return ANY.replace(b"7", text.encode())


def introduced(**wrong: object) -> bytes:
    params = {**INTRODUCTION, **wrong}
    sent = {"jsonrpc": "2.0", "id": 7, "method": "initialize", "params": params}
    return json.dumps(sent).encode()


def with_arguments(text: str) -> bytes:
    params = f'{{"name": "edit_snippet", "arguments": {text}}}'
    return f'{{"jsonrpc": "2.0", "method": "tools/call", "id": 7, "params": {params}}}'.encode()


def twice(key: str) -> Unsound:
    return Unsound(f'the key "{key}" appears twice in one object', 7)


def wrong(problem: str) -> Unsound:
    return Unsound(f"params.{problem}", 7, -32602)


UNSOUND = [
    *(
        (with_id(text), NO_ID)
        for text in ["1.5", "null", "true", "false", "{}", "[]", "1e400", "-0.5"]
    ),
    (b"[" + ANY + b"]", Unsound(BATCH)),
    (b"[]", Unsound(BATCH)),
    (b'"ping"', Unsound(NO_OBJECT)),
    (b"null", Unsound(NO_OBJECT)),
    (b"{}", Unsound(NO_VERSION)),
    (ANY.replace(b"2.0", b"1.0"), Unsound(NO_VERSION, 7)),
    (ANY.replace(b'"ping"', b"5"), Unsound("method must be a string", 7)),
    (b'{"jsonrpc": "2.0", "id": "a"}', Unsound("method must be a string", "a")),
    (ANY.replace(b'"id"', b'"params": [], "id"'), Unsound("params must be an object", 7)),
    (ANY.replace(b'"id": 7', b'"params": 1'), Unsound("params must be an object")),
    (introduced(protocolVersion=5), wrong("protocolVersion must be a string")),
    (introduced(capabilities=[]), wrong("capabilities must be an object")),
    (introduced(clientInfo="me"), wrong("clientInfo must be an object")),
    (introduced(clientInfo={"name": 5, "version": "1"}), wrong("clientInfo.name must be a string")),
    (introduced(clientInfo={"version": "1"}), wrong("clientInfo.name is missing")),
    # A key that is given twice has two readings.
    (with_arguments('{"mode": "preview", "mode": "apply"}'), twice("mode")),
    (with_arguments('{"instructions": [{"newText": "a", "newText": "b"}]}'), twice("newText")),
    (with_arguments('{"mode": "preview", "m\\u006fde": "preview"}'), twice("mode")),
]


@pytest.mark.parametrize(("body", "why"), UNSOUND, ids=[str(each) for each, _ in UNSOUND])
def test_what_is_no_message_is_told(body: bytes, why: Unsound) -> None:
    assert sound(body) == why


async def test_it_is_told_over_http_in_both_dialects(live: LiveServer) -> None:
    for version, (body, why) in product(("2025-06-18", "2026-07-28"), UNSOUND):
        async with RawConnection(live.port) as connection:
            await connection.post(body, MCP_Protocol_Version=version)
            status, headers, answer = await connection.answer()
        assert (status, headers["content-type"]) == (400, "application/json")
        error = {"code": why.code, "message": why.problem}
        assert messages(answer) == [{"jsonrpc": "2.0", "id": why.id, "error": error}]


async def test_an_id_that_is_one_is_answered(live: LiveServer) -> None:
    for sent, got in (("1.0", 1), ("-2.0", -2), ("1e3", 1000), ("0", 0), ('""', ""), ('"a"', "a")):
        async with RawConnection(live.port) as connection:
            await connection.post(with_id(sent))
            status, _, answer = await connection.answer()
        assert status == 200
        assert messages(answer) == [{"jsonrpc": "2.0", "id": got, "result": {}}]


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b'{"jsonrpc": "2.0", "method": "notifications/initialized"}',
        b'{"jsonrpc": "2.0", "method": "ping", "id": 1, "params": null}',
        b'{"jsonrpc": "2.0", "id": null, "result": {}}',
        b'{"jsonrpc": "2.0", "id": null, "error": {}}',
        # The same key in two objects is none twice.
        b'{"jsonrpc": "2.0", "method": "a", "id": 1, "params": {"a": [{"b": 1}, {"b": 1}]}}',
        introduced(),
    ],
)
def test_messages_and_what_is_no_json_are_passed_on(body: bytes) -> None:
    assert sound(body) == body


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
