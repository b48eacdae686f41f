"""JSON Schemas (2020-12) of ``undo_snippet`` and ``get_history``: taking back what was done.

Implements the shapes of docs/design/engine.md §5 "Undo".
"""

from __future__ import annotations

from snippet_engine.schemas.result_schema import TRUNCATED
from snippet_engine.schemas.schema import (
    CLIENT_REQUEST_ID,
    COMPLETED_FIRST,
    HASH,
    PATH,
    UNFINISHED,
    Schema,
    forbidden,
    object_schema,
    timeout,
)

MAX_HISTORY = 100
"""Most entries that one answer lists."""

META_WARNING_CODES = ("meta_missing", "meta_changed", "meta_orphan")
"""What an undo tells of ``.meta`` files that aren't as they were before."""

_CHANGE_ID: Schema = {"type": "string", "pattern": "^[0-9a-f]{16}$"}
_OF_A_CHANGE = "changeId stands for all files of the change"
_WHAT_TO_SEND = "or changeId alone, of an edit_scripts; get_history has what to send"

UNDO_SNIPPET_INPUT: Schema = object_schema(
    {
        "path": PATH,
        "hashAfter": {**HASH, "description": "The hashAfter of the apply"},
        "changeId": {**_CHANGE_ID, "description": "Or edit_scripts' changeId"},
        "client_request_id": CLIENT_REQUEST_ID,
        "timeout_ms": timeout(10_000),
    },
    (),
    **{
        "if": {"required": ["changeId"]},
        "then": {
            "properties": {"path": forbidden(_OF_A_CHANGE), "hashAfter": forbidden(_OF_A_CHANGE)}
        },
        "else": {"required": ["path", "hashAfter"], "$comment": _WHAT_TO_SEND},
    },
)

_UNDONE_FILE: Schema = object_schema(
    {
        "path": {"type": "string"},
        "movedTo": {"type": "string"},
        "status": {"enum": ["edited", "created", "deleted", "moved", "unchanged"]},
        "hashBefore": HASH,
        "hashAfter": HASH,
    },
    ("path", "status"),
)

UNDO_SNIPPET_OUTPUT: Schema = object_schema(
    {
        "status": {"const": "undone"},
        "path": {"type": "string"},
        "hashBefore": HASH,
        "hashAfter": HASH,
        "changeId": _CHANGE_ID,
        "files": {"type": "array", "items": _UNDONE_FILE},
        "notChecked": {
            "type": "array",
            "description": "What nobody has looked at",
            "items": {"type": "string"},
        },
        "removed": {
            "type": "array",
            "description": "What others had put beside files and folders that went; with a copy",
            "items": object_schema(
                {"path": {"type": "string"}, "kept": {"type": "string"}}, ("path", "kept")
            ),
        },
        "warnings": {
            "type": "array",
            "description": (
                ".meta files that aren't as they were before that apply; what was ended first, or "
                "is still to end"
            ),
            "items": object_schema(
                {
                    "code": {"enum": [*META_WARNING_CODES, COMPLETED_FIRST, UNFINISHED]},
                    "path": {"type": "string"},
                    "message": {"type": "string"},
                },
                ("code", "message"),
            ),
        },
        "replayed": {"type": "boolean"},
    },
    ("status",),
    **{
        "if": {"required": ["changeId"]},
        "then": {"required": ["files"]},
        "else": {"required": ["path", "hashBefore", "hashAfter"]},
    },
)

GET_HISTORY_INPUT: Schema = object_schema(
    {
        "path": {**PATH, "description": "Only of this file"},
        "limit": {"type": "integer", "minimum": 1, "maximum": MAX_HISTORY, "default": 20},
        "client_request_id": CLIENT_REQUEST_ID,
        "timeout_ms": timeout(30_000),
    },
    (),
)

GET_HISTORY_OUTPUT: Schema = object_schema(
    {
        "changes": {
            "type": "array",
            "description": "Newest first",
            "items": object_schema(
                {
                    "time": {"type": "string", "format": "date-time"},
                    "client": {"type": "string", "description": "Who asked, where it is known"},
                    "undoable": {
                        "type": "boolean",
                        "description": "Its files are as it left them: it can be undone now",
                    },
                    "blocked": {
                        "type": "string",
                        "description": "What else than a later change is in the way of its undo",
                    },
                    "damaged": {
                        "type": "string",
                        "description": "It can't be undone: what is wrong, and with which file",
                    },
                    "takenBack": {
                        "type": "string",
                        "description": "It is not in place; others changed its files meanwhile",
                    },
                    "undo": {
                        "type": "object",
                        "description": "What undo_snippet takes to undo it",
                        "properties": {"path": {"type": "string"}, "hashAfter": HASH}
                        | {"changeId": _CHANGE_ID},
                        "additionalProperties": False,
                    },
                    "files": {
                        "type": "array",
                        "items": object_schema(
                            {
                                **_UNDONE_FILE["properties"],
                                "firstLine": {
                                    "type": "string",
                                    "description": "The first line that differs: -old, +new",
                                },
                            },
                            ("path", "status", "firstLine"),
                        ),
                    },
                },
                ("time", "undoable", "undo", "files"),
            ),
        },
        "truncated": TRUNCATED,
        "leftBehind": object_schema(
            {
                "message": {"type": "string", "description": "What they are, and what to do"},
                "temporaryFiles": {
                    "type": "array",
                    "description": "May have the only copy of a text",
                    "items": {"type": "string"},
                },
            },
            ("message", "temporaryFiles"),
        ),
        "unfinished": {
            "type": "array",
            "description": "Writes that were cut short and can't be ended yet, or are under way",
            "items": object_schema(
                {
                    "message": {"type": "string", "description": "What waits, and what to do"},
                    "state": {"enum": ["cutShort", "beingWritten"]},
                    "changeId": _CHANGE_ID,
                    "files": {"type": "array", "items": {"type": "string"}},
                    "folders": {
                        "type": "array",
                        "description": "What it waits for",
                        "items": {"type": "string"},
                    },
                    "record": {"type": "string", "description": "Where what is known of it lies"},
                    "temporaryFiles": {
                        "type": "array",
                        "description": "May have the only copy of a text",
                        "items": {"type": "string"},
                    },
                },
                ("message", "state", "files", "folders"),
            ),
        },
    },
    ("changes",),
)
