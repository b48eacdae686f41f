"""JSON Schemas (2020-12) of what Unity's Pipeline package says over HTTP, dialect by dialect.

Implements docs/design/pipeline.md §2: the source of ``contracts/pipeline/``. They describe another
party's messages, so unknown fields are allowed everywhere, and what is read is read leniently; the
tests' double is held to them.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import Any

Schema = dict[str, Any]


class Dialect(StrEnum):
    """Versions between which the messages differ."""

    V0_3 = "0.3"
    V0_6 = "0.6"
    V0_8 = "0.8"
    V1_0 = "1.0"

    @property
    def at_least_0_6(self) -> bool:
        """Whether jobs, progress and the newer console are there."""
        return self is not Dialect.V0_3

    @property
    def grouped(self) -> bool:
        """Whether commands have a group and a name, and parameters hyphens."""
        return self is Dialect.V1_0


_TEXT: Schema = {"type": "string"}
_FLAG: Schema = {"type": "boolean"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_ANY: Schema = {}


def _object(properties: Schema, required: tuple[str, ...] = ()) -> Schema:
    return {"type": "object", "properties": properties, "required": list(required)}


def _either_case(name: str, schema: Schema) -> Schema:
    """A field whose first letter is sometimes a capital."""
    return {name: schema, name[0].upper() + name[1:]: schema}


DESCRIPTOR: Schema = _object(
    {
        "port": {"type": "integer", "minimum": 7800, "maximum": 7849},
        "evalToken": {"type": "string", "minLength": 1},
        "pid": {"type": "integer", "minimum": 1},
        "projectPath": _TEXT,
        "projectName": _TEXT,
        "unityVersion": _TEXT,
        "mode": _TEXT,
        "startedAt": _TEXT,
        "lastHeartbeat": _TEXT,
        "info": _ANY,
    },
    ("port", "evalToken", "pid", "projectPath"),
)
DIALOG: Schema = _object(
    {"title": _TEXT, "message": _TEXT, "buttons": {"type": "array", "items": _TEXT}}
)
STATUS: Schema = _object({"status": _TEXT}, ("status",))
EDITOR_STATUS: Schema = _object(
    {
        "status": {
            "enum": [
                "ready",
                "compiling",
                "reloading",
                "playing",
                "settling",
                "blocked_by_dialog",
            ]
        },
        "compiling": _FLAG,
        "domainReloadInProgress": _FLAG,
        "playMode": {"enum": ["stopped", "playing", "paused"]},
        "lastHeartbeat": _TEXT,
        "projectPath": _TEXT,
        "unityVersion": _TEXT,
        "dialog": DIALOG,
    },
    ("status", "playMode", "projectPath"),
)
BUSY: Schema = _object(
    {
        "status": {"const": "busy"},
        "busyReason": {"enum": ["settling", "blocked_by_dialog"]},
        "retryable": _FLAG,
    },
    ("status", "busyReason"),
)
EXEC_REQUEST: Schema = {
    **_object(
        {
            "command": {"type": "string", "minLength": 1},
            "parameters": {"type": "object"},
            "timeout": {"type": "integer", "minimum": 1, "description": "milliseconds"},
            "job": _FLAG,
            "verbose": _FLAG,
        },
        ("command", "parameters"),
    ),
    "additionalProperties": False,
}
REQUEST_ERROR: Schema = _object(
    {
        "success": {"const": False},
        "error": {
            "enum": [
                "Parameter Validation Failed",
                "Command Not Found",
                "Command Execution Failed",
                "Internal Server Error",
            ]
        },
        "errorDetails": _ANY,
    },
    ("error",),
)
PROGRESS: Schema = _object(
    {
        "active": _FLAG,
        "progress": {
            "anyOf": [
                {"type": "null"},
                _object(
                    {
                        "title": _TEXT,
                        "info": _TEXT,
                        "current": {"type": "number"},
                        "total": {"type": "number"},
                        "pct": {"type": "number"},
                    }
                ),
            ]
        },
    },
    ("active", "progress"),
)
JOB: Schema = _object(
    {
        "jobId": _TEXT,
        "state": {"enum": ["queued", "running", "completed", "failed", "canceled"]},
        "result": _ANY,
        "error": _ANY,
        "errorDetails": _ANY,
        "progress": _ANY,
    },
    ("jobId", "state"),
)
RECOMPILE: Schema = _object(
    {"status": {"enum": ["compiling", "up_to_date"]}, "message": _TEXT}, ("status",)
)
RECOMPILE_STATUS: Schema = _object(
    {
        "status": {"enum": ["idle", "triggered", "compiling", "completed", "up_to_date"]},
        "failed": _FLAG,
        "errors": {"type": "array", "items": _TEXT},
        "compilationFailed": _FLAG,
    },
    ("status",),
)
_TEST_SUMMARY: Schema = _object(
    {
        key: schema
        for name in ("total", "passed", "failed", "skipped", "inconclusive")
        for key, schema in _either_case(name, _COUNT).items()
    }
)
_TEST_RESULT: Schema = _object(
    {
        key: schema
        for name, each in (
            ("fullName", _TEXT),
            ("status", _TEXT),
            ("message", {"type": ["string", "null"]}),
            ("stackTrace", {"type": ["string", "null"]}),
            ("duration", {"type": "number", "description": "seconds"}),
        )
        for key, schema in _either_case(name, each).items()
    }
)
TEST_STATUS: Schema = _object(
    {
        **_either_case("status", {"enum": ["running", "completed", "error", "cancelled"]}),
        **_either_case("message", _TEXT),
        **_either_case("summary", _TEST_SUMMARY),
        **_either_case("results", {"type": "array", "items": _TEST_RESULT}),
    }
)
CONSOLE: Schema = _object(
    {
        "entries": {
            "type": "array",
            "items": _object(
                {
                    "seq": _COUNT,
                    "level": {"enum": ["log", "warn", "error"]},
                    "logType": {"enum": ["Log", "Warning", "Error", "Assert", "Exception"]},
                    "message": _TEXT,
                    "stackTrace": _TEXT,
                    "timestampUtc": _TEXT,
                    "seeded": _FLAG,
                },
                ("level", "message"),
            ),
        },
        "cursor": _COUNT,
        "session": _TEXT,
        "counts": {"type": "object"},
        "groundTruth": _object(
            {"compilationFailed": _FLAG, "compiling": _FLAG, "consoleErrors": _COUNT}
        ),
        "reset": _FLAG,
        "dropped": _COUNT,
    },
    ("entries",),
)
CONSOLE_LOGS: Schema = _object(
    {
        "total": _COUNT,
        "returned": _COUNT,
        "logs": {
            "type": "array",
            "items": _object(
                {"type": _TEXT, "message": _TEXT, "stackTrace": _TEXT, "timestamp": _TEXT},
                ("type", "message"),
            ),
        },
    },
    ("logs",),
)


def exec_answer(dialect: Dialect) -> Schema:
    """What ``POST /api/exec`` answers with status 200. ``result`` is any value, or its JSON as a
    string."""
    named = {"command": _TEXT, "executedAt": _TEXT}
    schema = _object(
        {
            "success": _FLAG,
            "result": _ANY,
            "error": _ANY,
            "errorDetails": _ANY,
            "executionTimeMs": {"type": "number"},
            **named,
        },
        ("success",),
    )
    if dialect in (Dialect.V0_3, Dialect.V0_6):
        return {**schema, "required": ["success", *named]}
    return schema


def commands(dialect: Dialect) -> Schema:
    """What ``GET /api/commands?detail=full`` answers."""
    words = r"^[a-z_.]+ [a-z_]+$" if dialect.grouped else r"^[a-z_]+$"
    spelling = r"^[a-z-]+$" if dialect.grouped else r"^[a-z_]+$"
    command = _object(
        {
            "name": {"type": "string", "pattern": words},
            "description": _TEXT,
            "tags": {"type": "array", "items": _TEXT},
            "package": _TEXT,
            "parameters": {
                "type": "array",
                "items": _object({"name": {"type": "string", "pattern": spelling}}, ("name",)),
            },
        },
        ("name",),
    )
    return _object({"commands": {"type": "array", "items": command}}, ("commands",))


EVERY_DIALECT: Mapping[str, tuple[str, Schema]] = {
    "descriptor": ("Library/Pipeline/.unity-pipeline-port", DESCRIPTOR),
    "status": ("GET /api/status", STATUS),
    "editor_status": ("GET /api/editor_status", EDITOR_STATUS),
    "busy": ("status 503", BUSY),
    "exec.request": ("POST /api/exec: the body", EXEC_REQUEST),
    "request_error": ("status 400", REQUEST_ERROR),
    "recompile.result": ("recompile: the result", RECOMPILE),
    "recompile_status.result": ("recompile_status: the result", RECOMPILE_STATUS),
    "test_status": ("Temp/pipeline_test_status.json", TEST_STATUS),
}
"""By name: what it is, and its schema; the same in every dialect."""


@cache
def of_dialect(dialect: Dialect) -> Mapping[str, tuple[str, Schema]]:
    """By name: what it is, and its schema, where that is the dialect's own."""
    own = {
        "exec.answer": ("POST /api/exec: the answer", exec_answer(dialect)),
        "commands": ("GET /api/commands", commands(dialect)),
    }
    if not dialect.at_least_0_6:
        return {**own, "console.result": ("get_console_logs: the result", CONSOLE_LOGS)}
    return {
        **own,
        "console.result": ("console: the result", CONSOLE),
        "progress": ("GET /api/progress", PROGRESS),
        "job": ("GET /api/job", JOB),
    }
