"""JSON Schemas of the tools that act on the Unity Editor: inputs, outputs, job results.

Implements docs/design/server-and-bridge.md §2. Calls, and what Unity answers, are checked by them.
"""

from __future__ import annotations

from collections.abc import Mapping

from mcp_server.contract.schema_parts import COUNT, FLAG, TEXT, TEXTS, Schema, closed_object
from snippet_engine.schemas.schema import CLIENT_REQUEST_ID
from unity_bridge.plugin.wire_schemas import CANCEL_STATUS, PROGRESS
from unity_bridge.states import JobState

_JOB_STATE: Schema = {"enum": [state.value for state in JobState]}
_JOB_ID: Schema = {"type": "string", "minLength": 1, "maxLength": 200}

MAX_STATUS_WAIT_MS = 9_000


def _input(max_timeout_ms: int, properties: Schema, required: tuple[str, ...] = ()) -> Schema:
    return {
        "type": "object",
        "properties": {
            **properties,
            "timeout_ms": {"type": "integer", "minimum": 1, "maximum": max_timeout_ms},
            "client_request_id": CLIENT_REQUEST_ID,
        },
        **({"required": list(required)} if required else {}),
        "additionalProperties": False,
    }


CONSOLE_TYPES = ["log", "warning", "error", "assert", "exception"]

INPUT_SCHEMAS: Mapping[str, Schema] = {
    "get_editor_state": _input(10_000, {}),
    "read_console": _input(
        30_000,
        {
            "max_entries": {"type": "integer", "minimum": 1, "maximum": 2000, "default": 200},
            "types": {
                "type": "array",
                "items": {"enum": CONSOLE_TYPES},
                "minItems": 1,
                "uniqueItems": True,
            },
            "contains": {"type": "string", "minLength": 1, "maxLength": 1000},
            "since": {"type": "string", "minLength": 1, "description": "An earlier next_cursor"},
        },
    ),
    "run_tests": _input(
        1_800_000,
        {
            "mode": {"enum": ["all", "edit", "play"], "default": "all"},
            "filter": {"type": "string", "minLength": 1, "maxLength": 1000},
            "compile_first": {
                "type": "boolean",
                "default": True,
                "description": "false: test old code",
            },
        },
    ),
    "compile": _input(
        600_000,
        {
            "stop_play_mode": {
                "type": "boolean",
                "default": False,
                "description": "End play mode first",
            }
        },
    ),
    "get_job_status": _input(
        10_000,
        {
            "job_id": _JOB_ID,
            "wait_ms": {
                "type": "integer",
                "minimum": 0,
                "maximum": MAX_STATUS_WAIT_MS,
                "description": "Answer when the job ends, or after this time",
            },
        },
        ("job_id",),
    ),
    "cancel_job": _input(10_000, {"job_id": _JOB_ID}, ("job_id",)),
    "get_play_mode_state": _input(10_000, {}),
    "control_play_mode": _input(
        30_000, {"action": {"enum": ["start", "stop", "pause"]}}, ("action",)
    ),
}
"""What each tool takes."""

_ISSUE: Schema = closed_object(
    {
        "path": {"type": "string", "description": "Path in the project; empty: not about a file"},
        "line": {**COUNT, "description": "From 1; 0: no place"},
        "column": COUNT,
        "code": {"type": "string", "description": "CS0029, for example; may be empty"},
        "message": TEXT,
    }
)

COMPILE_ERRORS: Schema = {"type": "array", "items": _ISSUE}
"""Compiler errors that explain why a call was refused."""

_PLAY_MODE_FLAGS: Schema = {
    "is_playing": FLAG,
    "is_paused": FLAG,
    "is_playing_or_will_change_playmode": FLAG,
}

