"""All clients whose hooks the guard understands."""

from __future__ import annotations

from collections.abc import Mapping

from mcp_server.guard.clients import (
    claude_code,
    cline,
    codex,
    copilot_cli,
    cursor,
    gemini_cli,
    kiro,
    opencode,
    vscode,
    windsurf,
)
from mcp_server.guard.clients.adapter import Adapter

_MODULES = (
    *(claude_code, codex, cursor, gemini_cli, copilot_cli),
    *(vscode, opencode, windsurf, cline, kiro),
)

ADAPTERS: Mapping[str, Adapter] = {each.ADAPTER.name: each.ADAPTER for each in _MODULES}
"""Every adapter by its name, which is that of ``mcp_server.clients.table``."""

_OTHER_NAMES = {"claude": "claude-code", "gemini": "gemini-cli", "copilot": "copilot-cli"}


def adapter_named(name: str) -> Adapter | None:
    """Return the adapter of that name, or of another name for the client."""
    return ADAPTERS.get(_OTHER_NAMES.get(name, name))
