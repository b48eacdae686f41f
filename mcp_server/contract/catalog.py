"""The tool catalog: every tool, listed once.

Implements docs/design/server-and-bridge.md §2. MCP's ``tools/list``, the ``/unity`` capability
message, ``unity-cli tool schema`` and ``contracts/`` are all made from :data:`CATALOG`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_server.contract.editor_schemas import INPUT_SCHEMAS, OUTPUT_SCHEMAS
from mcp_server.contract.script_tools import SCRIPT_TOOLS
from mcp_server.contract.tool_spec import ExecutionMode, Executor, ToolSpec


def _tool(
    name: str,
    title: str,
    description: str,
    timeouts_ms: tuple[int, int],
    *,
    executor: Executor = Executor.UNITY,
    **more: Any,
) -> ToolSpec:
    """Return the tool ``name`` with its schemas, its default timeout and its longest one."""
    default_timeout_ms, max_timeout_ms = timeouts_ms
    return ToolSpec(
        name=name,
        title=title,
        description=description,
        input_schema=INPUT_SCHEMAS[name],
        output_schema=OUTPUT_SCHEMAS[name],
        executor=executor,
        default_timeout_ms=default_timeout_ms,
        max_timeout_ms=max_timeout_ms,
        **more,
    )


_EDITOR_TOOLS = (
    _tool(
        "get_editor_state",
        "Editor state",
        "Whether a Unity Editor is connected, and its state. Never waits.",
        (5_000, 10_000),
        executor=Executor.CONTROL,
        execution_error_retryable=True,
    ),
    _tool(
        "read_console",
        "Read Unity console",
        "Newest entries of the Unity console, compile errors included.",
        (10_000, 30_000),
        execution_error_retryable=True,
    ),
    _tool(
        "compile",
        "Compile scripts",
        "Import, compile, reload; errors with path, line, column.",
        (120_000, 600_000),
        unity_mode=ExecutionMode.JOB,
        mutating=True,
    ),
    _tool(
        "run_tests",
        "Run Unity tests",
        "Start EditMode/PlayMode tests as a job; then ask get_job_status.",
        (300_000, 1_800_000),
        execution_mode=ExecutionMode.JOB,
        mutating=True,
        idempotent=False,
        supports_cancel=True,
    ),
    _tool(
        "get_job_status",
        "Job status",
        "State, progress and result of a job. wait_ms waits for its end.",
        (5_000, 10_000),
        executor=Executor.CONTROL,
    ),
    _tool(
        "cancel_job",
        "Cancel job",
        "Cancel a job that has not ended.",
        (5_000, 10_000),
        executor=Executor.CONTROL,
        mutating=True,
        destructive=True,
    ),
    _tool(
        "get_play_mode_state",
        "Play mode state",
        "Whether the Editor plays, is paused or stopped.",
        (5_000, 10_000),
        execution_error_retryable=True,
    ),
    _tool(
        "control_play_mode",
        "Control play mode",
        "Start, stop or pause play mode; does not wait for the transition.",
        (10_000, 30_000),
        mutating=True,
    ),
)

CATALOG: Mapping[str, ToolSpec] = {
    **SCRIPT_TOOLS,
    **{tool.name: tool for tool in _EDITOR_TOOLS},
}
"""Every tool by its name, in the order of lists."""
