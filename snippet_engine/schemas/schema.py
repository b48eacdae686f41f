"""JSON Schemas (2020-12) of the tools' input (docs/design/engine.md §1, §9).

A ``{"not": {}}`` schema forbids a key next to other keys; its ``$comment`` says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from snippet_engine.limits import MAX_INSTRUCTIONS

Schema = dict[str, Any]

TEXT_POSITIONS = ("before", "after", "line_before", "line_after")
BODY_POSITIONS = ("body_start", "body_end")
SYMBOL_PARTS = (
    *("declaration", "body", "signature"),
    *("attributes", "documentation", "initializer"),
)

SYMBOL_KINDS = (
    *("namespace", "class", "struct", "interface", "enum", "record", "recordStruct", "delegate"),
    *("method", "constructor", "property", "indexer", "event", "field", "constant", "enumMember"),
)

SEEMS_RENAME = "seemsRename"
"""The key of a result that has the rename which its edits seem to be."""
COMPLETED_FIRST = "completed_first"
"""The warning of an apply or undo that finished an earlier change."""
UNFINISHED = "unfinished"
"""The warning of an apply or undo that could not finish an earlier change."""

HASH: Schema = {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"}
GIVEN_HASH: Schema = {
    "type": "string",
    "pattern": "^(sha256:)?[0-9a-fA-F]{8,64}$",
    "$comment": "a hash, or its first eight digits or more",
}
PATH: Schema = {
    "type": "string",
    "minLength": 1,
    "description": "Project-relative: Assets/… or Packages/…, ending in .cs",
}
CLIENT_REQUEST_ID: Schema = {"type": "string", "minLength": 1, "maxLength": 200}


def timeout(maximum_ms: int) -> Schema:
    """Return the schema of a call's ``timeout_ms``."""
    return {"type": "integer", "minimum": 1, "maximum": maximum_ms}


def include(*parts: str) -> Schema:
    """Return the schema of the parts that an answer can have in addition to its short form."""
    return {"type": "array", "items": {"enum": list(parts)}, "uniqueItems": True}


def forbidden(why: str) -> Schema:
    """Return the schema of a forbidden key. The error message contains ``why``."""
    return {"not": {}, "$comment": why}


TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
NATURAL: Schema = {"type": "integer", "minimum": 0}
ONE_BASED: Schema = {"type": "integer", "minimum": 1}


def described(schema: Schema, description: str) -> Schema:
    """Return the same schema with a description."""
    return {**schema, "description": description}


def ref(definition: str) -> Schema:
    """Return a reference to a definition in the same schema."""
    return {"$ref": f"#/$defs/{definition}"}


def array(items: Schema, **more: Any) -> Schema:
    """Return the schema of an array of ``items``."""
    return {"type": "array", **more, "items": items}


def object_schema(
    properties: Schema,
    required: Sequence[str] | None = None,
    optional: Sequence[str] = (),
    /,
    **more: Any,
) -> Schema:
    """Return the schema of an object with exactly these keys.

    All keys except the ``optional`` ones are required, unless ``required`` lists the required keys.
    """
    if required is None:
        required = [key for key in properties if key not in optional]
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
        **more,
    }


_CONTEXT: Schema = {
    "before": described(TEXT, "Lines that end right where target begins"),
    "after": described(TEXT, "Lines that begin right where target ends"),
    "in": {"enum": ["comment"], "description": "Search comments instead of code"},
}

_POSITION_OF_INSERT = "For insert only; default after"

TEXT_ANCHOR: Schema = object_schema(
    {
        "type": {"const": "text"},
        "target": {
            "type": "string",
            "minLength": 1,
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
                            "$comment": "body_start and body_end need the whole declaration",
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
        "indent": {"enum": ["asGiven"], "description": "Don't indent newText"},
        "metadata": {"type": "object", "description": "Returned untouched; 64 KiB in all"},
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
    "description": "lsp: a C# server judges, or refused; the answer says what it checked",
}

WAIT: Schema = {
    "enum": ["verdict"],
    "description": "verdict: answer once all files concerned are judged (30 s)",
}

EDITOR_GATE: Schema = {
    "enum": ["none", "compile"],
    "description": "compile: Unity compiles it; undone if that brings new errors",
}

EDIT_SNIPPET_INPUT: Schema = object_schema(
    {
        "path": PATH,
        "mode": {"enum": ["preview", "apply"], "description": "preview never writes"},
        "instructions": array(
            ref("instruction"),
            minItems=1,
            maxItems=MAX_INSTRUCTIONS,
            **{"$comment": "for more, send several requests, or up to 50 to edit_scripts"},
        ),
        "expectedHash": {**GIVEN_HASH, "description": "Refused if the file has another hash"},
        "validation": VALIDATION_MODE,
        "editorGate": EDITOR_GATE,
        "include": include("diff", "full", "workspaceEdit"),
        "wait": WAIT,
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
    {
        "path": PATH,
        "include": include("full"),
        "client_request_id": CLIENT_REQUEST_ID,
        "timeout_ms": timeout(30_000),
    },
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
        "kind": {"enum": list(SYMBOL_KINDS), "description": "Without path: only these"},
        "include": include("full"),
        "client_request_id": CLIENT_REQUEST_ID,
        "timeout_ms": timeout(30_000),
    },
    (),
    **{
        "if": {"required": ["path"]},
        "then": {"properties": {"kind": forbidden("kind is for a search without path")}},
        "else": {
            "required": ["filter"],
            "$comment": "without path, all scripts are searched for it",
        },
    },
)
