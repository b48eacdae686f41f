"""The schemas of the Unity Editor's tools: arguments, results, and results of jobs.

Implements docs/design/server-and-bridge.md §2. The server checks calls and Unity's answers by them.
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
"""The schema of each tool's arguments."""

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
"""The compiler errors that made the Editor refuse a call."""

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
        "for_ms": noted(COUNT, "How long the Editor's main thread has been blocked"),
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
        "description": "Whether the new code is loaded; null: unknown",
    },
    "duration_ms": DURATION,
    "link": words("plugin", "pipeline"),
    "assemblies?": array(TEXT, "Assemblies that compiled, or failed to"),
    "last_compiled?": noted(TEXT, "When the last compilation ended (UTC); missing: unknown"),
    "truncated?": noted(FLAG, "More errors or warnings were left out"),
    "note?": noted(TEXT, "Another obstacle"),
    "stale_view?": array(TEXT, "Changed scripts whose change Unity has not noticed"),
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
            "stale?": noted(FLAG, "The Editor could not be asked; this is the last known state"),
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
"""The schema of each tool's result."""

TEST_RESULT = closed_object(
    {
        "summary": closed_object(
            {
                "total": noted(COUNT, "All tests, at least the sum of the other four"),
                "passed": COUNT,
                "failed": COUNT,
                "skipped": noted(COUNT, "Did not run, such as ignored tests"),
                "inconclusive?": noted(
                    COUNT, "Ran without a verdict; in no other count. Missing: 0"
                ),
                "duration_ms": DURATION,
            }
        ),
        "failed_tests": array(closed_object({"name": TEXT, "message": TEXT, "stack_trace": TEXT})),
        "truncated?": noted(FLAG, "failed_tests doesn't list all of them"),
    }
)
"""The result of a ``run_tests`` job that succeeded: the tests ran, even if some failed."""

COMPILE_RESULT = closed_object(
    {name: each for name, each in _COMPILED.items() if name not in ("link", "replayed?")}
)
"""The result of a ``compile`` that ended, as the Editor reports it."""

JOB_RESULTS: Mapping[str, Schema] = {"run_tests": TEST_RESULT, "compile": COMPILE_RESULT}
"""The schema of a succeeded job's result, by tool."""
