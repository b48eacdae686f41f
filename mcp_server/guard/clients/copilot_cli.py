"""GitHub Copilot CLI: a file in its folder of hooks. Its documentation as of autumn 2026.

It denies every tool call when the hook ends with another exit code than 0, or its program is
missing. So a shell runs the command, and always ends with 0.
"""

from __future__ import annotations

from typing import Any

from mcp_server.guard.clients.adapter import TEXT, Adapter, HookFile, command_of, harmless
from mcp_server.guard.events import Moment

NAME = "copilot-cli"
_BLOCKED = {"decision": "block", "reason": TEXT}
_CONTEXT = {"additionalContext": TEXT}


def _document(exec_: str, arguments: list[str]) -> dict[str, Any]:
    def hook(seconds: int, **matcher: str) -> list[dict[str, Any]]:
        started = {"type": "command", **matcher, "exec": exec_, "args": arguments}
        return [{**started, "timeoutSec": seconds}]

    return {
        "version": 1,
        "hooks": {
            # Names in this case choose the fields of Claude Code for the payload.
            "PreToolUse": hook(5, matcher="Edit|Write|Bash"),
            "PostToolUse": hook(5, matcher="Edit|Write|Bash"),
            "Stop": hook(60),
            "SessionStart": hook(5),
        },
    }


ADAPTER = Adapter(
    name=NAME,
    events={
        **dict.fromkeys(("PreToolUse", "preToolUse"), Moment.BEFORE),
        **dict.fromkeys(("PostToolUse", "postToolUse"), Moment.AFTER),
        **dict.fromkeys(("Stop", "agentStop"), Moment.STOP),
        **dict.fromkeys(("SessionStart", "sessionStart"), Moment.START),
    },
    writers=frozenset(
        {"Edit", "Write", "create", "edit", "str_replace_editor", "apply_patch", "MultiEdit"}
    ),
    shells=frozenset({"Bash", "bash", "powershell"}),
    replies={
        (Moment.BEFORE, "refuse"): {"permissionDecision": "deny", "permissionDecisionReason": TEXT},
        (Moment.AFTER, "tell"): _CONTEXT,
        (Moment.STOP, "block"): _BLOCKED,
        (Moment.START, "tell"): _CONTEXT,
    },
    files=(
        HookFile(
            "~/.copilot/hooks/unity-snippet.json",
            _document("sh", ["-c", harmless(NAME)]),
            own=True,
            variable="COPILOT_HOME",
            on_windows=_document("cmd", ["/d", "/c", f"{command_of(NAME)} & exit /b 0"]),
        ),
    ),
)
