"""A tool's outcome for people: its text, the whole diff in colour, and the exit code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from mcp_server.cli.options import GlobalOptions
from mcp_server.cli.printing.output import ExitCode, print_text

if TYPE_CHECKING:
    from mcp_server.contract.outcome import ToolResult
    from mcp_server.contract.tool_spec import ToolSpec

PROJECT_EXIT_CODES = {
    "clean": ExitCode.OK,
    "errors": ExitCode.FAILED,
    "unknown": ExitCode.UNREACHABLE,
}
"""By what is known of whether the project compiles."""

_HASHES = re.compile(
    r"^hash(Before|After)? +sha256:[0-9a-f]{64}(\n|\Z)| \(sha256:[0-9a-f]{64}\)", re.MULTILINE
)


def result_exit_code(spec: ToolSpec, outcome: ToolResult) -> ExitCode:
    """Return the exit code of a command whose one call had this result."""
    from mcp_server.calls.language_server import PROJECT_TOOL  # noqa: PLC0415 - not for help pages
    from mcp_server.calls.tool_caller import job_failure  # noqa: PLC0415

    result = outcome.structured
    if spec.name == PROJECT_TOOL:
        return PROJECT_EXIT_CODES[result["status"]]
    return ExitCode.OK if job_failure(spec, result) is None else ExitCode.FAILED


def print_result(tool_name: str, outcome: ToolResult) -> None:
    """Print the result with the whole diff; a model gets only a part of it.

    The files' hashes are left out, unless ``--verbose`` asks for them.
    """
    from snippet_engine.answer.text_form import text_form  # noqa: PLC0415 - not for help pages

    diff = outcome.structured.get("diff", "")
    text = text_form(tool_name, {**outcome.structured, "diff": ""}) if diff else outcome.text
    verbose = GlobalOptions.of(click.get_current_context()).verbose
    print_text(text if verbose else _HASHES.sub("", text).rstrip("\n"), diff)
