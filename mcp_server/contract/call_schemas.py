"""JSON Schemas of ``POST /call``: a command has a running server make a call as it would itself.

Implements docs/design/server-and-bridge.md §14; its code is
:mod:`mcp_server.calls.server.lent_call`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CALL_PATH = "/call"

STOP_PATH = "/call/stop"

SERVER_STOP_PATH = "/stop"
"""Where a server is told to end."""

LENT_TOOLS: Mapping[str, int] = {
    "edit_snippet": 10_000,
    "edit_scripts": 20_000,
    "get_symbols": 5_000,
    "validate_script": 5_000,
    "undo_snippet": 5_000,
    "get_history": 5_000,
}
"""The tools that need neither an Editor nor a compiler, and how long a call of each may take, in
milliseconds, where it doesn't say: a command that doesn't load their schemas has to know."""

MAX_QUESTION_BYTES = 4 * 1024 * 1024
"""Largest body that a server takes. It refuses a longer one before all of it was sent, and who
sends needn't hear of that."""

_NUMBER = {"type": "integer", "minimum": 0}
_ID = {"type": "string", "pattern": "^[0-9a-f]{32}$", "description": "The call's, made at random"}

CALL_QUESTION_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "installation": {
            "type": "string",
            "description": "The folder that the command's code lies in",
        },
        "code": {
            "type": "string",
            "pattern": "^[0-9a-f]{64}$",
            "description": "SHA-256 of the times and sizes of its files",
        },
        "device": {**_NUMBER, "description": "Where the project's folder lies"},
        "inode": {**_NUMBER, "description": "Which folder that is there"},
        "umask": {**_NUMBER, "description": "What new files of the command aren't allowed"},
        "group": {**_NUMBER, "description": "Whose group they get; 0 where there are none"},
        "id": _ID,
        "tool": {"enum": list(LENT_TOOLS)},
        "params": {"description": "As they were given; the server checks them"},
    },
    "required": [
        "installation",
        "code",
        "device",
        "inode",
        "umask",
        "group",
        "id",
        "tool",
        "params",
    ],
    "additionalProperties": False,
}

CALL_ANSWER_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "is_error": {"type": "boolean"},
        "document": {"type": "object", "description": "What --output json prints"},
    },
    "required": ["text", "is_error", "document"],
    "additionalProperties": False,
}

STOP_QUESTION_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"id": _ID},
    "required": ["id"],
    "additionalProperties": False,
}

STOP_ANSWER_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "is_stopped": {
            "type": "boolean",
            "description": "Whether the call surely changes nothing any more",
        },
        "outcome": {"anyOf": [CALL_ANSWER_SCHEMA, {"type": "null"}]},
        "notes": {
            "type": "array",
            "description": "What it has ended of others' changes, a sentence each",
            "items": {"type": "string"},
        },
    },
    "required": ["is_stopped", "outcome", "notes"],
    "additionalProperties": False,
}

SERVER_STOP_QUESTION_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "proof": {
            "type": "string",
            "pattern": "^[0-9a-f]{64}$",
            "description": "HMAC-SHA-256, under the key of server.json, of: "
            "unity-snippet stop 127.0.0.1:PORT",
        },
    },
    "required": ["proof"],
    "additionalProperties": False,
}

SERVER_STOP_ANSWER_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "pid": {"type": "integer", "description": "The process that ends"},
        "version": {"type": "string"},
    },
    "required": ["pid", "version"],
    "additionalProperties": False,
}
