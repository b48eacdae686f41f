"""Gemini CLI: ``hooks`` in its settings, with times in milliseconds. Documentation of version 0.56.

It refuses a tool call when a hook ends with exit code 2 or more, so the command never fails.
"""

from __future__ import annotations

from typing import Any

from mcp_server.guard.clients.adapter import TEXT, Adapter, HookFile, harmless
from mcp_server.guard.clients.claude_code import told
from mcp_server.guard.events import Moment

NAME = "gemini-cli"
_TOOLS = "write_file|replace|run_shell_command"


def _hook(milliseconds: int) -> list[dict[str, Any]]:
    names = {"type": "command", "name": "unity-snippet", "command": harmless(NAME)}
    return [{**names, "timeout": milliseconds}]


_DENIED = {"decision": "deny", "reason": TEXT}

HOOKS = {
    "BeforeTool": [{"matcher": _TOOLS, "hooks": _hook(5000)}],
    "AfterTool": [{"matcher": _TOOLS, "hooks": _hook(5000)}],
    "AfterAgent": [{"hooks": _hook(60000)}],
    "SessionStart": [{"hooks": _hook(5000)}],
}

ADAPTER = Adapter(
    name=NAME,
    events={
        "BeforeTool": Moment.BEFORE,
        "AfterTool": Moment.AFTER,
        "AfterAgent": Moment.STOP,
        "SessionStart": Moment.START,
    },
    writers=frozenset({"write_file", "replace"}),
    shells=frozenset({"run_shell_command"}),
    replies={
        (Moment.BEFORE, "refuse"): _DENIED,
        (Moment.AFTER, "tell"): told("AfterTool"),
        (Moment.STOP, "block"): _DENIED,
        (Moment.START, "tell"): told("SessionStart"),
    },
    files=(
        HookFile(
            "~/.gemini/settings.json",
            {"hooks": HOOKS},
            switches={"tools.enableHooks": False, "hooksConfig.enabled": False},
        ),
    ),
)
