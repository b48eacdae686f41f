"""Which client has sent a payload, by fields that no other client sends.

Some clients import another client's configuration, hooks included. Such a call has the other
client's name and this client's payload. The importing client has its own hooks, or none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_GEMINI_EVENTS = frozenset({"BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "BeforeModel"})
_VSCODE_TOOLS = frozenset(
    {"create_file", "replace_string_in_file", "multi_replace_string_in_file", "editFiles"}
    | {"insert_edit_into_file", "run_in_terminal", "createFile", "runTerminalCommand"}
)


def sender_of(payload: Mapping[str, Any]) -> str | None:
    """Return the name of the client that has sent ``payload``; ``None`` if it could be several."""
    for field, client in (
        ("cursor_version", "cursor"),
        ("conversation_id", "cursor"),
        ("agent_action_name", "windsurf"),
        ("clineVersion", "cline"),
        ("turn_id", "codex"),
        ("hookEventName", "vscode"),
        ("toolArgs", "copilot-cli"),
        ("stopReason", "copilot-cli"),
        ("stop_reason", "copilot-cli"),
        ("tool_result", "copilot-cli"),
    ):
        if field in payload:
            return client
    event, tool = payload.get("hook_event_name"), payload.get("tool_name")
    if isinstance(event, str) and event in _GEMINI_EVENTS:
        return "gemini-cli"
    if isinstance(event, str) and event.startswith("tool.execute."):
        return "opencode"
    if isinstance(tool, str) and tool in _VSCODE_TOOLS:
        return "vscode"
    if tool in ("Edit", "Write", "Bash") and "timestamp" in payload:
        return "copilot-cli"
    transcript = payload.get("transcript_path")
    if isinstance(transcript, str) and "/.claude/" in transcript.replace("\\", "/"):
        return "claude-code"
    return None
