"""The short form in which script tools answer over MCP (docs/design/server-and-bridge.md §2).

Hashes have 16 hexadecimal digits there, lines are one-based, and no text of the request returns.
"""

from __future__ import annotations

from collections.abc import Mapping

from mcp_server.contract.errors import Guarantee
from mcp_server.contract.schema_parts import FLAG, TEXT, TEXTS, Schema, closed_object
from snippet_engine.schemas.rename_schemas import FIND_REFERENCES_OUTPUT, RENAME_SYMBOL_OUTPUT
from snippet_engine.schemas.result_schema import (
    COMPILED,
    DIAGNOSTIC,
    ERROR_SCHEMA,
    RENAME_INSTEAD,
)
from snippet_engine.schemas.schema import SEEMS_RENAME
from snippet_engine.schemas.tool_schemas import EDIT_SCRIPTS_OUTPUT, GET_HISTORY_OUTPUT

HASH_DIGITS = 16
"""Digits of a hash in a short answer."""

FULL = "full"
"""The part of ``include`` that asks for the full form."""

_HASH: Schema = {"type": "string", "pattern": f"^[0-9a-f]{{{HASH_DIGITS}}}$"}
_LINES: Schema = {**TEXT, "description": "One-based, where the change stands now: 12-14, 40"}
_CHECKED: Schema = {
    "enum": ["names", "syntax", "brackets", "nothing"],
    "description": "The deepest level that was judged; names includes types and syntax",
}
_NOT_CHECKED: Schema = {**TEXTS, "description": "What wasn't judged, in words"}
_UNDO: Schema = {"type": "object", "description": "What undo_snippet takes to undo it"}
_WARNINGS: Schema = {
    "type": "array",
    "items": EDIT_SCRIPTS_OUTPUT["$defs"]["warning"],
    "description": "Warnings about a file's state come once per connection, while they apply",
}
_DIFF: Schema = {
    **TEXT,
    "description": "In a preview, and if the change differs from what was sent",
}
_SKIPPED: Schema = {
    "type": "array",
    "items": closed_object(
        {"index": {"type": "integer"}, "reason": {"enum": ["duplicate_insert", "no_change"]}}
    ),
    "description": "Instructions that change nothing",
}
_OF_A_FILE: Mapping[str, Schema] = {
    "hashBefore": _HASH,
    "hashAfter": _HASH,
    "lines": _LINES,
    "skipped": _SKIPPED,
    "diff": _DIFF,
}
_AFTERWARDS: Mapping[str, Schema] = {
    "checked": _CHECKED,
    "notChecked": _NOT_CHECKED,
    "undo": _UNDO,
    "warnings": _WARNINGS,
    SEEMS_RENAME: RENAME_INSTEAD,
    "compile": COMPILED,
    "replayed": FLAG,
    "truncated": FLAG,
}
_UNDO_FILE = closed_object(
    {"path": TEXT, "movedTo": TEXT, "status": TEXT, "hashBefore": _HASH, "hashAfter": _HASH},
    ("movedTo", "hashBefore", "hashAfter"),
)
_FILE_COUNT: Schema = {"type": "integer", "description": "How many, if some are cut"}
_HISTORY_ENTRY: Schema = GET_HISTORY_OUTPUT["properties"]["changes"]["items"]
_REFERENCES: Mapping[str, Schema] = FIND_REFERENCES_OUTPUT["properties"]
_RENAME: Mapping[str, Schema] = RENAME_SYMBOL_OUTPUT["properties"]


def _object(required: Mapping[str, Schema], optional: Mapping[str, Schema]) -> Schema:
    return closed_object({**required, **optional}, list(optional))


