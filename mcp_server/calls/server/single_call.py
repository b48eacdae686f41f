"""Make and read a single MCP call as bytes, without MCP's SDK. Pure.

From protocol version 2026-07-28 on, a request needs no handshake ("Streamable HTTP" in MCP's
specification). The answer is a JSON document, or an event stream that begins with progress. So a
command need not load MCP's SDK, which takes several times as long as the call.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from mcp_server.calls.server.proven_connection import JSON_TYPE, Answer
from mcp_server.contract.errors import ToolError, ToolErrorCode
from mcp_server.contract.outcome import Outcome, ToolResult
from mcp_server.contract.short_schemas import FULL
from mcp_server.contract.tool_spec import ToolSpec
from mcp_server.version import package_version

PROTOCOL_VERSION = "2026-07-28"

EVENT_STREAM = "text/event-stream"

MAX_ANSWER_BYTES = 4 * 1024 * 1024
_META = "io.modelcontextprotocol/"


def request_of(spec: ToolSpec, arguments: Mapping[str, Any]) -> bytes:
    """Return the request's body. It asks for full answers, which commands print."""
    meta = {
        "progressToken": 1,
        f"{_META}protocolVersion": PROTOCOL_VERSION,
        f"{_META}clientInfo": {"name": "unity-cli", "version": package_version()},
        f"{_META}clientCapabilities": {},
    }
    params = {"name": spec.name, "arguments": _in_full(spec, arguments), "_meta": meta}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return json.dumps(message).encode()


def _in_full(spec: ToolSpec, arguments: Mapping[str, Any]) -> dict[str, Any]:
    included = arguments.get("include", ())
    if "include" not in spec.input_schema["properties"] or FULL in included:
        return dict(arguments)
    return {**arguments, "include": [*included, FULL]}


def headers_of(tool: str) -> dict[str, str]:
    """Return the headers of the request that :func:`request_of` makes for ``tool``."""
    return {
        "Accept": f"{JSON_TYPE}, {EVENT_STREAM}",
        "Content-Type": JSON_TYPE,
        "MCP-Protocol-Version": PROTOCOL_VERSION,
        "Mcp-Method": "tools/call",
        "Mcp-Name": tool,
    }


def messages(content_type: str, parts: Iterable[bytes]) -> Iterator[Any]:
    """Yield the server's messages as they come; ``parts`` are those of the body.

    Raises ``ValueError`` for an answer of another kind, and ``RecursionError``.
    """
    if content_type == JSON_TYPE:
        yield json.loads(b"".join(parts))
        return
    if content_type != EVENT_STREAM:
        raise ValueError(f"an answer of type {content_type or 'unknown'}")
    data: list[bytes] = []
    for line in _lines(parts):
        if line.startswith(b"data:"):
            data.append(line[5:])
        elif not line and data:
            yield json.loads(b"\n".join(data))
            data.clear()


def _lines(parts: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for part in parts:
        *whole, rest = (rest + part).split(b"\n")
        yield from (line.removesuffix(b"\r") for line in whole)


class Progress(NamedTuple):
    """How far a call has come."""

    completed: float
    total: float | None
    message: str


def progress_of(message: Any) -> Progress | None:
    """Return the progress in ``message``; ``None`` if it reports none."""
    if not isinstance(message, Mapping) or message.get("method") != "notifications/progress":
        return None
    params = message.get("params")
    params = params if isinstance(params, Mapping) else {}
    completed, total, text = (params.get(name) for name in ("progress", "total", "message"))
    return Progress(
        completed if isinstance(completed, int | float) else 0,
        total if isinstance(total, int | float) else None,
        text if isinstance(text, str) else "",
    )


def outcome_of(message: Any) -> Outcome | None:
    """Return the call's outcome; ``None`` if ``message`` isn't the answer.

    Raises ``ValueError`` if the server refused the request, or answered something else.
    """
    if not isinstance(message, Mapping) or "method" in message:
        return None
    try:
        result = message["result"]
        document = result.get("structuredContent") or {}
        return outcome(_text(result["content"]), document, is_error=result.get("isError", False))
    except (AttributeError, KeyError, TypeError) as error:
        refusal = message.get("error")
        why = refusal.get("message") if isinstance(refusal, Mapping) else None
        raise ValueError(str(why or "something that is not a tool's result")) from error


def _text(content: Iterable[Mapping[str, Any]]) -> str:
    return "\n".join(block["text"] for block in content if block["type"] == "text")


def outcome(text: str, document: dict[str, Any], *, is_error: bool) -> Outcome:
    """Return the outcome from the text and the structure that a server sent.

    Raises ``KeyError`` or ``ValueError`` for an error that is not in the contract.
    """
    if not is_error:
        return ToolResult(document, text)
    error = document["error"]
    return ToolError(
        ToolErrorCode(error["code"]), error["message"], error["retryable"], error["details"], text
    )


def read_outcome(answer: Answer, on_progress: Callable[[Progress], None] | None) -> Outcome:
    """Read an answer to its end; only then does the connection take another request.

    Progress renews the time limit: the call may wait for a person. Raises ``OSError``,
    ``RecursionError``, and ``ValueError`` if it has no outcome.
    """
    found = None
    for message in messages(answer.content_type, answer.bounded(MAX_ANSWER_BYTES)):
        progress = progress_of(message)
        if progress is not None:
            answer.limit.renew()
            if on_progress is not None:
                on_progress(progress)
        found = outcome_of(message) or found
    if found is None:
        raise ValueError("it ended without an outcome")
    return found
