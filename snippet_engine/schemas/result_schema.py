"""JSON Schemas (2020-12) of the tools' results, and of the error object (docs/design/engine.md).

``range`` is LSP's (zero-based, UTF-16 code units); ``line`` and ``column`` are one-based.
"""

from __future__ import annotations

from snippet_engine.errors import MAX_MESSAGE_LENGTH, MAX_OFFERS, ErrorCode, OfferReason
from snippet_engine.schemas.schema import (
    COMPLETED_FIRST,
    FLAG,
    HASH,
    NATURAL,
    ONE_BASED,
    SEEMS_RENAME,
    TEXT,
    UNFINISHED,
    Schema,
    array,
    described,
    object_schema,
    ref,
)

_DURATION: Schema = {"type": "number", "minimum": 0}
_POSITION: Schema = object_schema({"line": NATURAL, "character": NATURAL})
_RANGE: Schema = object_schema(
    {"start": ref("position"), "end": ref("position")},
    description="LSP range: zero-based lines, UTF-16 code units",
)
DIAGNOSTIC: Schema = object_schema(
    {
        "line": ONE_BASED,
        "column": ONE_BASED,
        "id": TEXT,
        "message": TEXT,
        "path": TEXT,
        "instruction": NATURAL,
    },
    None,
    ("path", "instruction"),
)
_VALIDATION: Schema = object_schema(
    {
        "validator": TEXT,
        "coverage": array({"enum": ["brackets", "syntax", "semantics"]}),
        "notChecked": array(TEXT),
        "languageVersion": TEXT,
        "symbolSets": ONE_BASED,
        "durationMs": _DURATION,
        "diagnostics": array(ref("diagnostic")),
        "compiler": TEXT,
    },
    None,
    ("compiler",),
)

WARNING_CODES = (
    *("anchor_in_comment", "anchor_in_string", "within_a_name", "commented_out"),
    *("inactive_region", "empty_block", "guard_scope_changed", "invisible_character"),
    *("semantic_not_checked", "mixed_line_endings", "preexisting_errors", "hard_links"),
    *("name_still_used", "documentation_removed", "attributes_removed", "serialized_field"),
    *("script_name", "braces_left_out", "same_line", "windows_name", "not_undoable"),
    *("duplicate_insert", COMPLETED_FIRST, UNFINISHED),
)
_WARNING: Schema = object_schema(
    {
        "code": {"enum": list(WARNING_CODES)},
        "message": TEXT,
        "index": NATURAL,
        "line": ONE_BASED,
    },
    None,
    ("index", "line"),
)
_RESULT: Schema = object_schema(
    {
        "index": NATURAL,
        "status": {"enum": ["previewed", "applied", "skipped", "no_change"]},
        "reason": {"enum": ["anchor_matched", "duplicate_insert", "no_change"]},
        "beforeSnippet": TEXT,
        "afterSnippet": TEXT,
        "range": ref("range"),
        "charactersChanged": NATURAL,
        "adjusted": described(FLAG, "The edit differs from what was sent"),
        "metadata": {"type": "object"},
    },
    None,
    ("adjusted", "metadata"),
)
_DOCUMENT_EDIT: Schema = object_schema(
    {
        "textDocument": object_schema({"uri": TEXT, "version": {"type": "null"}}),
        "edits": array(object_schema({"range": ref("range"), "newText": TEXT})),
    }
)
LINES = described(TEXT, "The changed lines in the new text, one-based, such as 12-14, 40")
_WORKSPACE_EDIT: Schema = object_schema(
    {"documentChanges": array(_DOCUMENT_EDIT)},
    description="LSP WorkspaceEdit; the file's URI is absolute",
)

TRUNCATED = described(FLAG, "The list has more: the answer would have been too large")

EDIT_STATUSES = ("previewed", "applied", "unchanged", "undone", "undone_by_compile")

