"""Which Unity project the script tools work in.

Implements spec 02-server-and-bridge §1: ``--project``, or else the nearest folder upward
that has ``Assets/`` and ``ProjectSettings/``.
"""

from __future__ import annotations

from pathlib import Path

from mcp_server.errors import ToolError, ToolErrorCode, tool_error


def find_project(start: Path) -> Path | None:
    """The nearest Unity project at or above ``start``."""
    for folder in (start, *start.parents):
        if (folder / "Assets").is_dir() and (folder / "ProjectSettings").is_dir():
            return folder
    return None


def no_project() -> ToolError:
    """What a script tool answers when there is no project to work in."""
    return tool_error(
        ToolErrorCode.CONFIG_VALIDATION,
        "No Unity project: none was given and none is found upward from the working folder. "
        "Start with --project PATH, a folder with Assets/ and ProjectSettings/.",
    )
