"""One call over MCP without its SDK: what is sent, and what is made of each kind of answer."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp import types

from mcp_server.calls.server.single_call import (
    EVENT_STREAM,
    JSON_TYPE,
    Progress,
    headers_of,
    messages,
    outcome_of,
    progress_of,
    request_of,
)
from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error
from mcp_server.contract.outcome import ToolResult

PROGRESS = {
    "jsonrpc": "2.0",
    "method": "notifications/progress",
    "params": {"progressToken": 1, "progress": 2.5, "message": "binding Ünits"},
}


def answer(text: str, document: dict[str, Any], *, is_error: bool = False) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    result = {"content": content, "structuredContent": document, "isError": is_error}
    return {"jsonrpc": "2.0", "id": 1, "result": result}


RESULT = answer("previewed", {"applied": False})


def events(*said: object, end: str = "\n") -> bytes:
    written = [f"event: message{end}data: {json.dumps(each)}{end}{end}" for each in said]
    return f": ping{end}{end}{''.join(written)}".encode()


def test_the_request_is_one_that_the_sdk_can_read() -> None:
    body = request_of(CATALOG["get_symbols"], {"path": "A.cs"})
    message = types.JSONRPCRequest.model_validate_json(body)
    params = types.CallToolRequestParams.model_validate(message.params)
    assert (params.name, params.arguments) == ("get_symbols", {"path": "A.cs", "include": ["full"]})
    assert headers_of("get_symbols")["Mcp-Name"] == params.name


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_an_event_stream_in_parts_of_any_size(size: int, end: str) -> None:
    stream = events(PROGRESS, RESULT, end=end)
    parts = [stream[start : start + size] for start in range(0, len(stream), size)]
    assert list(messages(EVENT_STREAM, parts)) == [PROGRESS, RESULT]


def test_an_event_of_several_lines() -> None:
    first, second = json.dumps(RESULT, indent=1).split("\n", 1)
    lines = "\n".join(f"data:{line}" for line in (first, *second.split("\n")))
    assert list(messages(EVENT_STREAM, [f"{lines}\n\n".encode()])) == [RESULT]


def test_what_comes_before_the_end_of_a_stream_that_breaks_off() -> None:
    assert list(messages(EVENT_STREAM, [events(PROGRESS), events(RESULT)[:-2]])) == [PROGRESS]


def test_a_document() -> None:
    body = json.dumps(RESULT).encode()
    assert list(messages(JSON_TYPE, [body[:9], body[9:]])) == [RESULT]


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (JSON_TYPE, b"{"),
        (JSON_TYPE, b""),
        (EVENT_STREAM, b"data: {\n\n"),
        ("text/html", b"<html>"),
        ("", b"{}"),
    ],
)
def test_what_is_neither(kind: str, body: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        list(messages(kind, [body]))


def test_progress_is_told_by_its_message() -> None:
    assert progress_of(PROGRESS) == Progress(2.5, None, "binding Ünits")
    assert progress_of({**PROGRESS, "params": None}) == Progress(0, None, "")
    assert progress_of(RESULT) is None
    assert progress_of([PROGRESS]) is None
    assert outcome_of(PROGRESS) is None


def test_outcomes_come_back_as_they_were() -> None:
    assert outcome_of(RESULT) == ToolResult({"applied": False}, "previewed")
    error = tool_error(ToolErrorCode.QUEUE_FULL, "Too many.", text="ERR_QUEUE_FULL: Too many.")
    assert outcome_of(answer(error.text, error.to_json(), is_error=True)) == error
    assert isinstance(error, ToolError)


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "Unknown tool"}},
        {"jsonrpc": "2.0", "id": 1, "error": "odd"},
        {"jsonrpc": "2.0", "id": 1},
        {"jsonrpc": "2.0", "id": 1, "result": []},
        {"jsonrpc": "2.0", "id": 1, "result": {"content": 3}},
        answer("odd", {"error": {"code": "ERR_OF_NOBODY"}}, is_error=True),
        answer("odd", {"error": None}, is_error=True),
        answer("odd", {}, is_error=True),
    ],
)
def test_what_is_no_outcome_says_so(message: object) -> None:
    with pytest.raises(ValueError, match=r"Unknown tool|no outcome|ERR_OF_NOBODY"):
        outcome_of(message)
