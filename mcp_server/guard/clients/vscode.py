"""VS Code's agent: a file in a folder of hooks. Its documentation as of June 2026 (a preview).

It ignores matchers, so the hook runs for every tool. No hook at the end of a turn is installed:
each turn that goes on costs a request.
"""

from __future__ import annotations

from typing import Any

from mcp_server.guard.clients.adapter import TEXT, Adapter, HookFile, harmless
from mcp_server.guard.clients.claude_code import EVENTS, REPLIES
from mcp_server.guard.events import Moment

NAME = "vscode"
_HOOK: list[dict[str, Any]] = [
    {
        "type": "command",
        "command": harmless(NAME),
        "windows": f"unity-cli.exe hook {NAME}",
        "timeout": 5,
    }
]
_STOP = {"hookSpecificOutput": {"hookEventName": "Stop", "decision": "block", "reason": TEXT}}

ADAPTER = Adapter(
    name=NAME,
    events=EVENTS,
    writers=frozenset(
        {"create_file", "replace_string_in_file", "multi_replace_string_in_file", "apply_patch"}
        | {"createFile", "edit_file", "str_replace_editor"}
    ),
    touchers=frozenset({"insert_edit_into_file", "editFiles"}),
    shells=frozenset({"run_in_terminal", "runTerminalCommand"}),
    replies={**REPLIES, (Moment.STOP, "block"): _STOP},
    files=(
        HookFile(
            "~/.copilot/hooks/unity-snippet-vscode.json",
            {"hooks": {"PreToolUse": _HOOK, "PostToolUse": _HOOK, "SessionStart": _HOOK}},
            own=True,
        ),
    ),
)
