"""The input and output schemas of all tools. This module adds those of undo, history and sets.

Shapes of docs/design/engine.md §5 "Undo" and docs/design/change-sets.md §1 and §4.
:mod:`snippet_engine.change_request` checks rules that JSON Schema can't express.
"""

from __future__ import annotations

from snippet_engine.limits import IN_SEVERAL_SETS, MAX_SET_FILES, MAX_SET_INSTRUCTIONS
from snippet_engine.schemas.rename_schemas import (
    FIND_REFERENCES_INPUT,
    FIND_REFERENCES_OUTPUT,
    RENAME_SYMBOL_INPUT,
    RENAME_SYMBOL_OUTPUT,
)
from snippet_engine.schemas.result_schema import (
    COMPILED,
    EDIT_SNIPPET_OUTPUT,
    EDIT_STATUSES,
    GET_SYMBOLS_OUTPUT,
    LINES,
    RENAME_INSTEAD,
    TRUNCATED,
    VALIDATE_SCRIPT_OUTPUT,
    WARNING_CODES,
)
from snippet_engine.schemas.schema import (
    CLIENT_REQUEST_ID,
    COMPLETED_FIRST,
    EDIT_SNIPPET_INPUT,
    EDITOR_GATE,
    FLAG,
    GET_SYMBOLS_INPUT,
    GIVEN_HASH,
    HASH,
    NATURAL,
    PATH,
    READ_INPUT,
    SEEMS_RENAME,
    TEXT,
    UNFINISHED,
    VALIDATION_MODE,
    WAIT,
    Schema,
    array,
    described,
    forbidden,
    include,
    object_schema,
    ref,
    timeout,
)

MAX_HISTORY = 100
META_WARNING_CODES = ("meta_missing", "meta_changed", "meta_orphan")
"""Warnings of an undo about ``.meta`` files that differ from the earlier ones."""

_CHANGE_ID: Schema = {"type": "string", "pattern": "^[0-9a-f]{16}$"}
_GIVEN_CHANGE_ID: Schema = {"type": "string", "pattern": "^[0-9a-fA-F]{16}$"}
_OF_A_CHANGE = "changeId undoes all files of the change"
_WHAT_TO_SEND = "or only the changeId of an edit_scripts; get_history lists it"
_ONLY_COPY = "May have the only copy of a text"

UNDO_SNIPPET_INPUT: Schema = object_schema(
    {
        "path": PATH,
        "hashAfter": described(GIVEN_HASH, "The hashAfter of the apply"),
        "changeId": described(_GIVEN_CHANGE_ID, "Or edit_scripts' changeId"),
        "part": described({"enum": ["format"]}, "Only line endings and BOM"),
        "include": include("full"),
        "wait": WAIT,
        "client_request_id": CLIENT_REQUEST_ID,
        "timeout_ms": timeout(30_000),
    },
    (),
    **{
        "if": {"required": ["changeId"]},
        "then": {
            "properties": {name: forbidden(_OF_A_CHANGE) for name in ("path", "hashAfter", "part")}
        },
        "else": {"required": ["path", "hashAfter"], "$comment": _WHAT_TO_SEND},
    },
)

_FILE_STATUS: Schema = {"enum": ["edited", "created", "deleted", "moved", "unchanged"]}
_UNDONE_FILE: Schema = object_schema(
    {
        "path": TEXT,
        "movedTo": TEXT,
        "status": _FILE_STATUS,
        "hashBefore": HASH,
        "hashAfter": HASH,
    },
    ("path", "status"),
)
_UNDO_WARNING: Schema = object_schema(
    {
        "code": {"enum": [*META_WARNING_CODES, COMPLETED_FIRST, UNFINISHED]},
        "path": TEXT,
        "message": TEXT,
    },
    None,
    ("path",),
)

