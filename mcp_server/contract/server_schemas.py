"""JSON Schemas of what a command and a running server exchange outside of MCP.

Implements docs/design/server-and-bridge.md §10, §13 and §14: the proof of the server, ``POST
/verdict`` and ``POST /call``.
"""

from __future__ import annotations

from collections.abc import Mapping

from mcp_server.contract.schema_parts import (
    COUNT,
    FLAG,
    SHA256,
    TEXT,
    TEXTS,
    Schema,
    closed_object,
)
from snippet_engine.limits import MAX_SET_FILES

SERVER_FILE_SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "port": {"type": "integer", "minimum": 1, "maximum": 65535},
        "pid": {"type": "integer", "minimum": 1},
        "started": {"type": "string", "description": "RFC 3339, UTC"},
        "key": SHA256,
        "token": {"type": ["string", "null"], "description": "The bearer token, if there is one"},
    },
    "required": ["port", "pid", "started", "key", "token"],
}
"""``server.json``, which only the user of the running server can read."""

PROOF_SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "server": {"const": "unity-snippet"},
        "version": TEXT,
        "proof": {
            **SHA256,
            "description": "HMAC-SHA256 under the key of server.json, of 'unity-snippet "
            "ADDRESS:PORT NONCE', where the client reached it and what it sent",
        },
    },
    "required": ["server", "version", "proof"],
}
"""The answer to ``GET /identity?nonce=NONCE``."""

CALL_PATH = "/call"
STOP_PATH = "/call/stop"
SERVER_STOP_PATH = "/stop"
VERDICT_PATH = "/verdict"
PAGE_LINK_PATH = "/page-link"

READING_TOOLS: Mapping[str, int] = {
    "get_history": 5_000,
    "get_symbols": 5_000,
    "validate_script": 5_000,
}
"""Those of :data:`DELEGATED_TOOLS` that change nothing."""

DELEGATED_TOOLS: Mapping[str, int] = {
    "edit_snippet": 10_000,
    "edit_scripts": 20_000,
    "undo_snippet": 30_000,
    **READING_TOOLS,
}
"""Tools that need neither an Editor nor a compiler, with the default timeout of each in
milliseconds. A command reads the timeouts here so that it need not load the tools' schemas."""

MAX_QUESTION_BYTES = 4 * 1024 * 1024
"""Largest body that a server takes. It refuses a longer one before all of it was sent, so the
sender may never see the refusal."""

_ID = {"type": "string", "pattern": "^[0-9a-f]{32}$", "description": "Random ID of the call"}

CALL_QUESTION_SCHEMA: Schema = closed_object(
    {
        "installation": {"type": "string", "description": "The folder with the command's code"},
        "code": {**SHA256, "description": "SHA-256 of the times and sizes of its files"},
        "device": {**COUNT, "description": "Device number of the project's folder"},
        "inode": {**COUNT, "description": "Inode number of the project's folder"},
        "umask": {**COUNT, "description": "The command's umask"},
        "group": {**COUNT, "description": "Group of new files; 0 where the system has no groups"},
        "id": _ID,
        "tool": {"enum": list(DELEGATED_TOOLS)},
        "params": {"description": "As the command got them; the server checks them"},
    }
)

CALL_ANSWER_SCHEMA: Schema = closed_object(
    {
        "text": TEXT,
        "is_error": FLAG,
        "document": {"type": "object", "description": "What --output json prints"},
    }
)

STOP_QUESTION_SCHEMA: Schema = closed_object({"id": _ID})

STOP_ANSWER_SCHEMA: Schema = closed_object(
    {
        "is_stopped": {**FLAG, "description": "true: the call will change nothing any more"},
        "outcome": {"anyOf": [CALL_ANSWER_SCHEMA, {"type": "null"}]},
        "notes": {
            "type": "array",
            "description": "Unfinished changes of others that the call ended, one sentence each",
            "items": TEXT,
        },
    }
)

