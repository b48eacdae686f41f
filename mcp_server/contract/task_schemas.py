"""JSON Schemas of the parts of MCP's Tasks extension that this server has.

Implements docs/design/server-and-bridge.md §6 "Tasks".
"""

from __future__ import annotations

from collections.abc import Mapping

from mcp_server.contract.schema_parts import FLAG, TEXT, Schema, closed_object

_TIME: Schema = {"type": "string", "description": "ISO 8601, UTC"}
_TASK: Schema = {
    "taskId": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
    "statusMessage": TEXT,
    "createdAt": _TIME,
    "lastUpdatedAt": _TIME,
    "ttlMs": {"type": "integer", "minimum": 1},
    "pollIntervalMs": {"type": "integer", "minimum": 1},
}
_META: Schema = {"type": "object"}
_COMPLETE: Schema = {"const": "complete"}


def _task(status: Schema, result_type: str = "complete", **more: Schema) -> Schema:
    properties = {
        "resultType": {"const": result_type},
        **_TASK,
        "status": status,
        **more,
        "_meta": _META,
    }
    return closed_object(properties, optional=("statusMessage", "_meta"))


_CALL_RESULT = closed_object(
    {
        "resultType": _COMPLETE,
        "content": {"type": "array"},
        "structuredContent": {"type": "object"},
        "isError": FLAG,
    },
    optional=("resultType",),
)

TASK_RESULTS: Mapping[str, tuple[str, Schema]] = {
    "created": (
        "a task instead of the answer to tools/call",
        _task({"enum": ["working", "completed", "cancelled"]}, "task"),
    ),
    "get": (
        "the answer to tasks/get",
        {
            "oneOf": [
                _task({"const": "working"}),
                _task({"const": "completed"}, result=_CALL_RESULT),
                _task({"const": "cancelled"}),
            ]
        },
    ),
    "acknowledged": (
        "the answer to tasks/cancel and tasks/update",
        closed_object({"resultType": _COMPLETE, "_meta": _META}, optional=("_meta",)),
    ),
}
"""Title and schema of each result. This server never answers ``failed`` or ``input_required``: a
tool that fails has a result, and no tool asks back."""
