"""JSON Schemas of ``POST /verdict``: a command asks the compiler of a running server.

Implements docs/design/server-and-bridge.md §13; its code is
:mod:`mcp_server.calls.server.verdict_questions`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from snippet_engine.limits import MAX_SET_FILES

VERDICT_PATH = "/verdict"

MAX_WITHIN_MS = 30_000
"""Longest that a question may take; a compiler may have to be started for the first."""

_PATH = {"type": "string", "minLength": 1, "description": "From the project's folder, with /"}
_WITHIN = {"type": "integer", "minimum": 1, "maximum": MAX_WITHIN_MS}
_DATA = {"type": "string", "contentEncoding": "base64", "description": "A file's bytes"}
_EDIT = {
    "type": "object",
    "properties": {
        "start": {"type": "integer", "minimum": 0},
        "end": {"type": "integer", "minimum": 0},
        "new_text": {"type": "string"},
    },
    "required": ["start", "end", "new_text"],
    "additionalProperties": False,
    "description": "What replaces code points of the text before, whose line endings are LF",
}
_CHANGE = {
    "type": "object",
    "properties": {"path": _PATH, "text": {"type": ["string", "null"]}},
    "required": ["path", "text"],
    "additionalProperties": False,
}


def _question(ask: str, needed: Mapping[str, Any], more: Mapping[str, Any] | None = None) -> Any:
    return {
        "type": "object",
        "properties": {"ask": {"const": ask}, **needed, **(more or {})},
        "required": ["ask", *needed],
        "additionalProperties": False,
    }


_BOUND = {"within_ms": _WITHIN, "patient": {"type": "boolean"}}

VERDICT_QUESTION_SCHEMA: Mapping[str, Any] = {
    "oneOf": [
        _question("ready", {"within_ms": _WITHIN}, {"path": _PATH, "text": {"type": "string"}}),
        _question(
            "edit",
            {
                **_BOUND,
                "path": _PATH,
                "before": _DATA,
                "after": _DATA,
                "edits": {"type": "array", "items": _EDIT},
            },
        ),
        _question("script", {**_BOUND, "path": _PATH, "data": _DATA}),
        _question(
            "changes",
            {
                **_BOUND,
                "changes": {"type": "array", "items": _CHANGE, "maxItems": 2 * MAX_SET_FILES},
            },
        ),
        _question("saved", {"path": _PATH, "text": {"type": "string"}}),
    ]
}
"""What is asked: whether there is a compiler, about an edit, a script, or several changes; or a
script was written."""

_DIAGNOSTIC = {
    "type": "object",
    "properties": {
        "offset": {"type": "integer", "minimum": 0},
        "line": {"type": "integer", "minimum": 0},
        "character": {"type": "integer", "minimum": 0},
        "id": {"type": "string"},
        "message": {"type": "string"},
        "path": {"type": "string"},
    },
    "required": ["offset", "line", "character", "id", "message", "path"],
    "additionalProperties": False,
}
_TEXTS = {"type": "array", "items": {"type": "string"}}
_COMMON = {
    "validator": {"type": "string"},
    "coverage": _TEXTS,
    "duration_ms": {"type": "number", "minimum": 0},
    "not_checked": _TEXTS,
}
_VERDICT = {
    **_COMMON,
    "language_version": {"type": "string"},
    "symbol_sets": {"type": "integer", "minimum": 0},
    "diagnostics": {"type": "array", "items": _DIAGNOSTIC},
    "preexisting_errors": {"type": "integer", "minimum": 0},
    "knows_project": {"type": "boolean"},
    "semantic_not_checked": {"type": "string"},
    "compiler": {"type": "string"},
}
_CHANGES_VERDICT = {**_COMMON, "errors": {"type": "array", "items": _DIAGNOSTIC}}
_UNAVAILABLE = {"message": {"type": "string"}, "details": {"type": "object"}}


def _only(name: str, parts: Mapping[str, Any]) -> Any:
    body = {
        "type": "object",
        "properties": parts,
        "required": list(parts),
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {name: body},
        "required": [name],
        "additionalProperties": False,
    }


VERDICT_ANSWER_SCHEMA: Mapping[str, Any] = {
    "oneOf": [
        _only("verdict", _VERDICT),
        _only("changes_verdict", _CHANGES_VERDICT),
        _only("unavailable", _UNAVAILABLE),
        _only("heard", {}),
    ]
}
"""What is answered; ``heard`` where nothing is to be said."""
