"""A command's call, made by the project's running server.

Implements docs/design/command-line.md "Tools": where the answer is this process's to the byte,
whoever has loaded what it takes gives it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mcp_server.cli.options import GlobalOptions
from mcp_server.cli.printing.lasting_output import outlast_readers
from mcp_server.cli.printing.output import ExitCode
from mcp_server.interrupt_signals import end_like_ctrl_c

if TYPE_CHECKING:
    from mcp_server.contract.outcome import Outcome


def lent_exit_code(tool: str, outcome: Outcome) -> ExitCode:
    """What the command ends with where such a call came to that, and didn't fail."""
    from mcp_server.contract.outcome import ToolResult  # noqa: PLC0415 - not for help
    from mcp_server.contract.result_verdicts import found_errors  # noqa: PLC0415

    is_found = isinstance(outcome, ToolResult) and found_errors(tool, outcome.structured)
    return ExitCode.FAILED if is_found else ExitCode.OK


def lent_call(context: click.Context, tool: str, params: Any) -> Outcome | None:
    """What the project's running server comes to; ``None``: the call is to be made here.

    ``params`` are as they were given. No server is asked under ``--dry-run``, nor where a language
    server judges.
    """
    from mcp_server.calls.language_server import OFF, lsp_of_calls  # noqa: PLC0415 - not for help
    from mcp_server.calls.project import find_project  # noqa: PLC0415
    from mcp_server.calls.server.server_file import in_project  # noqa: PLC0415

    options = GlobalOptions.of(context)
    if options.dry_run or lsp_of_calls(options.lsp, [params], {tool}) != OFF:
        return None
    project = options.project or find_project(Path.cwd())
    if project is None or not in_project(project).is_file():
        return None
    from mcp_server.calls.server.delegated_call import call_by_server, is_delegated, may_change  # noqa: PLC0415

    if not is_delegated(tool, params):
        return None
    if not may_change(tool, params):
        return call_by_server(project, tool, params)
    outlast_readers(context)
    end_like_ctrl_c()
    return call_by_server(project, tool, params)
