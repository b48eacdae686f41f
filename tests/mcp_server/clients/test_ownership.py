"""Whose an entry is: docs/design/command-line.md ``client install``."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_server.clients.entries import is_ours


@pytest.mark.parametrize(
    ("entry", "ours"),
    [
        ({"command": "unity-cli", "args": ["mcp"]}, True),
        ({"command": "/opt/venv/bin/unity-cli", "args": ["mcp"]}, True),
        ({"command": "C:\\venv\\Scripts\\unity-cli.exe", "args": ["mcp"]}, True),
        ({"command": "uvx", "args": ["unity-snippet@0.1.0", "mcp"]}, True),
        ({"command": "uvx", "args": ["--from", "unity-snippet", "unity-cli", "mcp"]}, True),
        ({"command": "python", "args": ["-m", "mcp_server.cli", "mcp"]}, True),
        ({"command": "npx", "args": ["files", "/home/me/unity-cli"]}, False),
        ({"command": "npx", "args": ["files", "--root", "/src/unity-snippet/docs"]}, False),
        ({"command": "unity-cli-of-others", "args": ["mcp"]}, False),
        ({"command": "other", "args": ["--name=unity-cli mcp"]}, False),
        ({"url": "http://127.0.0.1:48091/mcp"}, True),
        ({"url": "http://example.com/mcp"}, False),
        ("unity-cli", False),
    ],
)
def test_an_entry_is_ours_if_it_starts_or_reaches_this_program(entry: Any, ours: bool) -> None:
    assert is_ours(entry) is ours
