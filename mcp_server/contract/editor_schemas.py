"""JSON Schemas of the tools that act on the Unity Editor: inputs, outputs, job results.

Implements docs/design/server-and-bridge.md §2. Calls, and what Unity answers, are checked by them.
"""

from __future__ import annotations

from collections.abc import Mapping

from mcp_server.contract.schema_parts import (
    COUNT,
    DURATION,
    FLAG,
    TEXT,
    TEXTS,
    Schema,
    array,
    closed_object,
    noted,
    whole,
    words,
)
from snippet_engine.schemas.schema import CLIENT_REQUEST_ID
from unity_bridge.plugin.wire_schemas import CANCEL_STATUS, PROGRESS
from unity_bridge.states import JobState

_JOB_STATE: Schema = {"enum": [state.value for state in JobState]}
_JOB_ID: Schema = {"type": "string", "minLength": 1, "maxLength": 200}
_PATTERN: Schema = {"type": "string", "minLength": 1, "maxLength": 1000}

MAX_STATUS_WAIT_MS = 9_000


def _input(max_timeout_ms: int, properties: Schema, *required: str) -> Schema:
    return {
        "type": "object",
        "properties": {
            **properties,
            "timeout_ms": whole(1, max_timeout_ms),
            "client_request_id": CLIENT_REQUEST_ID,
        },
        **({"required": list(required)} if required else {}),
        "additionalProperties": False,
    }


def _switch(default: bool, description: str) -> Schema:
    return {"type": "boolean", "default": default, "description": description}


CONSOLE_TYPES = ["log", "warning", "error", "assert", "exception"]

INPUT_SCHEMAS: Mapping[str, Schema] = {
    "get_editor_state": _input(10_000, {}),
    "read_console": _input(
        30_000,
        {
            "max_entries": {**whole(1, 2000), "default": 200},
            "types": {**array(words(*CONSOLE_TYPES)), "minItems": 1, "uniqueItems": True},
            "contains": _PATTERN,
            "since": {"type": "string", "minLength": 1, "description": "An earlier next_cursor"},
        },
    ),
    "run_tests": _input(
        1_800_000,
        {
            "mode": {**words("all", "edit", "play"), "default": "all"},
            "filter": _PATTERN,
            "compile_first": _switch(True, "false: test old code"),
        },
    ),
    "compile": _input(600_000, {"stop_play_mode": _switch(False, "End play mode first")}),
    "get_job_status": _input(
        10_000,
        {
            "job_id": _JOB_ID,
            "wait_ms": noted(
                whole(0, MAX_STATUS_WAIT_MS), "Answer when the job ends, or after this time"
            ),
        },
        "job_id",
    ),
    "cancel_job": _input(10_000, {"job_id": _JOB_ID}, "job_id"),
    "get_play_mode_state": _input(10_000, {}),
    "control_play_mode": _input(30_000, {"action": words("start", "stop", "pause")}, "action"),
}
"""What each tool takes."""

_ISSUE = closed_object(
    {
        "path": noted(TEXT, "Path in the project; empty: not about a file"),
        "line": noted(COUNT, "From 1; 0: no place"),
        "column": COUNT,
        "code": noted(TEXT, "CS0029, for example; may be empty"),
        "message": TEXT,
    }
)

COMPILE_ERRORS = array(_ISSUE)
"""Compiler errors that explain why a call was refused."""

