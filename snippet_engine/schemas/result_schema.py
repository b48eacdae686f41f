"""JSON Schemas (2020-12) of what the tools answer, and of the error object.

The source of ``contracts/`` with :mod:`.schema` (docs/design/engine.md §7, §8, §9). ``range`` is
LSP's (zero-based lines, UTF-16 code units); ``line`` and ``column`` are one-based.
"""

from __future__ import annotations

from snippet_engine.errors import MAX_MESSAGE_LENGTH, MAX_OFFERS, ErrorCode, OfferReason
from snippet_engine.schemas.schema import COMPLETED_FIRST, HASH, UNFINISHED, Schema, object_schema

_POSITION: Schema = object_schema(
    {
        "line": {"type": "integer", "minimum": 0},
        "character": {"type": "integer", "minimum": 0},
    },
    ("line", "character"),
)
_RANGE: Schema = object_schema(
    {"start": {"$ref": "#/$defs/position"}, "end": {"$ref": "#/$defs/position"}},
    ("start", "end"),
    description="LSP range: zero-based lines, UTF-16 code units",
)
_DIAGNOSTIC: Schema = object_schema(
    {
        "line": {"type": "integer", "minimum": 1},
        "column": {"type": "integer", "minimum": 1},
        "id": {"type": "string"},
        "message": {"type": "string"},
        "path": {"type": "string"},
        "instruction": {"type": "integer", "minimum": 0},
    },
    ("line", "column", "id", "message"),
)
_VALIDATION: Schema = object_schema(
    {
        "validator": {"type": "string"},
        "coverage": {
            "type": "array",
            "items": {"enum": ["brackets", "syntax", "semantics"]},
        },
        "notChecked": {"type": "array", "items": {"type": "string"}},
        "languageVersion": {"type": "string"},
        "symbolSets": {"type": "integer", "minimum": 1},
        "durationMs": {"type": "number", "minimum": 0},
        "diagnostics": {"type": "array", "items": {"$ref": "#/$defs/diagnostic"}},
        "compiler": {"type": "string"},
    },
    (
        "validator",
        "coverage",
        "notChecked",
        "languageVersion",
        "symbolSets",
        "durationMs",
        "diagnostics",
    ),
)

WARNING_CODES = (
    "anchor_in_comment",
    "anchor_in_string",
    "within_a_name",
    "commented_out",
    "inactive_region",
    "empty_block",
    "guard_scope_changed",
    "invisible_character",
    "semantic_not_checked",
    "mixed_line_endings",
    "preexisting_errors",
    "hard_links",
    "name_still_used",
    "documentation_removed",
    "attributes_removed",
    "serialized_field",
    "script_name",
    "braces_left_out",
    "same_line",
    "windows_name",
    "not_undoable",
    "duplicate_insert",
    COMPLETED_FIRST,
    UNFINISHED,
)
_WARNING: Schema = object_schema(
    {
        "code": {"enum": list(WARNING_CODES)},
        "message": {"type": "string"},
        "index": {"type": "integer", "minimum": 0},
        "line": {"type": "integer", "minimum": 1},
    },
    ("code", "message"),
)
_RESULT: Schema = object_schema(
    {
        "index": {"type": "integer", "minimum": 0},
        "status": {"enum": ["previewed", "applied", "skipped", "no_change"]},
        "reason": {"enum": ["anchor_matched", "duplicate_insert", "no_change"]},
        "beforeSnippet": {"type": "string"},
        "afterSnippet": {"type": "string"},
        "range": {"$ref": "#/$defs/range"},
        "charactersChanged": {"type": "integer", "minimum": 0},
        "metadata": {"type": "object"},
    },
    (
        "index",
        "status",
        "reason",
        "beforeSnippet",
        "afterSnippet",
        "range",
        "charactersChanged",
    ),
)
_WORKSPACE_EDIT: Schema = object_schema(
    {
        "documentChanges": {
            "type": "array",
            "items": object_schema(
                {
                    "textDocument": object_schema(
                        {"uri": {"type": "string"}, "version": {"type": "null"}},
                        ("uri", "version"),
                    ),
                    "edits": {
                        "type": "array",
                        "items": object_schema(
                            {
                                "range": {"$ref": "#/$defs/range"},
                                "newText": {"type": "string"},
                            },
                            ("range", "newText"),
                        ),
                    },
                },
                ("textDocument", "edits"),
            ),
        }
    },
    ("documentChanges",),
    description="LSP WorkspaceEdit; the file's URI is absolute",
)

