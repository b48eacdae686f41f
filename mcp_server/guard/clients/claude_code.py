"""Claude Code: ``hooks`` in its settings. Its documentation as of November 2026.

Codex and VS Code have taken over the form of its answers.
"""

from __future__ import annotations

from typing import Any

from mcp_server.guard.clients.adapter import TEXT, Adapter, HookFile, Replies, harmless
from mcp_server.guard.events import Moment

NAME = "claude-code"


def denied(event: str) -> dict[str, Any]:
    """Return the answer that refuses a tool call."""
    decision = {"permissionDecision": "deny", "permissionDecisionReason": TEXT}
    return {"hookSpecificOutput": {"hookEventName": event, **decision}}


def told(event: str) -> dict[str, Any]:
    """Return the answer that gives the agent a text to read."""
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": TEXT}}


EVENTS = {
    "PreToolUse": Moment.BEFORE,
    "PostToolUse": Moment.AFTER,
    "Stop": Moment.STOP,
    "SessionStart": Moment.START,
}
BLOCKED = {"decision": "block", "reason": TEXT}
REPLIES: Replies = {
    (Moment.BEFORE, "refuse"): denied("PreToolUse"),
    (Moment.BEFORE, "tell"): told("PreToolUse"),
    (Moment.AFTER, "tell"): told("PostToolUse"),
    (Moment.STOP, "block"): BLOCKED,
    (Moment.START, "tell"): told("SessionStart"),
}


def hooks_of(handler: dict[str, Any], tools: str, **stop: Any) -> dict[str, Any]:
    """Return the hooks in Claude Code's form. ``tools`` matches the tools' names."""
    return {
        "PreToolUse": [{"matcher": tools, "hooks": [handler]}],
        "PostToolUse": [{"matcher": tools, "hooks": [handler]}],
        "Stop": [{"hooks": [{**handler, **stop}]}],
        "SessionStart": [{"hooks": [handler]}],
    }


HOOKS = hooks_of(
    {"type": "command", "command": harmless(NAME), "timeout": 5},
    "Edit|Write|MultiEdit|Bash|PowerShell",
    timeout=60,
)

ADAPTER = Adapter(
    name=NAME,
    events=EVENTS,
    writers=frozenset({"Edit", "Write", "MultiEdit"}),
    shells=frozenset({"Bash", "PowerShell"}),
    never=frozenset({"timestamp"}),  # others send it, which import these hooks
    replies=REPLIES,
    files=(
        HookFile(
            "~/.claude/settings.json",
            {"hooks": HOOKS},
            variable="CLAUDE_CONFIG_DIR",
            switches={"disableAllHooks": True},
        ),
    ),
)
