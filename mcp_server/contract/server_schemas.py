"""The schemas of messages between commands and servers outside of MCP, and of MCP's tasks.

Implements docs/design/server-and-bridge.md §10, §13 and §14: the proof of the server, ``POST
/verdict`` and ``POST /call``; and docs/design/server-and-bridge.md §6 "Tasks".
"""

from __future__ import annotations

from collections.abc import Mapping

from mcp_server.contract.schema_parts import (
    COUNT,
    DURATION,
    FLAG,
    OBJECT,
    SHA256,
    TEXT,
    TEXTS,
    Schema,
    array,
    closed_object,
    noted,
    whole,
    words,
)
from snippet_engine.limits import MAX_SET_FILES

SERVER_FILE_SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "port": whole(1, 65535),
        "pid": whole(1),
        "started": noted(TEXT, "RFC 3339, UTC"),
        "key": SHA256,
        "token": {"type": ["string", "null"], "description": "The bearer token, if there is one"},
    },
    "required": ["port", "pid", "started", "key", "token"],
}
"""The schema of ``server.json``, which only the server's user can read."""

PROOF_SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "server": {"const": "unity-snippet"},
        "version": TEXT,
        "proof": noted(
            SHA256,
            "HMAC-SHA256, with the key in server.json, of 'unity-snippet ADDRESS:PORT NONCE': "
            "the address and port that the client reached, and its nonce",
        ),
    },
    "required": ["server", "version", "proof"],
}
"""The schema of the answer to ``GET /identity?nonce=NONCE``."""

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
"""Those of :data:`DELEGATED_TOOLS` that change nothing, each with its default timeout."""

DELEGATED_TOOLS: Mapping[str, int] = {
    "edit_snippet": 10_000,
    "edit_scripts": 20_000,
    "undo_snippet": 30_000,
    **READING_TOOLS,
}
"""Tools that need neither an Editor nor a compiler, with the default timeout of each in
milliseconds. A command reads the timeouts here so that it need not load the tools' schemas."""

MAX_QUESTION_BYTES = 4 * 1024 * 1024
"""The largest request body that a server reads, in bytes.

The server refuses a longer one before all of it was sent, so the sender may never see the refusal.
"""

_ID = {"type": "string", "pattern": "^[0-9a-f]{32}$", "description": "Random ID of the call"}

CALL_QUESTION_SCHEMA: Schema = closed_object(
    {
        "installation": noted(TEXT, "The folder with the command's code"),
        "code": noted(SHA256, "SHA-256 of the times and sizes of its files"),
        "device": noted(COUNT, "Device number of the project's folder"),
        "inode": noted(COUNT, "Inode number of the project's folder"),
        "umask": noted(COUNT, "The command's umask"),
        "group": noted(COUNT, "Group of new files; 0 where the system has no groups"),
        "id": _ID,
        "tool": words(*DELEGATED_TOOLS),
        "params": {"description": "As the command got them; the server checks them"},
    }
)

CALL_ANSWER_SCHEMA: Schema = closed_object(
    {"text": TEXT, "is_error": FLAG, "document": noted(OBJECT, "What --output json prints")}
)

STOP_QUESTION_SCHEMA: Schema = closed_object({"id": _ID})

STOP_ANSWER_SCHEMA: Schema = closed_object(
    {
        "is_stopped": noted(FLAG, "true: the call will change nothing any more"),
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
        "proof": noted(
            SHA256,
            "HMAC-SHA-256, under the key of server.json, of: unity-snippet stop 127.0.0.1:PORT",
        )
    }
)

SERVER_STOP_ANSWER_SCHEMA: Schema = closed_object(
    {"pid": {"type": "integer", "description": "The process that ends"}, "version": TEXT}
)

PIPE_HEADER = "unity-snippet-client"
"""The header that tells the clients of ``unity-cli mcp`` apart."""

MAX_WITHIN_MS = 30_000
"""The longest time for one question, in milliseconds. The first may start a compiler."""

_PATH = {"type": "string", "minLength": 1, "description": "From the project's folder, with /"}
_WITHIN = whole(1, MAX_WITHIN_MS)
_DATA = {"type": "string", "contentEncoding": "base64", "description": "A file's bytes"}
_BOUND = {"within_ms": _WITHIN, "patient": FLAG}
_EDIT = noted(
    closed_object({"start": COUNT, "end": COUNT, "new_text": TEXT}),
    "Replaces code points of the text before, whose line endings are LF",
)
_CHANGE = closed_object({"path": _PATH, "text": {"type": ["string", "null"]}})


