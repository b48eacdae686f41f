"""Kiro: a file in its folder of hooks (IDE 1.0, CLI 3). Its documentation as of November 2026.

Exit code 2 refuses a call, with standard error for the agent. Otherwise standard output is context,
so nothing may stand there but what the agent is to read.
"""

from __future__ import annotations

from typing import Any

from mcp_server.guard.clients.adapter import Adapter, Aloud, HookFile, command_of, quiet
from mcp_server.guard.events import Moment

NAME = "kiro"
_TOOLS = "fs_write|fs_append|str_replace|execute_bash|execute_cmd"


def _document(command: str) -> dict[str, Any]:
    hooks = [
        _hook("before", "PreToolUse", command, matcher=_TOOLS),
        _hook("after", "PostToolUse", command, matcher=_TOOLS),
        _hook("start", "SessionStart", command),
    ]
    return {"version": "v1", "hooks": hooks}


def _hook(when: str, trigger: str, command: str, **matcher: str) -> dict[str, Any]:
    return {
        "name": f"unity-snippet {when}",
        "trigger": trigger,
        **matcher,
        "action": {"type": "command", "command": command},
        "timeout": 5,
        "enabled": True,
    }


ADAPTER = Adapter(
    name=NAME,
    events={
        **dict.fromkeys(("PreToolUse", "preToolUse"), Moment.BEFORE),
        **dict.fromkeys(("PostToolUse", "postToolUse"), Moment.AFTER),
        **dict.fromkeys(("SessionStart", "agentSpawn"), Moment.START),
    },
    writers=frozenset({"fs_write", "str_replace", "write"}),
    touchers=frozenset({"fs_append"}),
    shells=frozenset({"execute_bash", "execute_cmd", "shell"}),
    replies={
        (Moment.BEFORE, "refuse"): Aloud.ON_STDERR,
        (Moment.AFTER, "tell"): Aloud.ON_STDOUT,
        (Moment.START, "tell"): Aloud.ON_STDOUT,
    },
    files=(
        HookFile(
            "~/.kiro/hooks/unity-snippet.json",
            _document(quiet(NAME)),
            own=True,
            on_windows=_document(command_of(NAME)),
        ),
    ),
)
