"""JSON Schemas (2020-12) of every message on ``/unity``: the source of ``contracts/wire/``.

Implements docs/design/wire-protocol.md §1. Unknown fields are allowed, because the other side may
be newer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unity_bridge.states import JobState
from unity_bridge.timing import PROTOCOL_VERSION

Schema = dict[str, Any]

MAX_OPEN_REQUESTS = 256
"""Maximum number of requests in flight that a plugin may list."""

_TEXT: Schema = {"type": "string"}
_ID: Schema = {"type": "string", "minLength": 1, "maxLength": 200}
_SEQ: Schema = {"type": "integer", "minimum": 0, "maximum": 2**64 - 1}
_STATE: Schema = {"enum": ["ready", "compiling", "reloading"]}
_MILLISECONDS: Schema = {"type": "integer", "minimum": 1}
_OBJECT: Schema = {"type": "object"}
_BLOCKED: Schema = {
    "type": "object",
    "properties": {
        "for_ms": {"type": "integer", "minimum": 0},
        "dialog": {
            "type": "string",
            "description": "The title of a modal dialog, if known",
        },
    },
    "required": ["for_ms"],
    "description": "For how long the main thread has been blocked; missing: it runs",
}
_RELOAD_LOCKED: Schema = {
    "type": "boolean",
    "description": "It compiles for as long as a lock on domain reloads is held; missing: no lock",
}


_STATUS: Schema = {"seq": _SEQ, "blocked": _BLOCKED, "reload_locked": _RELOAD_LOCKED}
_ANY_STATUS: Schema = {"blocked": {}, "reload_locked": {}}


def _message(kind: str, properties: Schema, required: tuple[str, ...]) -> Schema:
    return {
        "type": "object",
        "properties": {
            "type": {"const": kind},
            "protocol_version": {"const": PROTOCOL_VERSION},
            "timestamp": {"type": "string", "description": "RFC 3339"},
            **properties,
        },
        "required": ["type", *required],
    }


def _from_server(kind: str, properties: Schema, required: tuple[str, ...]) -> Schema:
    return _message(kind, properties, ("protocol_version", *required))


_COMMAND: Schema = {
    "request_id": _ID,
    "tool_name": _ID,
    "params": _OBJECT,
    "timeout_ms": _MILLISECONDS,
    "client_request_id": _ID,
}
_COMMAND_REQUIRED = ("request_id", "tool_name", "params", "timeout_ms")

_CAPABILITY_TOOL: Schema = {
    "type": "object",
    "properties": {
        "name": _ID,
        "execution_mode": {"enum": ["sync", "job"]},
        "supports_cancel": {"type": "boolean"},
        "default_timeout_ms": _MILLISECONDS,
        "max_timeout_ms": _MILLISECONDS,
        "requires_client_request_id": {"type": "boolean"},
        "execution_error_retryable": {"type": "boolean"},
    },
    "required": [
        "name",
        "execution_mode",
        "supports_cancel",
        "default_timeout_ms",
        "max_timeout_ms",
        "requires_client_request_id",
        "execution_error_retryable",
    ],
}

_ERROR: Schema = {
    "request_id": _ID,
    "error": {
        "type": "object",
        "properties": {
            "code": _ID,
            "message": _TEXT,
            "retryable": {"type": "boolean"},
            "details": _OBJECT,
        },
        "required": ["code", "message"],
    },
}

PROGRESS: Schema = {
    "anyOf": [
        {"type": "null"},
        {
            "type": "object",
            "properties": {
                "completed": {"type": "integer", "minimum": 0},
                "total": {"type": "integer", "minimum": 0},
                "current": _TEXT,
            },
            "required": ["completed", "total"],
        },
    ]
}
"""A job's progress."""

CANCEL_STATUS: Schema = {"enum": ["cancelled", "cancel_requested", "rejected"]}

