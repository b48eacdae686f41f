"""Windsurf: ``hooks.json``. Its documentation as of autumn 2026, read in excerpts.

It knows no answer but the exit code: 2 refuses a write, and the agent reads standard error. After a
write it reads nothing, so the guard only takes note; the news come with the next MCP answer.
"""

from __future__ import annotations

from typing import Any

from mcp_server.guard.clients.adapter import Adapter, Aloud, HookFile, quiet, quiet_in_powershell
from mcp_server.guard.events import Moment

NAME = "windsurf"


def _hook() -> list[dict[str, Any]]:
    windows = quiet_in_powershell(NAME)
    return [{"command": quiet(NAME), "powershell": windows, "show_output": False}]


_AFTER = ("post_write_code", "post_run_command")

ADAPTER = Adapter(
    name=NAME,
    events={"pre_write_code": Moment.BEFORE, **dict.fromkeys(_AFTER, Moment.AFTER)},
    writers=frozenset({"pre_write_code", "post_write_code"}),
    shells=frozenset({"post_run_command"}),
    unheard=frozenset(_AFTER),
    replies={(Moment.BEFORE, "refuse"): Aloud.ON_STDERR},
    files=(
        HookFile(
            "~/.codeium/windsurf/hooks.json",
            {"hooks": {"pre_write_code": _hook(), "post_write_code": _hook()}},
        ),
    ),
)