OUTPUT_SCHEMAS: Mapping[str, Schema] = {
    "get_editor_state": closed_object(
        {
            "server_state": {"enum": ["waiting_editor", "ready", "stopping", "stopped"]},
            "editor_state": {"enum": ["unknown", "ready", "compiling", "reloading"]},
            "connected": FLAG,
            "last_editor_status_seq": COUNT,
            "link": {"enum": ["plugin", "pipeline", "none"]},
            "waiting_reason": {
                "enum": [
                    "no_editor",
                    "reconnecting",
                    "compiling",
                    "reloading",
                    "reload_locked",
                    "blocked_by_dialog",
                    "maybe_safe_mode",
                ]
            },
            "dialog": closed_object(
                {
                    "title": TEXT,
                    "message": TEXT,
                    "buttons": TEXTS,
                }
            ),
            "plugin_version": TEXT,
            "unity_version": TEXT,
            "project": TEXT,
            "blocked": closed_object(
                {
                    "for_ms": {**COUNT, "description": "How long its main thread hasn't run"},
                    "dialog": {"type": "string", "description": "The title of an open dialog"},
                },
                optional=("dialog",),
            ),
        },
        optional=(
            "waiting_reason",
            "dialog",
            "plugin_version",
            "unity_version",
            "project",
            "blocked",
        ),
    ),
    "read_console": closed_object(
        {
            "entries": {
                "type": "array",
                "items": closed_object(
                    {
                        "type": {"enum": CONSOLE_TYPES},
                        "message": TEXT,
                        "stack_trace": TEXT,
                        "timestamp": TEXT,
                        "id": {"type": ["string", "integer"]},
                    },
                    optional=("timestamp", "id"),
                ),
            },
            "count": COUNT,
            "truncated": FLAG,
            "next_cursor": TEXT,
        },
        optional=("next_cursor",),
    ),
    "run_tests": closed_object(
        {"job_id": _JOB_ID, "state": {"const": "queued"}, "replayed": FLAG},
        optional=("replayed",),
    ),
    "compile": closed_object(
        {
            "status": {"enum": ["succeeded", "failed", "up_to_date"]},
            "errors": {"type": "array", "items": _ISSUE},
            "warnings": {"type": "array", "items": _ISSUE},
            "reloaded": {
                "type": ["boolean", "null"],
                "description": "The new code is loaded; null: that was not seen",
            },
            "duration_ms": {"type": "number", "minimum": 0},
            "link": {"enum": ["plugin", "pipeline"]},
            "assemblies": {
                "type": "array",
                "items": TEXT,
                "description": "What was compiled, or failed to",
            },
            "last_compiled": {
                "type": "string",
                "description": "When a compilation was seen to end last (UTC); missing: unknown",
            },
            "truncated": {"type": "boolean", "description": "There are more errors or warnings"},
            "note": {"type": "string", "description": "What else stands in the way"},
            "stale_view": {
                "type": "array",
                "items": TEXT,
                "description": "Newer scripts in which Unity sees no change",
            },
            "replayed": FLAG,
        },
        optional=("assemblies", "last_compiled", "truncated", "note", "stale_view", "replayed"),
    ),
    "get_job_status": closed_object(
        {
            "job_id": _JOB_ID,
            "state": _JOB_STATE,
            "progress": PROGRESS,
            "result": {"type": ["object", "null"]},
            "stale": {
                "type": "boolean",
                "description": "The Editor could not be asked; this is what was known last",
            },
        },
        optional=("stale",),
    ),
    "cancel_job": closed_object(
        {"job_id": _JOB_ID, "status": CANCEL_STATUS, "replayed": FLAG},
        optional=("replayed",),
    ),
    "get_play_mode_state": closed_object(
        {
            "state": {"enum": ["playing", "paused", "stopped"]},
            **_PLAY_MODE_FLAGS,
            "unsaved": {
                "type": "array",
                "items": TEXT,
                "description": "Open scenes and prefabs with unsaved changes; missing: not known",
            },
        },
        optional=("unsaved",),
    ),
    "control_play_mode": closed_object(
        {
            "action": {"enum": ["start", "stop", "pause"]},
            "accepted": {"const": True},
            **_PLAY_MODE_FLAGS,
            "replayed": FLAG,
        },
        optional=("replayed",),
    ),
}
"""What each tool answers when it succeeds."""

TEST_RESULT: Schema = closed_object(
    {
        "summary": closed_object(
            {
                "total": {**COUNT, "description": "All tests, at least the sum of the other four"},
                "passed": COUNT,
                "failed": COUNT,
                "skipped": {**COUNT, "description": "Did not run, as ignored tests"},
                "inconclusive": {
                    **COUNT,
                    "description": "Ran and came to no verdict; in no other count. Missing: 0",
                },
                "duration_ms": {"type": "number", "minimum": 0},
            },
            optional=("inconclusive",),
        ),
        "failed_tests": {
            "type": "array",
            "items": closed_object({"name": TEXT, "message": TEXT, "stack_trace": TEXT}),
        },
        "truncated": {"type": "boolean", "description": "failed_tests doesn't list all of them"},
    },
    optional=("truncated",),
)
"""The result of a ``run_tests`` job that succeeded: the tests ran, whether or not all passed."""

_ADDED_HERE = ("link", "replayed")
_COMPILED = OUTPUT_SCHEMAS["compile"]

COMPILE_RESULT: Schema = {
    **_COMPILED,
    "properties": {
        name: sub for name, sub in _COMPILED["properties"].items() if name not in _ADDED_HERE
    },
    "required": [name for name in _COMPILED["required"] if name not in _ADDED_HERE],
}
"""The result of a ``compile`` that has ended, as the Editor reports it."""

JOB_RESULTS: Mapping[str, Schema] = {"run_tests": TEST_RESULT, "compile": COMPILE_RESULT}
"""The result of a job that succeeded, by its tool."""
