"""Cursor: ``hooks.json``. Its documentation as of autumn 2026.

Only events that every version with hooks knows are configured: one unknown name makes some versions
drop the whole file.
"""

from __future__ import annotations

from typing import Any

from mcp_server.guard.clients.adapter import TEXT, Adapter, HookFile, command_of, quiet
from mcp_server.guard.events import Moment

NAME = "cursor"
_TOOLS = "Write|StrReplace|ApplyPatch|Delete|Shell"


def _hooks(command: str) -> dict[str, Any]:
    around = [{"command": command, "matcher": _TOOLS, "timeout": 5}]
    stop = [{"command": command, "timeout": 60, "loop_limit": 2}]
    return {"preToolUse": around, "postToolUse": around, "stop": stop}


HOOKS = _hooks(command_of(NAME))
"""For all systems. Which shell runs them on Windows isn't documented."""

ADAPTER = Adapter(
    name=NAME,
    events={
        "preToolUse": Moment.BEFORE,
        "postToolUse": Moment.AFTER,
        "afterFileEdit": Moment.AFTER,
        "afterTabFileEdit": Moment.AFTER,
        "stop": Moment.STOP,
    },
    writers=frozenset(
        {"Write", "Edit", "StrReplace", "MultiEdit", "ApplyPatch", "Delete"}
        | {"afterFileEdit", "afterTabFileEdit"}
    ),
    shells=frozenset({"Shell", "Bash"}),
    unheard=frozenset({"afterFileEdit", "afterTabFileEdit"}),
    replies={
        (Moment.BEFORE, "refuse"): {
            "permission": "deny",
            "user_message": TEXT,
            "agent_message": TEXT,
        },
        (Moment.AFTER, "tell"): {"additional_context": TEXT},
        (Moment.STOP, "block"): {"followup_message": TEXT},
    },
    files=(
        HookFile(
            "~/.cursor/hooks.json",
            {"version": 1, "hooks": _hooks(quiet(NAME))},
            on_windows={"version": 1, "hooks": HOOKS},
        ),
    ),
)
