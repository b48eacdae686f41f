"""Codex: ``hooks.json``. Its source and documentation as of August 2026.

It refuses an answer with an unknown field, and runs a hook only after its user has trusted the
hook's text (``/hooks``).
"""

from __future__ import annotations

from mcp_server.guard.clients.adapter import Adapter, HookFile, quiet, quiet_in_cmd
from mcp_server.guard.clients.claude_code import EVENTS, REPLIES, hooks_of

NAME = "codex"

HOOKS = hooks_of(
    {
        "type": "command",
        "command": quiet(NAME),
        "commandWindows": quiet_in_cmd(NAME),
        "timeout": 5,
        "statusMessage": "unity-snippet",
    },
    "apply_patch|Bash",
    timeout=60,
)

ADAPTER = Adapter(
    name=NAME,
    events=EVENTS,
    writers=frozenset({"apply_patch", "Edit", "Write"}),
    shells=frozenset({"Bash", "shell", "exec_command"}),
    replies=REPLIES,
    note="type /hooks in Codex, and trust them: it skips hooks that are not trusted",
    files=(HookFile("~/.codex/hooks.json", {"hooks": HOOKS}, variable="CODEX_HOME"),),
)
