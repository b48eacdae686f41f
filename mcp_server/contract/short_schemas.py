"""The schemas of script tools' short answers over MCP (docs/design/server-and-bridge.md §2).

In short answers, hashes have 16 hexadecimal digits, lines are one-based, and the request's text is
not repeated.
"""

from __future__ import annotations

from collections.abc import Mapping

from mcp_server.contract.errors import Guarantee
from mcp_server.contract.schema_parts import (
    FLAG,
    OBJECT,
    TEXT,
    TEXTS,
    Schema,
    array,
    closed_object,
    noted,
    words,
)
from snippet_engine.schemas.rename_schemas import FIND_REFERENCES_OUTPUT, RENAME_SYMBOL_OUTPUT
from snippet_engine.schemas.result_schema import COMPILED, DIAGNOSTIC, ERROR_SCHEMA, RENAME_INSTEAD
from snippet_engine.schemas.schema import SEEMS_RENAME
from snippet_engine.schemas.tool_schemas import EDIT_SCRIPTS_OUTPUT, GET_HISTORY_OUTPUT

HASH_DIGITS = 16
"""How many hexadecimal digits of a hash a short answer has."""

FULL = "full"
"""The word in ``include`` that asks for the full form."""

_HASH: Schema = {"type": "string", "pattern": f"^[0-9a-f]{{{HASH_DIGITS}}}$"}
_LINES = noted(TEXT, "The changed lines as they are now, one-based: 12-14, 40")
_CHECKED = noted(
    words("names", "syntax", "brackets", "nothing"),
    "The deepest level that was checked; names includes types and syntax",
)
_NOT_CHECKED = noted(TEXTS, "What wasn't checked, in words")
_UNDO = noted(OBJECT, "Arguments of undo_snippet that undo it")
_WARNINGS = array(
    EDIT_SCRIPTS_OUTPUT["$defs"]["warning"],
    "A warning about a file's state is sent once per connection",
)
_DIFF = noted(TEXT, "In a preview, and if the change differs from what was sent")
_INTEGER: Schema = {"type": "integer"}
_SKIPPED = array(
    closed_object({"index": _INTEGER, "reason": words("duplicate_insert", "no_change")}),
    "Instructions that change nothing",
)
_AFTERWARDS: Mapping[str, Schema] = {
    "checked?": _CHECKED,
    "notChecked?": _NOT_CHECKED,
    "undo?": _UNDO,
    "warnings?": _WARNINGS,
    f"{SEEMS_RENAME}?": RENAME_INSTEAD,
    "compile?": COMPILED,
    "replayed?": FLAG,
    "truncated?": FLAG,
}
_EDITED_FILE = closed_object(
    {
        "path": TEXT,
        "status": TEXT,
        "movedTo?": TEXT,
        "hashBefore?": _HASH,
        "hashAfter?": _HASH,
        "lines?": _LINES,
        "skipped?": _SKIPPED,
        "diff?": _DIFF,
    }
)
_UNDO_FILE = closed_object(
    {"path": TEXT, "movedTo?": TEXT, "status": TEXT, "hashBefore?": _HASH, "hashAfter?": _HASH}
)
_FILE_COUNT = noted(_INTEGER, "How many files, if the list is cut")
_HISTORY: Mapping[str, Schema] = GET_HISTORY_OUTPUT["properties"]
_REFERENCES: Mapping[str, Schema] = FIND_REFERENCES_OUTPUT["properties"]
_RENAME: Mapping[str, Schema] = RENAME_SYMBOL_OUTPUT["properties"]
_STATUS = EDIT_SCRIPTS_OUTPUT["properties"]["status"]


def _some_of(properties: Mapping[str, Schema], *names: str) -> Schema:
    """Return some properties of a full answer, all of them optional."""
    return {f"{name}?": properties[name] for name in names}


_HISTORY_ENTRY = closed_object(
    {
        "time": TEXT,
        "files": array(OBJECT),
        **_some_of(
            _HISTORY["changes"]["items"]["properties"],
            *("client", "source", "fileCount", "undoable", "blocked", "damaged", "takenBack"),
        ),
        "undo?": _UNDO,
    }
)
_SYMBOL = closed_object(
    {"symbolPath": TEXT, "kind": TEXT, "lines": TEXT, "path?": TEXT, "condition?": TEXT}
)
_USED_IN = closed_object({"path": TEXT, "places": noted(TEXTS, "LINE KIND: the line")})
_RENAMED_IN = closed_object(
    {"path": TEXT, "places": _RENAME["places"], "movedTo?": TEXT, "diff?": _DIFF}
)

SHORT_OUTPUTS: Mapping[str, Schema] = {
    "edit_snippet": closed_object(
        {
            "status": _STATUS,
            "path": TEXT,
            "hashBefore": _HASH,
            "hashAfter": _HASH,
            "lines?": _LINES,
            "skipped?": _SKIPPED,
            **_AFTERWARDS,
            "diff?": _DIFF,
            "workspaceEdit?": noted(OBJECT, "LSP WorkspaceEdit"),
        }
    ),
    "edit_scripts": closed_object({"status": _STATUS, "files": array(_EDITED_FILE), **_AFTERWARDS}),
    "undo_snippet": closed_object(
        {
            "status": {"const": "undone"},
            "path?": TEXT,
            "hashBefore?": _HASH,
            "hashAfter?": _HASH,
            "changeId?": TEXT,
            "files?": array(_UNDO_FILE),
            "fileCount?": _FILE_COUNT,
            "notChecked?": _NOT_CHECKED,
            "removed?": array(closed_object({"path": TEXT, "kept": TEXT})),
            "warnings?": _WARNINGS,
            "replayed?": FLAG,
        }
    ),
    "get_history": closed_object(
        {
            "changes": array(_HISTORY_ENTRY),
            **_some_of(_HISTORY, "truncated", "leftBehind", "unfinished"),
        }
    ),
    "get_symbols": closed_object(
        {
            "symbols": array(_SYMBOL),
            "path?": TEXT,
            "hash?": _HASH,
            "incomplete?": TEXT,
            "truncated?": FLAG,
            "total?": _INTEGER,
        }
    ),
    "find_references": closed_object(
        {
            "symbol": TEXT,
            "total": _REFERENCES["total"],
            "references": array(_USED_IN),
            "complete": FLAG,
            **_some_of(_REFERENCES, "note", "reasons", "notSearched", "cursor", "truncated"),
        }
    ),
    "rename_symbol": closed_object(
        {
            "status": _RENAME["status"],
            "symbol": TEXT,
            "newName": TEXT,
            "places": _RENAME["places"],
            "files": array(_RENAMED_IN),
            "complete": FLAG,
            **_some_of(
                _RENAME,
                *("strings", "left", "notListed", "notSearched", "reasons"),
                *("warnings", "compile", "replayed", "truncated"),
            ),
            "fileCount?": _FILE_COUNT,
            "undo?": _UNDO,
        }
    ),
    "validate_script": closed_object(
        {
            "path": TEXT,
            "hash": _HASH,
            "valid": FLAG,
            "checked": _CHECKED,
            "notChecked?": _NOT_CHECKED,
            "diagnostics?": array(DIAGNOSTIC),
            "truncated?": FLAG,
        }
    ),
}
"""The schema of the short answer, by tool. Other tools have only one form."""

SHORT_ERROR_SCHEMA: Schema = {
    **ERROR_SCHEMA,
    "properties": {**ERROR_SCHEMA["properties"], "execution_guarantee": words(*Guarantee)},
    "required": ["code", "details", "execution_guarantee"],
}
"""The schema of the engine's error object in a short error."""