def _question(ask: str, properties: Schema) -> Schema:
    return closed_object({"ask": {"const": ask}, **properties})


VERDICT_QUESTION_SCHEMA: Schema = {
    "oneOf": [
        _question("ready", {"within_ms": _WITHIN, "path?": _PATH, "text?": TEXT}),
        _question(
            "edit",
            {**_BOUND, "path": _PATH, "before": _DATA, "after": _DATA, "edits": array(_EDIT)},
        ),
        _question("script", {**_BOUND, "path": _PATH, "data": _DATA}),
        _question(
            "changes", {**_BOUND, "changes": {**array(_CHANGE), "maxItems": 2 * MAX_SET_FILES}}
        ),
        _question("saved", {"path": _PATH, "text": TEXT}),
    ]
}
"""The questions of ``POST /verdict``.

``ready``: is there a compiler? ``edit``, ``script``, ``changes``: which errors does it report?
``saved``: a script was written.
"""

_PLACE = {"offset": COUNT, "line": COUNT, "character": COUNT}
_DIAGNOSTICS = array(closed_object({**_PLACE, "id": TEXT, "message": TEXT, "path": TEXT}))
_COMMON = {
    "validator": TEXT,
    "is_partial": FLAG,
    "coverage": TEXTS,
    "duration_ms": DURATION,
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
    {"url": noted(TEXT, "The page's address; with a token, also a code for one login")}
)
"""The schema of the answer to ``POST /page-link``."""

VERDICT_ANSWER_SCHEMA: Schema = {
    "oneOf": [
        closed_object({name: closed_object(parts)})
        for name, parts in (
            ("verdict", _VERDICT),
            ("changes_verdict", {**_COMMON, "errors": _DIAGNOSTICS}),
            ("unavailable", {"message": TEXT, "details": OBJECT}),
            ("heard", {}),
        )
    ]
}
"""The answers to ``POST /verdict``. ``heard`` answers ``saved``."""


_TIME = noted(TEXT, "ISO 8601, UTC")
_TASK: Schema = {
    "taskId": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
    "statusMessage?": TEXT,
    "createdAt": _TIME,
    "lastUpdatedAt": _TIME,
    "ttlMs": whole(1),
    "pollIntervalMs": whole(1),
}
_COMPLETE: Schema = {"const": "complete"}


def _task(status: Schema, result_type: str = "complete", **more: Schema) -> Schema:
    kind = {"resultType": {"const": result_type}}
    return closed_object({**kind, **_TASK, "status": status, **more, "_meta?": OBJECT})


_CALL_RESULT = closed_object(
    {
        "resultType?": _COMPLETE,
        "content": {"type": "array"},
        "structuredContent": OBJECT,
        "isError": FLAG,
    }
)

TASK_RESULTS: Mapping[str, tuple[str, Schema]] = {
    "created": (
        "a task instead of the answer to tools/call",
        _task(words("working", "completed", "cancelled"), "task"),
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
        closed_object({"resultType": _COMPLETE, "_meta?": OBJECT}),
    ),
}
"""The title and schema of each result of a task.

This server never answers ``failed`` or ``input_required``: a tool that fails has a result, and no
tool asks back.
"""

MESSAGES: tuple[tuple[str, str, Schema], ...] = (
    ("server", "server.json, which a running server leaves for its user", SERVER_FILE_SCHEMA),
    ("identity", "GET /identity: the server proves itself", PROOF_SCHEMA),
    ("call.question", "POST /call: a command's call", CALL_QUESTION_SCHEMA),
    ("call.answer", "POST /call: the call's outcome", CALL_ANSWER_SCHEMA),
    ("call.stop.question", "POST /call/stop: the call to stop", STOP_QUESTION_SCHEMA),
    ("call.stop.answer", "POST /call/stop: whether it was stopped", STOP_ANSWER_SCHEMA),
    ("stop.question", "POST /stop: ends the server", SERVER_STOP_QUESTION_SCHEMA),
    ("stop.answer", "POST /stop: the process that ends", SERVER_STOP_ANSWER_SCHEMA),
    ("page-link", "POST /page-link: a link to the review page", PAGE_LINK_SCHEMA),
    ("verdict.question", "POST /verdict: what a command asks", VERDICT_QUESTION_SCHEMA),
    ("verdict.answer", "POST /verdict: what the server's compiler says", VERDICT_ANSWER_SCHEMA),
)
"""Each of these documents: name, title and schema."""
