"""The input and output schemas of the engine's tools; those of undo and history among them.

Implements the shapes of docs/design/engine.md §5 "Undo".
"""

from __future__ import annotations

from snippet_engine.limits import IN_SEVERAL_SETS, MAX_SET_FILES, MAX_SET_INSTRUCTIONS
from snippet_engine.schemas.result_schema import (
    COMPILED,
    EDIT_SNIPPET_OUTPUT,
    EDIT_STATUSES,
    GET_SYMBOLS_OUTPUT,
    TRUNCATED,
    VALIDATE_SCRIPT_OUTPUT,
    WARNING_CODES,
)
from snippet_engine.schemas.schema import (
    CLIENT_REQUEST_ID,
    COMPLETED_FIRST,
    EDIT_SNIPPET_INPUT,
    EDITOR_GATE,
    GET_SYMBOLS_INPUT,
    HASH,
    PATH,
    READ_INPUT,
    UNFINISHED,
    VALIDATION_MODE,
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


MAX_TIMEOUT_MS = 60_000

UNITY_WARNING_CODES = (
    "meta_missing",
    "meta_orphan",
    "assembly_changed",
    "not_imported",
    "left_behind",
    "encoding_kept",
    "empty_folder",
    "guid_lost",
)

FILE_STATUSES = ("edited", "created", "deleted", "moved", "unchanged")

_WHY_A_HASH = (
    "only the file that you have seen is deleted. get_symbols tells its hash, as does hashBefore "
    "of a preview"
)

_ONE_OF = "instructions, create, delete, moveTo"

CHANGE: Schema = object_schema(
    {
        "path": PATH,
        "expectedHash": EDIT_SNIPPET_INPUT["properties"]["expectedHash"],
        "instructions": {
            "type": "array",
            "minItems": 1,
            "maxItems": MAX_SET_INSTRUCTIONS,
            "$comment": IN_SEVERAL_SETS,
            "items": {"$ref": "#/$defs/instruction"},
        },
        "create": {"type": "string", "description": "Text of a new or empty file"},
        "delete": {
            "const": True,
            "description": "With its .meta; needs expectedHash (from get_symbols)",
        },
        "moveTo": {
            "type": "string",
            "minLength": 1,
            "description": "New path; its .meta goes along, so references survive",
        },
    },
    ("path",),
    allOf=[
        {
            "if": {"required": ["create"]},
            "then": {
                "properties": {
                    "instructions": forbidden("a new file is given whole, in create"),
                    "delete": forbidden("create makes the file"),
                    "moveTo": forbidden("create takes the new path as path"),
                    "expectedHash": forbidden("a new file has no hash yet"),
                }
            },
        },
        {
            "if": {
                "required": ["delete"],
                "properties": {"delete": {"const": True}, "create": {"not": {}}},
            },
            "then": {
                "required": ["expectedHash"],
                "$comment": _WHY_A_HASH,
                "properties": {
                    "instructions": forbidden("a deleted file has no instructions"),
                    "moveTo": forbidden("a deleted file is not moved"),
                },
            },
        },
        {
            "if": {
                "anyOf": [
                    {"required": ["create"]},
                    {"required": ["delete"]},
                    {"required": ["moveTo"]},
                ]
            },
            "else": {"required": ["instructions"]},
        },
    ],
)

EDIT_SCRIPTS_INPUT: Schema = object_schema(
    {
        "mode": EDIT_SNIPPET_INPUT["properties"]["mode"],
        "changes": {
            "type": "array",
            "minItems": 1,
            "maxItems": MAX_SET_FILES,
            "$comment": IN_SEVERAL_SETS,
            "items": {"$ref": "#/$defs/change"},
        },
        "validation": VALIDATION_MODE,
        "editorGate": EDITOR_GATE,
        "client_request_id": CLIENT_REQUEST_ID,
        "timeout_ms": timeout(MAX_TIMEOUT_MS),
    },
    ("mode", "changes"),
    **{"$defs": {"change": CHANGE, **EDIT_SNIPPET_INPUT["$defs"]}},
)

_SNIPPET_DEFINITIONS = EDIT_SNIPPET_OUTPUT["$defs"]

_ALL_WARNING_CODES = (*WARNING_CODES, *UNITY_WARNING_CODES, *META_WARNING_CODES)

_WARNING: Schema = {
    **_SNIPPET_DEFINITIONS["warning"],
    "properties": {
        **_SNIPPET_DEFINITIONS["warning"]["properties"],
        # The last are of an undo, where what was applied doesn't compile.
        "code": {"enum": list(dict.fromkeys(_ALL_WARNING_CODES))},
        "file": {"type": "integer", "minimum": 0},
        "path": {"type": "string"},
    },
}

_FILE: Schema = object_schema(
    {
        "path": {"type": "string"},
        "movedTo": {"type": "string"},
        "status": {"enum": list(FILE_STATUSES)},
        "hashBefore": HASH,
        "hashAfter": HASH,
        "results": {"type": "array", "items": {"$ref": "#/$defs/result"}},
        "diff": {"type": "string"},
    },
    ("path", "status", "results", "diff"),
)

EDIT_SCRIPTS_OUTPUT: Schema = object_schema(
    {
        "status": {"enum": list(EDIT_STATUSES)},
        "applied": {"type": "boolean"},
        "changeId": {"type": "string"},
        "files": {"type": "array", "items": {"$ref": "#/$defs/file"}},
        "validation": {"$ref": "#/$defs/validation"},
        "warnings": {"type": "array", "items": {"$ref": "#/$defs/warning"}},
        "compile": COMPILED,
        "replayed": {"type": "boolean"},
        "truncated": TRUNCATED,
    },
    ("status", "applied", "files", "validation", "warnings"),
    **{
        "$defs": {
            **{
                name: schema
                for name, schema in _SNIPPET_DEFINITIONS.items()
                if name != "workspaceEdit"
            },
            "file": _FILE,
            "warning": _WARNING,
        }
    },
)


INPUT_SCHEMAS: dict[str, Schema] = {
    "edit_snippet": EDIT_SNIPPET_INPUT,
    "edit_scripts": EDIT_SCRIPTS_INPUT,
    "undo_snippet": UNDO_SNIPPET_INPUT,
    "get_history": GET_HISTORY_INPUT,
    "get_symbols": GET_SYMBOLS_INPUT,
    "validate_script": READ_INPUT,
}

OUTPUT_SCHEMAS: dict[str, Schema] = {
    "edit_snippet": EDIT_SNIPPET_OUTPUT,
    "edit_scripts": EDIT_SCRIPTS_OUTPUT,
    "undo_snippet": UNDO_SNIPPET_OUTPUT,
    "get_history": GET_HISTORY_OUTPUT,
    "get_symbols": GET_SYMBOLS_OUTPUT,
    "validate_script": VALIDATE_SCRIPT_OUTPUT,
}
