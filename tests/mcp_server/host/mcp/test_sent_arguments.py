"""Arguments that are no object, sent over HTTP as no well-behaved client sends them."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from call_results import CONTRACTS
from live_server import LiveServer
from raw_http import RawConnection, messages

from mcp_server.contract.catalog import CATALOG

pytestmark = pytest.mark.anyio

HANDSHAKE, MODERN = "2025-06-18", "2026-07-28"
versions = pytest.mark.parametrize("version", [HANDSHAKE, MODERN])


async def called(live: LiveServer, version: str, **params: Any) -> dict[str, Any]:
    """The JSON-RPC answer to a call."""
    prefix = "io.modelcontextprotocol/"
    meta = {
        f"{prefix}protocolVersion": version,
        f"{prefix}clientInfo": {"name": "raw", "version": "1"},
        f"{prefix}clientCapabilities": {},
    }
    modern = {"_meta": meta} if version == MODERN else {}
    names = {"Mcp_Name": params["name"]} if isinstance(params.get("name"), str) else {}
    message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {**params, **modern}}
    async with RawConnection(live.port) as connection:
        headers = {"MCP_Protocol_Version": version, "Mcp_Method": "tools/call", **names}
        await connection.post(json.dumps(message).encode(), **headers)
        _, _, body = await connection.answer()
    (answer,) = messages(body)
    assert answer["id"] == 7
    return answer


@versions
@pytest.mark.parametrize("sent", ["{}", ' {"timeout_ms": 5000} ', "", []])
async def test_what_means_an_object_is_read_as_one(sent: object, version: str) -> None:
    async with LiveServer() as live:
        answer = await called(live, version, name="get_editor_state", arguments=sent)
    found = answer["result"]
    assert found["isError"] is False
    jsonschema.validate(found["structuredContent"], dict(CATALOG["get_editor_state"].answer_schema))
    assert any("$.arguments" in each for each in found["structuredContent"]["repaired"])


@versions
@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ("{oops", "send the JSON itself, not a string of it); it is not JSON: line 1, column 2: "),
        ('{"a": 1, "a": 2}', 'gives a key twice: line 1, column 10: "a"'),
        ("[1]", "must be an object (got the string"),
        ([1], "must be an object (got an array)"),
        (5, "must be an object (got the number 5)"),
        (True, "must be an object (got true)"),
    ],
)
async def test_what_means_none_is_refused_in_words(sent: object, told: str, version: str) -> None:
    async with LiveServer() as live:
        answer = await called(live, version, name="get_job_status", arguments=sent)
    found = answer["result"]
    assert found["isError"] is True
    document = found["structuredContent"]
    jsonschema.validate(document, json.loads((CONTRACTS / "error.schema.json").read_bytes()))
    assert document["error"]["code"] == "ERR_INVALID_PARAMS"
    assert document["error"]["details"]["execution_guarantee"] == "not_executed"
    assert told in found["content"][0]["text"]


@pytest.mark.parametrize(
    ("params", "version"),
    [
        ({}, HANDSHAKE),
        ({}, MODERN),
        ({"name": None}, HANDSHAKE),
        # In the newer dialect the SDK compares a name with a header first.
        ({"name": 5}, HANDSHAKE),
        ({"name": ["x"]}, HANDSHAKE),
    ],
)
async def test_a_call_of_no_tool_is_told_what_one_looks_like(
    params: dict[str, Any], version: str
) -> None:
    async with LiveServer() as live:
        answer = await called(live, version, **params)
    assert answer["error"]["code"] == -32602
    assert '"name": "get_editor_state"' in answer["error"]["message"]


@versions
async def test_a_tool_that_there_is_not_is_named(version: str) -> None:
    async with LiveServer() as live:
        answer = await called(live, version, name="dance", arguments="{}")
    assert answer["error"]["code"] == -32602
    assert "dance" in answer["error"]["message"]