SERVER_STOP_QUESTION_SCHEMA: Schema = closed_object(
    {
        "proof": {
            **SHA256,
            "description": "HMAC-SHA-256, under the key of server.json, of: "
            "unity-snippet stop 127.0.0.1:PORT",
        }
    }
)

SERVER_STOP_ANSWER_SCHEMA: Schema = closed_object(
    {"pid": {"type": "integer", "description": "The process that ends"}, "version": TEXT}
)

PIPE_HEADER = "unity-snippet-client"
"""Header with a name of its own for each client of ``unity-cli mcp``."""

MAX_WITHIN_MS = 30_000
"""Longest time for one question; the first may have to start a compiler."""

_PATH = {"type": "string", "minLength": 1, "description": "From the project's folder, with /"}
_WITHIN = {"type": "integer", "minimum": 1, "maximum": MAX_WITHIN_MS}
_DATA = {"type": "string", "contentEncoding": "base64", "description": "A file's bytes"}
_BOUND = {"within_ms": _WITHIN, "patient": FLAG}
_EDIT = {
    **closed_object({"start": COUNT, "end": COUNT, "new_text": TEXT}),
    "description": "Replaces code points of the text before, whose line endings are LF",
}
_CHANGE = closed_object({"path": _PATH, "text": {"type": ["string", "null"]}})


def _question(ask: str, needed: Schema, more: Schema | None = None) -> Schema:
    optional = more or {}
    return closed_object({"ask": {"const": ask}, **needed, **optional}, optional=tuple(optional))


VERDICT_QUESTION_SCHEMA: Schema = {
    "oneOf": [
        _question("ready", {"within_ms": _WITHIN}, {"path": _PATH, "text": TEXT}),
        _question(
            "edit",
            {
                **_BOUND,
                "path": _PATH,
                "before": _DATA,
                "after": _DATA,
                "edits": {"type": "array", "items": _EDIT},
            },
        ),
        _question("script", {**_BOUND, "path": _PATH, "data": _DATA}),
        _question(
            "changes",
            {
                **_BOUND,
                "changes": {"type": "array", "items": _CHANGE, "maxItems": 2 * MAX_SET_FILES},
            },
        ),
        _question("saved", {"path": _PATH, "text": TEXT}),
    ]
}
"""``ready``: is there a compiler? ``edit``, ``script``, ``changes``: what does it say of these?
``saved``: a script was written."""

_DIAGNOSTIC = closed_object(
    {
        "offset": COUNT,
        "line": COUNT,
        "character": COUNT,
        "id": TEXT,
        "message": TEXT,
        "path": TEXT,
    }
)
_DIAGNOSTICS = {"type": "array", "items": _DIAGNOSTIC}
_COMMON = {
    "validator": TEXT,
    "is_partial": FLAG,
    "coverage": TEXTS,
    "duration_ms": {"type": "number", "minimum": 0},
    "not_checked": TEXTS,
}
_VERDICT = {
    **_COMMON,
    "language_version": TEXT,
    "symbol_sets": COUNT,
    "diagnostics": _DIAGNOSTICS,
    "preexisting_errors": COUNT,
    "knows_project": FLAG,
    "semantic_not_checked": TEXT,
    "compiler": TEXT,
}

PAGE_LINK_SCHEMA: Schema = closed_object(
    {
        "url": {
            **TEXT,
            "description": "The page's address; with a token, also a code for one login",
        }
    }
)
"""The answer to ``POST /page-link``."""

VERDICT_ANSWER_SCHEMA: Schema = {
    "oneOf": [
        closed_object({name: closed_object(parts)})
        for name, parts in (
            ("verdict", _VERDICT),
            ("changes_verdict", {**_COMMON, "errors": _DIAGNOSTICS}),
            ("unavailable", {"message": TEXT, "details": {"type": "object"}}),
            ("heard", {}),
        )
    ]
}
"""``heard`` answers ``saved``."""
