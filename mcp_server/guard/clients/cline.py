"""Cline: a program for each event in its folder of hooks (not on Windows). Its README of 2026.

Its user reads the reason of a refusal; the agent reads messages with its next request. The newer
plugins of Cline's SDK are not supported.
"""

from __future__ import annotations

from mcp_server.guard.clients.adapter import TEXT, Adapter, HookFile, command_of
from mcp_server.guard.events import Moment

NAME = "cline"
_SCRIPT = f"""#!/bin/sh
# The guard of unity-snippet. Written by: unity-cli client install {NAME} --guard
answer=$({command_of(NAME)} 2>/dev/null)
[ -n "$answer" ] || answer='{{"cancel": false}}'
printf '%s\\n' "$answer"
exit 0
"""
_TOLD = {"cancel": False, "contextModification": TEXT}

ADAPTER = Adapter(
    name=NAME,
    events={"PreToolUse": Moment.BEFORE, "PostToolUse": Moment.AFTER},
    writers=frozenset({"write_to_file", "replace_in_file", "new_rule", "apply_patch"}),
    shells=frozenset({"execute_command"}),
    replies={
        (Moment.BEFORE, "refuse"): {"cancel": True, "errorMessage": TEXT},
        (Moment.BEFORE, "tell"): _TOLD,
        (Moment.AFTER, "tell"): _TOLD,
    },
    note="turn on Enable Hooks in Cline's settings",
    files=tuple(
        HookFile(f"~/Documents/Cline/Hooks/{event}", _SCRIPT, own=True, executable=True)
        for event in ("PreToolUse", "PostToolUse")
    ),
)
