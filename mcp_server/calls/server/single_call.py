"""One call of a tool over MCP, as the bytes of one request and of its answer. Pure.

From protocol version 2026-07-28 on, a request says all that the server has to know: nothing is
opened first, and the answer is a JSON document, or an event stream with progress before it
("Streamable HTTP" in MCP's specification). So a command that only calls one tool of a server that
runs need not load MCP's SDK, which takes several times as long as the call.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mcp_server.calls.server.proven_connection import JSON_TYPE
from mcp_server.contract.errors import ToolError, ToolErrorCode
from mcp_server.contract.outcome import Outcome, ToolResult

PROTOCOL_VERSION = "2026-07-28"

EVENT_STREAM = "text/event-stream"

_META = "io.modelcontextprotocol/"


def request_of(tool: str, arguments: Mapping[str, Any], client: Mapping[str, str]) -> bytes:
    """The body of the request; ``client`` is MCP's ``Implementation``: a name and a version."""
    meta = {
        "progressToken": 1,
        f"{_META}protocolVersion": PROTOCOL_VERSION,
        f"{_META}clientInfo": dict(client),
        f"{_META}clientCapabilities": {},
    }
    params = {"name": tool, "arguments": dict(arguments), "_meta": meta}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return json.dumps(message).encode()


def headers_of(tool: str) -> dict[str, str]:
    """The headers of the request that :func:`request_of` made for ``tool``."""
    return {
        "Accept": f"{JSON_TYPE}, {EVENT_STREAM}",
        "Content-Type": JSON_TYPE,
        "MCP-Protocol-Version": PROTOCOL_VERSION,
        "Mcp-Method": "tools/call",
        "Mcp-Name": tool,
    }


def messages(content_type: str, parts: Iterable[bytes]) -> Iterator[Any]:
    """What the server said, message by message, as it comes; ``parts`` are the body's.

    Raises ``ValueError`` for what is neither of the two kinds of answers, and ``RecursionError``.
    """
    if content_type == JSON_TYPE:
        yield json.loads(b"".join(parts))
        return
    if content_type != EVENT_STREAM:
        raise ValueError(f"an answer of the type {content_type or 'that is not said'}")
    data: list[bytes] = []
    for line in _lines(parts):
        if line.startswith(b"data:"):
            data.append(line[5:])
        elif not line and data:
            yield json.loads(b"\n".join(data))
            data.clear()


def _lines(parts: Iterable[bytes]) -> Iterator[bytes]:
    """The lines that ``parts`` make, without their ends; what ends without one is none."""
    rest = b""
    for part in parts:
        *whole, rest = (rest + part).split(b"\n")
        yield from (line.removesuffix(b"\r") for line in whole)


def progress_of(message: Any) -> str | None:
    """What ``message`` tells of how the call comes along; ``None`` if it tells nothing of that."""
    if not isinstance(message, Mapping) or message.get("method") != "notifications/progress":
        return None
    told = message.get("params")
    text = told.get("message") if isinstance(told, Mapping) else None
    return text if isinstance(text, str) else ""


def outcome_of(message: Any) -> Outcome | None:
    """What the call came to; ``None`` if ``message`` doesn't say so.

    Raises ``ValueError`` if there is no outcome: the server refused the request itself, or answers
    something else than a tool's outcome.
    """
    if not isinstance(message, Mapping) or "method" in message:
        return None
    try:
        result = message["result"]
        document = result.get("structuredContent") or {}
        return outcome(_text(result["content"]), document, is_error=result.get("isError", False))
    except (AttributeError, KeyError, TypeError) as error:
        told = message.get("error")
        said = told.get("message") if isinstance(told, Mapping) else None
        raise ValueError(str(said or "no outcome of a tool")) from error


def _text(content: Iterable[Mapping[str, Any]]) -> str:
    return "\n".join(block["text"] for block in content if block["type"] == "text")


def outcome(text: str, document: dict[str, Any], *, is_error: bool) -> Outcome:
    """The outcome of which a server has sent the text and the structure.

    Raises ``KeyError`` or ``ValueError`` for an error that is none of the contract's.
    """
    if not is_error:
        return ToolResult(document, text)
    error = document["error"]
    return ToolError(
        ToolErrorCode(error["code"]), error["message"], error["retryable"], error["details"], text
    )