FROM_PLUGIN: Mapping[str, Schema] = {
    "hello": _message(
        "hello",
        {
            "plugin_version": _TEXT,
            "state": _STATE,
            "editor_instance_id": _ID,
            "plugin_session_id": {
                **_ID,
                "description": "A new one: the plugin has lost its earlier requests",
            },
            "open_requests": {
                "type": "array",
                "items": _ID,
                "maxItems": MAX_OPEN_REQUESTS,
                "description": "The request_ids of its unanswered requests",
            },
            "request_memory_id": {
                **_ID,
                "description": "Names its memory of client_request_ids; a new name: it was lost",
            },
            "project_path": _TEXT,
            "unity_version": _TEXT,
            "heartbeat": _TEXT,
        },
        ("plugin_version", "state"),
    ),
    "editor_status": _message("editor_status", {"state": _STATE, **_STATUS}, ("state", "seq")),
    "pong": _message("pong", {"editor_state": _STATE, **_STATUS}, ("editor_state", "seq")),
    "result": {
        **_message(
            "result",
            {"request_id": _ID, "status": {"enum": ["ok", "error"]}, "result": _OBJECT},
            ("request_id", "status", "result"),
        ),
        "if": {"properties": {"status": {"const": "error"}}, "required": ["status"]},
        "then": {
            "properties": {
                "result": {
                    "properties": {"code": _ID, "message": _TEXT, "details": _OBJECT},
                    "required": ["code", "message"],
                }
            }
        },
    },
    "submit_job_result": _message(
        "submit_job_result",
        {"request_id": _ID, "status": {"const": "accepted"}, "job_id": _ID},
        ("request_id", "status", "job_id"),
    ),
    "job_status": _message(
        "job_status",
        {
            "request_id": {**_ID, "description": "Missing if the plugin reports without a request"},
            "job_id": _ID,
            "tool_name": {**_ID, "description": "The tool that started it; missing: run_tests"},
            "state": {"enum": [state.value for state in JobState if state is not JobState.UNKNOWN]},
            "progress": PROGRESS,
            "result": {"type": ["object", "null"]},
        },
        ("job_id", "state"),
    ),
    "cancel_result": _message(
        "cancel_result", {"request_id": _ID, "status": CANCEL_STATUS}, ("request_id", "status")
    ),
    "error": _message("error", _ERROR, ("error",)),
}
"""What the plugin may send, by type."""

_TOLD_STATE: Schema = {"enum": [*_STATE["enum"], "entering_play_mode", "exiting_play_mode"]}


def _changed(kind: str, properties: Schema, required: tuple[str, ...]) -> Schema:
    """Return the message ``kind`` with properties that are only accepted."""
    schema = FROM_PLUGIN[kind]
    return {
        **schema,
        "properties": {**schema["properties"], **properties},
        "required": ["type", *required],
    }


READ_FROM_PLUGIN: Mapping[str, Schema] = {
    **FROM_PLUGIN,
    "hello": _changed("hello", {"state": _TOLD_STATE}, ("plugin_version", "state")),
    "editor_status": _changed(
        "editor_status", {"state": _TOLD_STATE, **_ANY_STATUS}, ("state", "seq")
    ),
    "pong": _changed("pong", {"editor_state": {}, "seq": {}, **_ANY_STATUS}, ()),
    # ``job_watch`` checks a job's result against the tool's contract.
    "job_status": _changed("job_status", {"progress": {}, "result": {}}, ("job_id", "state")),
    "submit_job_result": {
        **_changed(
            "submit_job_result",
            {"status": _TEXT, "error": _ERROR["error"]},
            ("request_id", "status"),
        ),
        "if": {"properties": {"status": {"const": "accepted"}}, "required": ["status"]},
        "then": {"required": ["job_id"]},
    },
}
"""What is accepted from the plugin: also what the first protocol's plugin sends."""

FROM_SERVER: Mapping[str, Schema] = {
    "hello": _from_server(
        "hello", {"server_version": _TEXT, "connection_id": _ID}, ("server_version",)
    ),
    "capability": _from_server(
        "capability", {"tools": {"type": "array", "items": _CAPABILITY_TOOL}}, ("tools",)
    ),
    "ping": _from_server("ping", {}, ()),
    "execute": _from_server("execute", _COMMAND, _COMMAND_REQUIRED),
    "submit_job": _from_server("submit_job", _COMMAND, _COMMAND_REQUIRED),
    "get_job_status": _from_server(
        "get_job_status", {"request_id": _ID, "job_id": _ID}, ("request_id", "job_id")
    ),
    "cancel": _from_server(
        "cancel", {"request_id": _ID, "target_job_id": _ID}, ("request_id", "target_job_id")
    ),
    "job_confirmed": _from_server("job_confirmed", {"job_id": _ID}, ("job_id",)),
    "error": _from_server("error", _ERROR, ("error",)),
}
"""What the server may send, by type."""
