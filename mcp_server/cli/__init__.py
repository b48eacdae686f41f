"""``unity-cli``: the project on a command line, for people, agents without MCP, and CI.

Implements spec 03-command-line. Commands import what they need when they run: a help page or
a local tool call must not wait for the MCP SDK. Public name: :func:`main`.
"""

from __future__ import annotations

from mcp_server.cli.entry import main

__all__ = ["main"]
