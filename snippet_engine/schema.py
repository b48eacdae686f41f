"""JSON Schemas (2020-12) of the engine's tools: inputs, outputs, and its error object.

The source of ``contracts/`` for these tools, and of the engine's own strict validation
(docs/design/engine.md §1, §7, §8, §9). A ``{"not": {}}`` schema forbids a key in a
combination; its ``$comment`` is the message that says why.

Two ways to name a place, everywhere in the contract: ``range`` is LSP's (zero-based lines,
UTF-16 code units); ``line`` and ``column`` are one-based, as compilers and Unity print them.
"""

from __future__ import annotations

from typing import Any

from snippet_engine.errors import MAX_MESSAGE_LENGTH, MAX_OFFERS, ErrorCode

Schema = dict[str, Any]

MAX_INSTRUCTIONS = 10
TEXT_POSITIONS = ("before", "after", "line_before", "line_after")
BODY_POSITIONS = ("body_start", "body_end")
SYMBOL_PARTS = (
    "declaration",
    "body",
    "signature",
    "attributes",
    "documentation",
    "initializer",
)

HASH: Schema = {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"}
PATH: Schema = {
    "type": "string",
    "minLength": 1,
    "description": "Project-relative: Assets/… or Packages/…, ending in .cs",
}
CLIENT_REQUEST_ID: Schema = {"type": "string", "minLength": 1, "maxLength": 200}


def timeout(maximum_ms: int) -> Schema:
    """A call's ``timeout_ms``."""
    return {"type": "integer", "minimum": 1, "maximum": maximum_ms}


def forbidden(why: str) -> Schema:
    """A key that must not be there; ``why`` is said to who sends it."""
    return {"not": {}, "$comment": why}


def object_schema(properties: Schema, required: tuple[str, ...], **more: Any) -> Schema:
    """An object with these keys and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
        **more,
    }


_CONTEXT: Schema = {
    "before": {"type": "string", "description": "Lines that end right where target begins"},
    "after": {"type": "string", "description": "Lines that begin right where target ends"},
    "in": {"enum": ["comment"], "description": "Search comments instead of code"},
}

_POSITION_OF_INSERT = "For insert only; default after"

TEXT_ANCHOR: Schema = object_schema(
    {
        "type": {"const": "text"},
        "target": {
            "type": "string",
            "minLength": 1,
            "description": "Exact text, must occur once (else add before/after)",
        },
        **_CONTEXT,
        "position": {"enum": list(TEXT_POSITIONS), "description": _POSITION_OF_INSERT},
    },
    ("type", "target"),
)

SYMBOL_ANCHOR: Schema = object_schema(
    {
        "type": {"const": "symbol"},
        "symbolPath": {
            "type": "string",
            "minLength": 1,
            "description": "Game.Player.TakeDamage(int); see get_symbols",
        },
        "part": {"enum": list(SYMBOL_PARTS), "description": "Default declaration: all of it"},
        "target": {
            "type": "string",
            "minLength": 1,
            "description": "Text within the symbol, or its part",
        },
        **_CONTEXT,
        "position": {
            "enum": [*TEXT_POSITIONS, *BODY_POSITIONS],
            "description": _POSITION_OF_INSERT,
        },
    },
    ("type", "symbolPath"),
    **{
        "if": {"required": ["target"]},
        "then": {
            "properties": {
                "position": {
                    "enum": list(TEXT_POSITIONS),
                    "$comment": "body_start and body_end take no target",
                }
            }
        },
        "else": {"properties": {"in": forbidden("in needs a target within the symbol")}},
        "allOf": [
            {
                "if": {
                    "required": ["part"],
                    "properties": {"part": {"enum": list(SYMBOL_PARTS[1:])}},
                },
                "then": {
                    "properties": {
                        "position": {
                            "enum": list(TEXT_POSITIONS),
                            "$comment": "body_start and body_end are of the whole declaration",
                        }
                    }
                },
            }
        ],
    },
)

INSTRUCTION: Schema = object_schema(
    {
        "operation": {"enum": ["replace", "insert", "delete"]},
        "anchor": {"oneOf": [{"$ref": "#/$defs/textAnchor"}, {"$ref": "#/$defs/symbolAnchor"}]},
        "newText": {"type": "string", "minLength": 1},
        "indent": {"enum": ["asGiven"], "description": "Don't indent the newText for the place"},
        "metadata": {"type": "object", "description": "Returned untouched"},
    },
    ("operation", "anchor"),
    allOf=[
        {
            "if": {"properties": {"operation": {"const": "delete"}}, "required": ["operation"]},
            "then": {
                "properties": {
                    "newText": forbidden('operation "delete" takes no newText'),
                    "indent": forbidden('operation "delete" has no new lines'),
                }
            },
            "else": {"required": ["newText"]},
        },
        {
            "if": {
                "properties": {"operation": {"enum": ["replace", "delete"]}},
                "required": ["operation"],
            },
            "then": {
                "properties": {
                    "anchor": {
                        "properties": {
                            "position": forbidden('only operation "insert" takes a position')
                        }
                    }
                }
            },
        },
    ],
)

VALIDATION_MODE: Schema = {
    "enum": ["auto", "embedded", "lsp"],
    "default": "auto",
    "description": "lsp: by Roslyn, or refused",
}

EDITOR_GATE: Schema = {
    "enum": ["none", "compile"],
    "description": "compile: undone unless Unity compiles it",
}

EDIT_SNIPPET_INPUT: Schema = object_schema(
    {
        "path": PATH,
        "mode": {"enum": ["preview", "apply"], "description": "preview never writes"},
        "instructions": {
            "type": "array",
            "minItems": 1,
            "maxItems": MAX_INSTRUCTIONS,
            "items": {"$ref": "#/$defs/instruction"},
        },
        "expectedHash": {**HASH, "description": "Refused if the file has another hash"},
        "validation": VALIDATION_MODE,
        "editorGate": EDITOR_GATE,
        "include": {"type": "array", "items": {"enum": ["workspaceEdit"]}, "uniqueItems": True},
        "client_request_id": CLIENT_REQUEST_ID,
        "timeout_ms": timeout(30_000),
    },
    ("path", "mode", "instructions"),
    **{
        "$defs": {
            "instruction": INSTRUCTION,
            "textAnchor": TEXT_ANCHOR,
            "symbolAnchor": SYMBOL_ANCHOR,
        }
    },
)

READ_INPUT: Schema = object_schema(
    {"path": PATH, "client_request_id": CLIENT_REQUEST_ID, "timeout_ms": timeout(30_000)},
    ("path",),
)

GET_SYMBOLS_INPUT: Schema = object_schema(
    {
        "path": PATH,
        "filter": {
            "type": "string",
            "minLength": 1,
            "maxLength": 200,
            "description": "Only symbols with this in their symbolPath; case is ignored",
        },
        "client_request_id": CLIENT_REQUEST_ID,
        "timeout_ms": timeout(30_000),
    },
    ("path",),
)

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
    "inactive_region",
    "empty_block",
    "guard_scope_changed",
    "semantic_not_checked",
    "mixed_line_endings",
    "preexisting_errors",
    "hard_links",
    "name_still_used",
    "documentation_removed",
    "attributes_removed",
    "braces_left_out",
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

EDIT_STATUSES = ("previewed", "applied", "unchanged", "undone_by_compile")

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
                },
                ("symbolPath", "kind", "range"),
            ),
        },
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
                    "tool": {"type": "string"},
                    "arguments": {"type": "object"},
                },
                ("what", "arguments"),
            ),
        },
    },
    ("code", "message", "details", "offers"),
)
"""The engine's error object (docs/design/engine.md §8)."""