SHORT_OUTPUTS: Mapping[str, Schema] = {
    "edit_snippet": _object(
        {
            "status": EDIT_SCRIPTS_OUTPUT["properties"]["status"],
            "path": TEXT,
            "hashBefore": _HASH,
            "hashAfter": _HASH,
        },
        {
            "lines": _LINES,
            "skipped": _SKIPPED,
            **_AFTERWARDS,
            "diff": _DIFF,
            "workspaceEdit": {"type": "object", "description": "LSP WorkspaceEdit"},
        },
    ),
    "edit_scripts": _object(
        {
            "status": EDIT_SCRIPTS_OUTPUT["properties"]["status"],
            "files": {
                "type": "array",
                "items": _object({"path": TEXT, "status": TEXT}, {"movedTo": TEXT, **_OF_A_FILE}),
            },
        },
        _AFTERWARDS,
    ),
    "undo_snippet": _object(
        {"status": {"const": "undone"}},
        {
            "path": TEXT,
            "hashBefore": _HASH,
            "hashAfter": _HASH,
            "changeId": TEXT,
            "files": {"type": "array", "items": _UNDO_FILE},
            "fileCount": _FILE_COUNT,
            "notChecked": _NOT_CHECKED,
            "removed": {"type": "array", "items": closed_object({"path": TEXT, "kept": TEXT})},
            "warnings": _WARNINGS,
            "replayed": FLAG,
        },
    ),
    "get_history": _object(
        {
            "changes": {
                "type": "array",
                "items": _object(
                    {"time": TEXT, "files": {"type": "array", "items": {"type": "object"}}},
                    {
                        key: _HISTORY_ENTRY["properties"][key]
                        for key in (
                            *("client", "source", "fileCount"),
                            *("undoable", "blocked", "damaged", "takenBack"),
                        )
                    }
                    | {"undo": _UNDO},
                ),
            }
        },
        {
            key: GET_HISTORY_OUTPUT["properties"][key]
            for key in ("truncated", "leftBehind", "unfinished")
        },
    ),
    "get_symbols": _object(
        {
            "symbols": {
                "type": "array",
                "items": _object(
                    {"symbolPath": TEXT, "kind": TEXT, "lines": TEXT},
                    {"path": TEXT, "condition": TEXT},
                ),
            },
        },
        {
            "path": TEXT,
            "hash": _HASH,
            "incomplete": TEXT,
            "truncated": FLAG,
            "total": {"type": "integer"},
        },
    ),
    "find_references": _object(
        {
            "symbol": TEXT,
            "total": _REFERENCES["total"],
            "references": {
                "type": "array",
                "items": closed_object(
                    {"path": TEXT, "places": {**TEXTS, "description": "LINE KIND: the line"}}
                ),
            },
            "complete": FLAG,
        },
        {
            key: _REFERENCES[key]
            for key in ("note", "reasons", "notSearched", "cursor", "truncated")
        },
    ),
    "rename_symbol": _object(
        {
            "status": _RENAME["status"],
            "symbol": TEXT,
            "newName": TEXT,
            "places": _RENAME["places"],
            "files": {
                "type": "array",
                "items": _object(
                    {"path": TEXT, "places": _RENAME["places"]}, {"movedTo": TEXT, "diff": _DIFF}
                ),
            },
            "complete": FLAG,
        },
        {
            **{
                key: _RENAME[key]
                for key in (
                    *("strings", "left", "notListed", "notSearched", "reasons"),
                    *("warnings", "compile", "replayed", "truncated"),
                )
            },
            "fileCount": _FILE_COUNT,
            "undo": _UNDO,
        },
    ),
    "validate_script": _object(
        {"path": TEXT, "hash": _HASH, "valid": FLAG, "checked": _CHECKED},
        {
            "notChecked": _NOT_CHECKED,
            "diagnostics": {"type": "array", "items": DIAGNOSTIC},
            "truncated": FLAG,
        },
    ),
}
"""By tool. What isn't listed answers in one form."""

SHORT_ERROR_SCHEMA: Schema = {
    **ERROR_SCHEMA,
    "properties": {
        **ERROR_SCHEMA["properties"],
        "execution_guarantee": {"enum": [guarantee.value for guarantee in Guarantee]},
    },
    "required": ["code", "details", "execution_guarantee"],
}
"""The engine's error object in its short form, in a failed call that has its message."""
