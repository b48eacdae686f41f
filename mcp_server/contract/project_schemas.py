"""JSON Schemas of what ``check_project`` takes and answers.

Implements docs/design/roslyn.md §7.
"""

from __future__ import annotations

from mcp_server.contract.schema_parts import COUNT, FLAG, TEXT, TEXTS, Schema, closed_object
from snippet_engine.schemas.schema import CLIENT_REQUEST_ID

MAX_TIMEOUT_MS = 600_000

_NAMES: Schema = {
    "type": "array",
    "items": {"type": "string", "minLength": 1, "maxLength": 1000},
    "minItems": 1,
    "uniqueItems": True,
}

INPUT_SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "assemblies": _NAMES,
        "paths": {**_NAMES, "description": "Files or folders"},
        "include_warnings": {"type": "boolean", "default": False},
        "timeout_ms": {"type": "integer", "minimum": 1, "maximum": MAX_TIMEOUT_MS},
        "client_request_id": CLIENT_REQUEST_ID,
    },
    "additionalProperties": False,
}

_DIAGNOSTICS: Schema = {
    "type": "array",
    "items": closed_object(
        {
            "path": {
                "type": "string",
                "description": "Path in the project; empty: not about a file",
            },
            "line": {**COUNT, "description": "From 1, as the compiler prints it"},
            "column": COUNT,
            "code": {"type": "string", "description": "CS0246, for example"},
            "message": TEXT,
            "assembly": TEXT,
        }
    ),
}
_COMPILER: Schema = {
    "type": "object",
    "properties": {
        "version": TEXT,
        "from": TEXT,
        "isProjects": FLAG,
        "unitysOlder": {
            "type": "string",
            "description": "Unity's own compiler, if older: it may refuse more",
        },
    },
    "additionalProperties": False,
}

OUTPUT_SCHEMA: Schema = closed_object(
    {
        "status": {
            "enum": ["clean", "errors", "unknown"],
            "description": "clean: everything asked about was checked; unknown: see notChecked",
        },
        "errors": _DIAGNOSTICS,
        "warnings": _DIAGNOSTICS,
        "counts": {
            **closed_object({"errors": COUNT, "warnings": COUNT}),
            "description": "How many there are in all; the lists have the first of them",
        },
        "checked": closed_object(
            {
                "assemblies": COUNT,
                "files": COUNT,
                "notRead": {
                    **TEXTS,
                    "description": "Conditions of #if for which code was left out",
                },
                "compiler": _COMPILER,
            },
            optional=("notRead", "compiler"),
        ),
        "notChecked": {
            "type": "array",
            "items": closed_object(
                {
                    "assembly": {
                        "type": ["string", "null"],
                        "description": "null: the whole project",
                    },
                    "reason": TEXT,
                }
            ),
        },
        "confirmed": {
            "type": "boolean",
            "description": "A full check came to the same as the quick one",
        },
        "duration_ms": {"type": "number", "minimum": 0},
        "checkedAs": {
            "type": "string",
            "description": "Which code was checked; missing if none was",
        },
    },
    optional=("checkedAs",),
)
