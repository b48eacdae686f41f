"""JSON Schemas of what the server answers about tasks: MCP's Tasks extension, as far as it is used.

Implements docs/design/server-and-bridge.md §6 "Tasks".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]

_TIME: Schema = {"type": "string", "description": "ISO 8601, UTC"}

_TASK: Schema = {
    "taskId": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
    "statusMessage": {"type": "string"},
    "createdAt": _TIME,
    "lastUpdatedAt": _TIME,
    "ttlMs": {"type": "integer", "minimum": 1},
    "pollIntervalMs": {"type": "integer", "minimum": 1},
}
_META: Schema = {"type": "object"}


def _task(status: str, result_type: str, **more: Schema) -> Schema:
    properties = {
        "resultType": {"const": result_type},
        **_TASK,
        "status": {"const": status},
        **more,
        "_meta": _META,
    }
    optional = ("statusMessage", "_meta")
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


_CALL_RESULT: Schema = {
    "type": "object",
    "properties": {
        "resultType": {"const": "complete"},
        "content": {"type": "array"},
        "structuredContent": {"type": "object"},
        "isError": {"type": "boolean"},
    },
    "required": ["content", "structuredContent", "isError"],
    "additionalProperties": False,
}

_CREATED = _task("working", "task")
_CREATED["properties"]["status"] = {"enum": ["working", "completed", "cancelled"]}

TASK_RESULTS: Mapping[str, tuple[str, Schema]] = {
    "created": ("a task instead of the answer to tools/call", _CREATED),
    "get": (
        "the answer to tasks/get",
        {
            "oneOf": [
                _task("working", "complete"),
                _task("completed", "complete", result=_CALL_RESULT),
                _task("cancelled", "complete"),
            ]
        },
    ),
    "acknowledged": (
        "the answer to tasks/cancel and tasks/update",
        {
            "type": "object",
            "properties": {"resultType": {"const": "complete"}, "_meta": _META},
            "required": ["resultType"],
            "additionalProperties": False,
        },
    ),
}
"""What each is, and its schema, by name. ``failed`` and ``input_required`` don't happen here: a
tool that fails has a result, and no tool asks back."""