_PLAY_MODE_FLAGS: Schema = {
    "is_playing": FLAG,
    "is_paused": FLAG,
    "is_playing_or_will_change_playmode": FLAG,
}
_WAITING_REASON = words(
    *("no_editor", "reconnecting", "compiling", "reloading", "reload_locked"),
    *("blocked_by_dialog", "maybe_safe_mode"),
)
_BLOCKED = closed_object(
    {
        "for_ms": noted(COUNT, "How long its main thread hasn't run"),
        "dialog?": noted(TEXT, "The title of an open dialog"),
    }
)
_ENTRY = closed_object(
    {
        "type": words(*CONSOLE_TYPES),
        "message": TEXT,
        "stack_trace": TEXT,
        "timestamp?": TEXT,
        "id?": {"type": ["string", "integer"]},
    }
)
_COMPILED = {
    "status": words("succeeded", "failed", "up_to_date"),
    "errors": array(_ISSUE),
    "warnings": array(_ISSUE),
    "reloaded": {
        "type": ["boolean", "null"],
        "description": "The new code is loaded; null: that was not seen",
    },
    "duration_ms": DURATION,
    "link": words("plugin", "pipeline"),
    "assemblies?": array(TEXT, "What was compiled, or failed to"),
    "last_compiled?": noted(
        TEXT, "When a compilation was seen to end last (UTC); missing: unknown"
    ),
    "truncated?": noted(FLAG, "There are more errors or warnings"),
    "note?": noted(TEXT, "What else stands in the way"),
    "stale_view?": array(TEXT, "Newer scripts in which Unity sees no change"),
    "replayed?": FLAG,
}

OUTPUT_SCHEMAS: Mapping[str, Schema] = {
    "get_editor_state": closed_object(
        {
            "server_state": words("waiting_editor", "ready", "stopping", "stopped"),
            "editor_state": words("unknown", "ready", "compiling", "reloading"),
            "connected": FLAG,
            "last_editor_status_seq": COUNT,
            "link": words("plugin", "pipeline", "none"),
            "waiting_reason?": _WAITING_REASON,
            "dialog?": closed_object({"title": TEXT, "message": TEXT, "buttons": TEXTS}),
            "plugin_version?": TEXT,
            "unity_version?": TEXT,
            "project?": TEXT,
            "blocked?": _BLOCKED,
        }
    ),
    "read_console": closed_object(
        {"entries": array(_ENTRY), "count": COUNT, "truncated": FLAG, "next_cursor?": TEXT}
    ),
    "run_tests": closed_object(
        {"job_id": _JOB_ID, "state": {"const": "queued"}, "replayed?": FLAG}
    ),
    "compile": closed_object(_COMPILED),
    "get_job_status": closed_object(
        {
            "job_id": _JOB_ID,
            "state": _JOB_STATE,
            "progress": PROGRESS,
            "result": {"type": ["object", "null"]},
            "stale?": noted(FLAG, "The Editor could not be asked; this is what was known last"),
        }
    ),
    "cancel_job": closed_object({"job_id": _JOB_ID, "status": CANCEL_STATUS, "replayed?": FLAG}),
    "get_play_mode_state": closed_object(
        {
            "state": words("playing", "paused", "stopped"),
            **_PLAY_MODE_FLAGS,
            "unsaved?": array(
                TEXT, "Open scenes and prefabs with unsaved changes; missing: not known"
            ),
        }
    ),
    "control_play_mode": closed_object(
        {
            "action": words("start", "stop", "pause"),
            "accepted": {"const": True},
            **_PLAY_MODE_FLAGS,
            "replayed?": FLAG,
        }
    ),
}
"""What each tool answers when it succeeds."""

TEST_RESULT = closed_object(
    {
        "summary": closed_object(
            {
                "total": noted(COUNT, "All tests, at least the sum of the other four"),
                "passed": COUNT,
                "failed": COUNT,
                "skipped": noted(COUNT, "Did not run, as ignored tests"),
                "inconclusive?": noted(
                    COUNT, "Ran and came to no verdict; in no other count. Missing: 0"
                ),
                "duration_ms": DURATION,
            }
        ),
        "failed_tests": array(closed_object({"name": TEXT, "message": TEXT, "stack_trace": TEXT})),
        "truncated?": noted(FLAG, "failed_tests doesn't list all of them"),
    }
)
"""The result of a ``run_tests`` job that succeeded: the tests ran, whether or not all passed."""

COMPILE_RESULT = closed_object(
    {name: each for name, each in _COMPILED.items() if name not in ("link", "replayed?")}
)
"""The result of a ``compile`` that has ended, as the Editor reports it."""

JOB_RESULTS: Mapping[str, Schema] = {"run_tests": TEST_RESULT, "compile": COMPILE_RESULT}
"""The result of a job that succeeded, by its tool."""
