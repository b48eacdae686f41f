"""``unity-cli``: the project on a command line, for people, agents without MCP, and CI.

Implements docs/design/command-line.md. Commands import what they need when they run: a help page or
a local tool call must not wait for the MCP SDK. Public name: :func:`main`.
"""

from __future__ import annotations

from mcp_server.cli.entry import main

__all__ = ["main"]
