"""The tool catalog: every tool, once.

Implements docs/design/server-and-bridge.md §2. MCP's ``tools/list``, the ``/unity`` capability
message, ``unity-cli tool schema`` and ``contracts/`` are all made from :data:`CATALOG`.
"""

from __future__ import annotations

from collections.abc import Mapping

from mcp_server.contract.editor_schemas import INPUT_SCHEMAS, OUTPUT_SCHEMAS
from mcp_server.contract.script_tools import SCRIPT_TOOLS
from mcp_server.contract.tool_spec import ExecutionMode, Executor, ToolSpec

_EDITOR_TOOLS = (
    ToolSpec(
        name="get_editor_state",
        title="Editor state",
        description="Whether a Unity Editor is connected, and its state. Never waits.",
        input_schema=INPUT_SCHEMAS["get_editor_state"],
        output_schema=OUTPUT_SCHEMAS["get_editor_state"],
        executor=Executor.CONTROL,
        default_timeout_ms=5_000,
        max_timeout_ms=10_000,
        execution_error_retryable=True,
    ),
    ToolSpec(
        name="read_console",
        title="Read Unity console",
        description="Newest entries of the Unity console, compile errors included.",
        input_schema=INPUT_SCHEMAS["read_console"],
        output_schema=OUTPUT_SCHEMAS["read_console"],
        executor=Executor.UNITY,
        default_timeout_ms=10_000,
        max_timeout_ms=30_000,
        execution_error_retryable=True,
    ),
    ToolSpec(
        name="compile",
        title="Compile scripts",
        description="Import, compile, reload; errors with path, line, column.",
        input_schema=INPUT_SCHEMAS["compile"],
        output_schema=OUTPUT_SCHEMAS["compile"],
        executor=Executor.UNITY,
        unity_mode=ExecutionMode.JOB,
        default_timeout_ms=120_000,
        max_timeout_ms=600_000,
        mutating=True,
    ),
    ToolSpec(
        name="run_tests",
        title="Run Unity tests",
        description="Start EditMode/PlayMode tests as a job; then ask get_job_status.",
        input_schema=INPUT_SCHEMAS["run_tests"],
        output_schema=OUTPUT_SCHEMAS["run_tests"],
        executor=Executor.UNITY,
        execution_mode=ExecutionMode.JOB,
        default_timeout_ms=300_000,
        max_timeout_ms=1_800_000,
        mutating=True,
        idempotent=False,
        supports_cancel=True,
    ),
    ToolSpec(
        name="get_job_status",
        title="Job status",
        description="State, progress and result of a job. wait_ms waits for its end.",
        input_schema=INPUT_SCHEMAS["get_job_status"],
        output_schema=OUTPUT_SCHEMAS["get_job_status"],
        executor=Executor.CONTROL,
        default_timeout_ms=5_000,
        max_timeout_ms=10_000,
    ),
    ToolSpec(
        name="cancel_job",
        title="Cancel job",
        description="Cancel a job that has not ended.",
        input_schema=INPUT_SCHEMAS["cancel_job"],
        output_schema=OUTPUT_SCHEMAS["cancel_job"],
        executor=Executor.CONTROL,
        default_timeout_ms=5_000,
        max_timeout_ms=10_000,
        mutating=True,
        destructive=True,
    ),
    ToolSpec(
        name="get_play_mode_state",
        title="Play mode state",
        description="Whether the Editor plays, is paused or stopped.",
        input_schema=INPUT_SCHEMAS["get_play_mode_state"],
        output_schema=OUTPUT_SCHEMAS["get_play_mode_state"],
        executor=Executor.UNITY,
        default_timeout_ms=5_000,
        max_timeout_ms=10_000,
        execution_error_retryable=True,
    ),
    ToolSpec(
        name="control_play_mode",
        title="Control play mode",
        description="Start, stop or pause play mode; does not wait for the transition.",
        input_schema=INPUT_SCHEMAS["control_play_mode"],
        output_schema=OUTPUT_SCHEMAS["control_play_mode"],
        executor=Executor.UNITY,
        default_timeout_ms=10_000,
        max_timeout_ms=30_000,
        mutating=True,
    ),
)

CATALOG: Mapping[str, ToolSpec] = {
    **SCRIPT_TOOLS,
    **{tool.name: tool for tool in _EDITOR_TOOLS},
}
"""Every tool by its name, in the order in which lists show them."""
