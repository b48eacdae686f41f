"""The input and output schemas of ``find_references`` and ``rename_symbol``.

Implements the shapes of docs/design/rename.md §2 and §3.
"""

from __future__ import annotations

from snippet_engine.schemas.result_schema import COMPILED, EDIT_STATUSES
from snippet_engine.schemas.schema import (
    CLIENT_REQUEST_ID,
    EDIT_SNIPPET_INPUT,
    EDITOR_GATE,
    FLAG,
    HASH,
    NATURAL,
    ONE_BASED,
    PATH,
    TEXT,
    Schema,
    array,
    described,
    forbidden,
    include,
    object_schema,
    timeout,
)

ASSETS_MODES = ("keep", "rewrite", "code")
MAX_TIMEOUT_MS = 300_000

_IDENTIFIER = r"^@?([A-Za-z_]|[^\x00-\x7f])([A-Za-z0-9_]|[^\x00-\x7f])*$"
"""For all dialects of regular expressions. In JSON Schema's dialect, `\\w` is only ASCII."""

_ONE_OF = "name the symbol by symbolPath, or by line and text"
_SYMBOL: Schema = {
    "path": PATH,
    "symbolPath": {"type": "string", "minLength": 1, "description": "Game.Player.Fire(int)"},
    "line": described(ONE_BASED, "Or a line, with text"),
    "text": {
        "type": "string",
        "minLength": 1,
        "maxLength": 500,
        "description": "A part of that line that occurs once, up to the name: player.Fire",
    },
}
_BY_PATH_OR_LINE: Schema = {
    "if": {"required": ["symbolPath"]},
    "then": {"properties": {name: forbidden(_ONE_OF) for name in ("line", "text")}},
    "else": {"required": ["line", "text"], "$comment": _ONE_OF},
}

FIND_REFERENCES_INPUT: Schema = object_schema(
    {
        **_SYMBOL,
        "limit": {"type": "integer", "minimum": 1, "maximum": 500},
        "cursor": described(TEXT, "Of the page before"),
        "include": include("full"),
        "client_request_id": CLIENT_REQUEST_ID,
        "timeout_ms": timeout(MAX_TIMEOUT_MS),
    },
    ("path",),
    **_BY_PATH_OR_LINE,
)

RENAME_SYMBOL_INPUT: Schema = object_schema(
    {
        **_SYMBOL,
        "newName": {
            "type": "string",
            "pattern": _IDENTIFIER,
            "maxLength": 500,
            "$comment": "a C# identifier; of a namespace, its last part",
        },
        "mode": EDIT_SNIPPET_INPUT["properties"]["mode"],
        "assets": {
            "enum": list(ASSETS_MODES),
            "description": "keep (default): attributes keep stored values. rewrite: assets get "
            "the new name. code: assets stay",
        },
        "force": described(FLAG, "Rename even what Unity calls by its name"),
        "editorGate": EDITOR_GATE,
        "include": include("full"),
        "client_request_id": CLIENT_REQUEST_ID,
        "timeout_ms": timeout(MAX_TIMEOUT_MS),
    },
    ("path", "newName", "mode"),
    **_BY_PATH_OR_LINE,
)

_FOUND_SYMBOL = object_schema(
    {"name": TEXT, "kind": TEXT, "display": described(TEXT, "With its namespace and types")}
)
_NOT_SEARCHED = array(
    object_schema({"path": TEXT, "reason": TEXT}),
    description="Files that were not searched, with the reasons",
)
_COMPLETE = described(FLAG, "false: not everything was searched; reasons and notSearched say what")
_PLACE: Schema = {"path": TEXT, "line": ONE_BASED}

FIND_REFERENCES_OUTPUT: Schema = object_schema(
    {
        "symbol": _FOUND_SYMBOL,
        "total": described(NATURAL, "Places in all pages"),
        "files": described(NATURAL, "Files that have them"),
        "references": array(
            object_schema(
                {
                    **_PLACE,
                    "column": described(ONE_BASED, "In scripts"),
                    "kind": described(TEXT, "call, read, write, declaration, …; others for assets"),
                    "text": described(TEXT, "The line"),
                },
                None,
                ("column",),
            )
        ),
        "complete": _COMPLETE,
        "note": described(TEXT, "What else uses it"),
        "reasons": array(TEXT),
        "notSearched": _NOT_SEARCHED,
        "cursor": described(TEXT, "The cursor of the next page"),
        "truncated": FLAG,
    },
    None,
    ("note", "reasons", "notSearched", "cursor", "truncated"),
)

RENAME_SYMBOL_OUTPUT: Schema = object_schema(
    {
        "status": {"enum": list(EDIT_STATUSES)},
        "applied": FLAG,
        "changeId": described(TEXT, "What undo_snippet takes"),
        "symbol": _FOUND_SYMBOL,
        "newName": TEXT,
        "places": described(NATURAL, "How many places change"),
        "files": array(
            object_schema(
                {
                    "path": TEXT,
                    "movedTo": TEXT,
                    "status": {"enum": ["edited", "moved"]},
                    "places": NATURAL,
                    "hashBefore": HASH,
                    "hashAfter": HASH,
                    "diff": TEXT,
                },
                None,
                ("movedTo",),
            )
        ),
        "proved": described(
            object_schema({"assemblies": array(TEXT), "files": NATURAL}),
            "What the compiler checked with the new name",
        ),
        "strings": array(
            object_schema({**_PLACE, "text": TEXT, "offer": TEXT}, None, ("offer",)),
            description="C# strings with the name, which stay",
        ),
        "left": array(
            object_schema({**_PLACE, "kind": TEXT, "text": TEXT, "why": TEXT, "lost": FLAG}),
            description="Places in assets that stay, first those that may be lost",
        ),
        "notListed": described(NATURAL, "How many more stay, or were not searched"),
        "notSearched": _NOT_SEARCHED,
        "complete": _COMPLETE,
        "reasons": array(TEXT),
        "warnings": array(
            object_schema({"code": TEXT, "message": TEXT, "path": TEXT}, ("code", "message")),
        ),
        "compile": COMPILED,
        "replayed": FLAG,
        "truncated": FLAG,
    },
    None,
    (
        *("changeId", "strings", "left", "notListed", "notSearched", "reasons"),
        *("compile", "replayed", "truncated"),
    ),
)