_COMPILER_ERROR: Schema = object_schema(
    {"path": TEXT, "line": NATURAL, "column": NATURAL, "code": TEXT, "message": TEXT}
)
COMPILED: Schema = object_schema(
    {
        "status": {"enum": ["succeeded", "failed", "up_to_date", "unknown"]},
        "errors": array(_COMPILER_ERROR),
        "duration_ms": _DURATION,
        "truncated": FLAG,
        "note": TEXT,
        "stale_view": array(TEXT),
        "reason": described(TEXT, "Why something is unknown, or was not done"),
    },
    None,
    ("duration_ms", "truncated", "note", "stale_view", "reason"),
    description="What Unity's compiler said, where the request asked for it",
)

RENAME_INSTEAD: Schema = object_schema(
    {
        "symbol": TEXT,
        "newName": TEXT,
        "otherPlaces": described(NATURAL, "Other places in scripts that refer to the symbol"),
        "inAssets": described(NATURAL, "Places in scenes, prefabs and other assets"),
        "notCounted": described(array(TEXT), "What the counts leave out"),
        "requests": array(
            object_schema({"tool": TEXT, "arguments": {"type": "object"}}),
            description="Rename everywhere instead: send these, in this order",
        ),
    },
    None,
    ("otherPlaces", "inAssets", "notCounted"),
    description="The edits do nothing but rename a symbol; other places keep its old name",
)

EDIT_SNIPPET_OUTPUT: Schema = object_schema(
    {
        "status": {"enum": list(EDIT_STATUSES)},
        "path": TEXT,
        "applied": FLAG,
        "hashBefore": HASH,
        "hashAfter": HASH,
        "lines": LINES,
        "results": array(ref("result")),
        "diff": TEXT,
        "validation": ref("validation"),
        "warnings": array(ref("warning")),
        "workspaceEdit": ref("workspaceEdit"),
        SEEMS_RENAME: RENAME_INSTEAD,
        "compile": COMPILED,
        "replayed": FLAG,
        "truncated": TRUNCATED,
    },
    None,
    ("workspaceEdit", SEEMS_RENAME, "compile", "replayed", "truncated"),
    **{
        "$defs": {
            "position": _POSITION,
            "range": _RANGE,
            "diagnostic": DIAGNOSTIC,
            "validation": _VALIDATION,
            "warning": _WARNING,
            "result": _RESULT,
            "workspaceEdit": _WORKSPACE_EDIT,
        }
    },
)

_SYMBOL: Schema = object_schema(
    {"path": TEXT, "symbolPath": TEXT, "kind": TEXT, "range": ref("range"), "condition": TEXT},
    None,
    ("path", "condition"),
)
GET_SYMBOLS_OUTPUT: Schema = object_schema(
    {
        "path": TEXT,
        "hash": HASH,
        "symbols": array(_SYMBOL, description="Of a search, each with its path"),
        "incomplete": TEXT,
        "truncated": TRUNCATED,
        "total": described(NATURAL, "How many a search found, if not all are listed"),
    },
    None,
    ("path", "hash", "incomplete", "truncated", "total"),
    **{"$defs": {"position": _POSITION, "range": _RANGE}},
)

VALIDATE_SCRIPT_OUTPUT: Schema = object_schema(
    {
        "path": TEXT,
        "hash": HASH,
        "valid": FLAG,
        "validation": ref("validation"),
        "truncated": TRUNCATED,
    },
    None,
    ("truncated",),
    **{"$defs": {"diagnostic": DIAGNOSTIC, "validation": _VALIDATION}},
)

_OFFER: Schema = object_schema(
    {
        "what": TEXT,
        "basis": TEXT,
        "unless": TEXT,
        "lacks": TEXT,
        "tool": TEXT,
        "reason": {"enum": [reason.value for reason in OfferReason]},
        "arguments": {"type": "object"},
    },
    None,
    ("basis", "unless", "lacks", "tool", "reason"),
)
ERROR_SCHEMA: Schema = object_schema(
    {
        "code": {"enum": [code.value for code in ErrorCode]},
        "message": {"type": "string", "maxLength": MAX_MESSAGE_LENGTH},
        "file": NATURAL,
        "instruction": NATURAL,
        "details": {"type": "object"},
        "offers": array(_OFFER, maxItems=MAX_OFFERS),
    },
    None,
    ("file", "instruction"),
)
