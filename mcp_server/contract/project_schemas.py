"""JSON Schemas (2020-12) of ``check_project``: what it takes and answers.

Implements docs/design/roslyn.md §7. The source of ``contracts/`` for it.
"""

from __future__ import annotations

from typing import Any

from snippet_engine.schemas.schema import CLIENT_REQUEST_ID

Schema = dict[str, Any]

MAX_TIMEOUT_MS = 600_000
_TEXT: Schema = {"type": "string"}
_COUNT: Schema = {"type": "integer", "minimum": 0}


_NAMES: Schema = {
    "type": "array",
    "items": {"type": "string", "minLength": 1, "maxLength": 1000},
    "minItems": 1,
    "uniqueItems": True,
}


def _object(properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
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
    "items": _object(
        {
            "path": {"type": "string", "description": "In the project; empty: about no file"},
            "line": {**_COUNT, "description": "From 1, as the compiler prints it"},
            "column": _COUNT,
            "code": {"type": "string", "description": "CS0246, for example"},
            "message": _TEXT,
            "assembly": _TEXT,
        }
    ),
}

OUTPUT_SCHEMA: Schema = _object(
    {
        "status": {
            "enum": ["clean", "errors", "unknown"],
            "description": "clean: all that was asked about was checked; unknown: see notChecked",
        },
        "errors": _DIAGNOSTICS,
        "warnings": _DIAGNOSTICS,
        "counts": {
            **_object({"errors": _COUNT, "warnings": _COUNT}),
            "description": "All there are; the lists have the first of them",
        },
        "checked": _object({"assemblies": _COUNT, "files": _COUNT}),
        "notChecked": {
            "type": "array",
            "items": _object(
                {
                    "assembly": {
                        "type": ["string", "null"],
                        "description": "null: the whole project",
                    },
                    "reason": _TEXT,
                }
            ),
        },
        "confirmed": {
            "type": "boolean",
            "description": "A full check came to the same as the quick one",
        },
        "duration_ms": {"type": "number", "minimum": 0},
    }
)
OUTPUT_SCHEMA["properties"]["checkedAs"] = {
    "type": "string",
    "description": "Of which code that is said; absent where nothing was checked",
}
OUTPUT_SCHEMA["properties"]["checked"]["properties"]["notRead"] = {
    "type": "array",
    "items": _TEXT,
    "description": "Conditions of #if for which code was left out",
}
OUTPUT_SCHEMA["properties"]["checked"]["properties"]["compiler"] = {
    "type": "object",
    "properties": {
        "version": _TEXT,
        "from": _TEXT,
        "isProjects": {"type": "boolean"},
        "unitysOlder": {"type": "string", "description": "Unity's own, which may refuse more"},
    },
    "additionalProperties": False,
}
