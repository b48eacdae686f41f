"""What came of a tool call over MCP, held against the contract."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from held_to_schema import hold_to_schema
from mcp import Client, types

from mcp_server.contract.catalog import CATALOG

CONTRACTS = Path(__file__).parents[2] / "contracts"
ERROR = json.loads((CONTRACTS / "error.schema.json").read_bytes())


def result(called: types.CallToolResult, tool: str) -> dict[str, Any]:
    """The result of a call that succeeded, held against the contract."""
    assert not called.is_error, called.structured_content
    document = called.structured_content
    assert isinstance(document, dict)
    spec = CATALOG[tool]
    is_full = spec.short_schema is None or "validation" in document or "sha256:" in str(document)
    hold_to_schema(document, spec.answer_schema if is_full else spec.short_schema)
    assert called.content
    return document


def error(called: types.CallToolResult) -> dict[str, Any]:
    """The error of a call that failed, held against the contract."""
    assert called.is_error, called.structured_content
    document = called.structured_content
    assert isinstance(document, dict)
    hold_to_schema(document, ERROR)
    found: dict[str, Any] = document["error"]
    return found


def code_and_guarantee(called: types.CallToolResult) -> tuple[str, str]:
    """What clients decide by."""
    found = error(called)
    return found["code"], found["details"]["execution_guarantee"]


async def succeeded(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The result of a call that has to succeed."""
    return result(await client.call_tool(tool, arguments), tool)


async def refused(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The error of a call that has to fail."""
    return error(await client.call_tool(tool, arguments))


async def job_end(client: Client, job_id: str) -> dict[str, Any]:
    """The status of a job once it has ended."""
    while True:
        status = await succeeded(client, "get_job_status", job_id=job_id, wait_ms=9_000)
        if status["state"] not in ("queued", "running"):
            return status
