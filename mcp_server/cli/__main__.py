"""``python -m mcp_server.cli``: the command ``unity-cli``, where only the interpreter is known."""

from __future__ import annotations

from mcp_server.cli import main

main()