UNDO_SNIPPET_OUTPUT: Schema = object_schema(
    {
        "status": {"const": "undone"},
        "path": TEXT,
        "hashBefore": HASH,
        "hashAfter": HASH,
        "changeId": _CHANGE_ID,
        "files": array(_UNDONE_FILE),
        "notChecked": array(TEXT, description="What was not checked"),
        "removed": array(
            object_schema({"path": TEXT, "kept": TEXT}),
            description="Removed .meta files that others had made, each with a copy",
        ),
        "warnings": array(
            _UNDO_WARNING,
            description=".meta files that differ from before that apply; interrupted writes, "
            "finished first or still unfinished",
        ),
        "replayed": FLAG,
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
        "include": include("full"),
        "client_request_id": CLIENT_REQUEST_ID,
        "timeout_ms": timeout(30_000),
    },
    (),
)

_HISTORY_FILE: Schema = object_schema(
    {
        **_UNDONE_FILE["properties"],
        "firstLine": described(TEXT, "The first line that differs: -old, +new"),
    },
    ("path", "status", "firstLine"),
)
_HISTORY_ENTRY: Schema = object_schema(
    {
        "time": {"type": "string", "format": "date-time"},
        "client": described(TEXT, "Who asked, where it is known"),
        "source": described(
            TEXT, "Who made it, if not this product: a client's tool, or outside (unknown)"
        ),
        "fileCount": described({"type": "integer"}, "How many files, if not all are listed"),
        "undoable": described(FLAG, "Its files have not changed since: it can be undone now"),
        "blocked": described(TEXT, "What prevents its undo, apart from later changes"),
        "damaged": described(TEXT, "Why it can't be undone, and which file is the reason"),
        "takenBack": described(TEXT, "It was rolled back; others changed its files meanwhile"),
        "undo": {
            "type": "object",
            "description": "Arguments of undo_snippet that undo it",
            "properties": {"path": TEXT, "hashAfter": HASH, "changeId": _CHANGE_ID},
            "additionalProperties": False,
        },
        "files": array(_HISTORY_FILE),
    },
    ("time", "undoable", "undo", "files"),
)
_UNFINISHED_WRITE: Schema = object_schema(
    {
        "message": described(TEXT, "What waits, and what to do"),
        "state": {"enum": ["cutShort", "beingWritten"]},
        "changeId": _CHANGE_ID,
        "files": array(TEXT),
        "folders": array(TEXT, description="What it waits for"),
        "record": described(TEXT, "Where its record is"),
        "temporaryFiles": array(TEXT, description=_ONLY_COPY),
    },
    ("message", "state", "files", "folders"),
)

GET_HISTORY_OUTPUT: Schema = object_schema(
    {
        "changes": array(_HISTORY_ENTRY, description="Newest first"),
        "truncated": TRUNCATED,
        "leftBehind": object_schema(
            {
                "message": described(TEXT, "What they are, and what to do"),
                "temporaryFiles": array(TEXT, description=_ONLY_COPY),
            }
        ),
        "unfinished": array(
            _UNFINISHED_WRITE,
            description="Interrupted writes that can't be finished yet, and writes in progress",
        ),
    },
    ("changes",),
)

UNITY_WARNING_CODES = (
    *("meta_missing", "meta_orphan", "assembly_changed", "not_imported"),
    *("left_behind", "encoding_kept", "new_file_format", "empty_folder", "guid_lost"),
)

_WHY_A_HASH = (
    "send the hash of the version that you have seen, from get_symbols or a preview's hashBefore"
)

_NO_FORMAT = {"properties": {"format": forbidden("only a new file, in create, takes a format")}}

