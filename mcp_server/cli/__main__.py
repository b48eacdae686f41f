"""``python -m mcp_server.cli``: run ``unity-cli`` where only the interpreter's path is known."""

from __future__ import annotations

from mcp_server.cli import main

main()
