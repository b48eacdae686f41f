"""A tool's outcome for people: its text, and the whole diff in colour."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_server.cli.output import print_text

if TYPE_CHECKING:
    from mcp_server.contract.outcome import ToolResult


def print_result(tool_name: str, outcome: ToolResult) -> None:
    """Print the result, with the whole diff, not the part of it that a model gets to read."""
    from snippet_engine.text_form import text_form  # noqa: PLC0415 - not for help pages

    diff = outcome.structured.get("diff", "")
    text = text_form(tool_name, {**outcome.structured, "diff": ""}) if diff else outcome.text
    print_text(text, diff)