TRUNCATED: Schema = {
    "type": "boolean",
    "description": "The list has more: the answer would have been too large",
}

EDIT_STATUSES = ("previewed", "applied", "unchanged", "undone", "undone_by_compile")

COMPILED: Schema = object_schema(
    {
        "status": {"enum": ["succeeded", "failed", "up_to_date", "unknown"]},
        "errors": {
            "type": "array",
            "items": object_schema(
                {
                    "path": {"type": "string"},
                    "line": {"type": "integer", "minimum": 0},
                    "column": {"type": "integer", "minimum": 0},
                    "code": {"type": "string"},
                    "message": {"type": "string"},
                },
                ("path", "line", "column", "code", "message"),
            ),
        },
        "duration_ms": {"type": "number", "minimum": 0},
        "truncated": {"type": "boolean"},
        "note": {"type": "string"},
        "stale_view": {"type": "array", "items": {"type": "string"}},
        "reason": {"type": "string", "description": "Why more isn't known, or wasn't done"},
    },
    ("status", "errors"),
    description="What Unity's compiler said, where the request asked for it",
)

EDIT_SNIPPET_OUTPUT: Schema = object_schema(
    {
        "status": {"enum": list(EDIT_STATUSES)},
        "path": {"type": "string"},
        "applied": {"type": "boolean"},
        "hashBefore": HASH,
        "hashAfter": HASH,
        "results": {"type": "array", "items": {"$ref": "#/$defs/result"}},
        "diff": {"type": "string"},
        "validation": {"$ref": "#/$defs/validation"},
        "warnings": {"type": "array", "items": {"$ref": "#/$defs/warning"}},
        "workspaceEdit": {"$ref": "#/$defs/workspaceEdit"},
        "compile": COMPILED,
        "replayed": {"type": "boolean"},
        "truncated": TRUNCATED,
    },
    (
        "status",
        "path",
        "applied",
        "hashBefore",
        "hashAfter",
        "results",
        "diff",
        "validation",
        "warnings",
    ),
    **{
        "$defs": {
            "position": _POSITION,
            "range": _RANGE,
            "diagnostic": _DIAGNOSTIC,
            "validation": _VALIDATION,
            "warning": _WARNING,
            "result": _RESULT,
            "workspaceEdit": _WORKSPACE_EDIT,
        }
    },
)

GET_SYMBOLS_OUTPUT: Schema = object_schema(
    {
        "path": {"type": "string"},
        "hash": HASH,
        "symbols": {
            "type": "array",
            "items": object_schema(
                {
                    "symbolPath": {"type": "string"},
                    "kind": {"type": "string"},
                    "range": {"$ref": "#/$defs/range"},
                    "condition": {"type": "string"},
                },
                ("symbolPath", "kind", "range"),
            ),
        },
        "incomplete": {"type": "string"},
        "truncated": TRUNCATED,
    },
    ("path", "hash", "symbols"),
    **{"$defs": {"position": _POSITION, "range": _RANGE}},
)

VALIDATE_SCRIPT_OUTPUT: Schema = object_schema(
    {
        "path": {"type": "string"},
        "hash": HASH,
        "valid": {"type": "boolean"},
        "validation": {"$ref": "#/$defs/validation"},
        "truncated": TRUNCATED,
    },
    ("path", "hash", "valid", "validation"),
    **{"$defs": {"diagnostic": _DIAGNOSTIC, "validation": _VALIDATION}},
)

ERROR_SCHEMA: Schema = object_schema(
    {
        "code": {"enum": [code.value for code in ErrorCode]},
        "message": {"type": "string", "maxLength": MAX_MESSAGE_LENGTH},
        "file": {"type": "integer", "minimum": 0},
        "instruction": {"type": "integer", "minimum": 0},
        "details": {"type": "object"},
        "offers": {
            "type": "array",
            "maxItems": MAX_OFFERS,
            "items": object_schema(
                {
                    "what": {"type": "string"},
                    "basis": {"type": "string"},
                    "unless": {"type": "string"},
                    "lacks": {"type": "string"},
                    "tool": {"type": "string"},
                    "reason": {"enum": [reason.value for reason in OfferReason]},
                    "arguments": {"type": "object"},
                },
                ("what", "arguments"),
            ),
        },
    },
    ("code", "message", "details", "offers"),
)
"""The engine's error object (docs/design/engine.md §8)."""