CHANGE: Schema = object_schema(
    {
        "path": PATH,
        "expectedHash": EDIT_SNIPPET_INPUT["properties"]["expectedHash"],
        "instructions": array(
            ref("instruction"),
            minItems=1,
            maxItems=MAX_SET_INSTRUCTIONS,
            **{"$comment": IN_SEVERAL_SETS},
        ),
        "create": described(TEXT, "Text of a new or empty file"),
        "format": {
            "const": "asGiven",
            "description": "Keep create's line endings and BOM, not those of the folder's scripts",
        },
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
                    "instructions": forbidden("a deleted file can't have instructions"),
                    "moveTo": forbidden("a deleted file is not moved"),
                },
            },
        },
        {"if": {"not": {"required": ["create"]}}, "then": _NO_FORMAT},
        {
            "if": {"anyOf": [{"required": [key]} for key in ("create", "delete", "moveTo")]},
            "else": {"required": ["instructions"]},
        },
    ],
)

EDIT_SCRIPTS_INPUT: Schema = object_schema(
    {
        "mode": EDIT_SNIPPET_INPUT["properties"]["mode"],
        "changes": array(
            ref("change"), minItems=1, maxItems=MAX_SET_FILES, **{"$comment": IN_SEVERAL_SETS}
        ),
        "validation": VALIDATION_MODE,
        "editorGate": EDITOR_GATE,
        "include": include("diff", "full"),
        "wait": WAIT,
        "client_request_id": CLIENT_REQUEST_ID,
        "timeout_ms": timeout(60_000),
    },
    ("mode", "changes"),
    **{"$defs": {"change": CHANGE, **EDIT_SNIPPET_INPUT["$defs"]}},
)

_SNIPPET_DEFINITIONS = EDIT_SNIPPET_OUTPUT["$defs"]
# The last codes come from the undo of an apply that doesn't compile.
_ALL_WARNING_CODES = (*WARNING_CODES, *UNITY_WARNING_CODES, *META_WARNING_CODES)

_WARNING: Schema = {
    **_SNIPPET_DEFINITIONS["warning"],
    "properties": {
        **_SNIPPET_DEFINITIONS["warning"]["properties"],
        "code": {"enum": list(dict.fromkeys(_ALL_WARNING_CODES))},
        "file": NATURAL,
        "path": TEXT,
    },
}

_FILE: Schema = object_schema(
    {
        "path": TEXT,
        "movedTo": TEXT,
        "status": _FILE_STATUS,
        "hashBefore": HASH,
        "hashAfter": HASH,
        "lines": LINES,
        "results": array(ref("result")),
        "diff": TEXT,
    },
    None,
    ("movedTo", "hashBefore", "hashAfter", "lines"),
)

EDIT_SCRIPTS_OUTPUT: Schema = object_schema(
    {
        "status": {"enum": list(EDIT_STATUSES)},
        "applied": FLAG,
        "changeId": TEXT,
        "files": array(ref("file")),
        "validation": ref("validation"),
        "warnings": array(ref("warning")),
        SEEMS_RENAME: RENAME_INSTEAD,
        "compile": COMPILED,
        "replayed": FLAG,
        "truncated": TRUNCATED,
    },
    None,
    ("changeId", SEEMS_RENAME, "compile", "replayed", "truncated"),
    **{
        "$defs": {
            **{
                name: each for name, each in _SNIPPET_DEFINITIONS.items() if name != "workspaceEdit"
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
    "find_references": FIND_REFERENCES_INPUT,
    "rename_symbol": RENAME_SYMBOL_INPUT,
    "validate_script": READ_INPUT,
}

OUTPUT_SCHEMAS: dict[str, Schema] = {
    "edit_snippet": EDIT_SNIPPET_OUTPUT,
    "edit_scripts": EDIT_SCRIPTS_OUTPUT,
    "undo_snippet": UNDO_SNIPPET_OUTPUT,
    "get_history": GET_HISTORY_OUTPUT,
    "get_symbols": GET_SYMBOLS_OUTPUT,
    "find_references": FIND_REFERENCES_OUTPUT,
    "rename_symbol": RENAME_SYMBOL_OUTPUT,
    "validate_script": VALIDATE_SCRIPT_OUTPUT,
}
