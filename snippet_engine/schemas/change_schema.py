"""JSON Schemas (2020-12) of ``edit_scripts``: several scripts changed together, or none.

Implements the shapes of docs/design/change-sets.md §1 and §4. Its instructions are those of
``edit_snippet``; what JSON Schema can't say (each path once, how many instructions there are in
all) is said by :mod:`snippet_engine.change_request`.
"""

from __future__ import annotations

from snippet_engine.limits import IN_SEVERAL_SETS, MAX_SET_FILES, MAX_SET_INSTRUCTIONS
from snippet_engine.schemas.result_schema import (
    COMPILED,
    EDIT_SNIPPET_OUTPUT,
    EDIT_STATUSES,
    TRUNCATED,
    WARNING_CODES,
)
from snippet_engine.schemas.schema import (
    CLIENT_REQUEST_ID,
    EDIT_SNIPPET_INPUT,
    EDITOR_GATE,
    HASH,
    PATH,
    VALIDATION_MODE,
    Schema,
    forbidden,
    object_schema,
    timeout,
)
from snippet_engine.schemas.undo_schema import META_WARNING_CODES

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
