"""``unity-cli symbols`` and ``unity-cli edit``: what people do most, in few words.

Implements docs/design/command-line.md "symbols and edit": calls of the tools, with a path as the
working folder has it.
"""

from __future__ import annotations

from pathlib import Path

import click

from mcp_server.cli.arguments.script_paths import in_project, project_of
from mcp_server.cli.commands.tool_commands import run_tool
from mcp_server.cli.options import GlobalOptions, global_options_shown
from mcp_server.cli.printing.output import REFUSED, fail, print_line
from mcp_server.cli.value_types import GivenPath
from mcp_server.contract.errors import ToolError

_FILE = click.argument("file", metavar="FILE", type=GivenPath(file_meant=True))


@click.command("symbols")
@_FILE
@click.option("--filter", "part", metavar="TEXT", help="Only symbols with that in their path.")
@global_options_shown("output", "project", "verbose")
@click.pass_context
def symbols_command(context: click.Context, file: Path, part: str | None) -> None:
    """What is in a script: its types and members, with their lines. The tool get_symbols.

    \b
    Examples:
      unity-cli symbols Assets/Scripts/Player.cs
      unity-cli symbols Player.cs --filter damage
    """
    path = _named(context, file)
    run_tool(context, "get_symbols", {"path": path, **({} if part is None else {"filter": part})})


@click.command("edit")
@_FILE
@click.option("--replace", "old", metavar="OLD", required=True, help="Text that is there once.")
@click.option("--with", "new", metavar="NEW", required=True, help="Text for it; '' deletes it.")
@click.option("--apply", "applies", is_flag=True, help="Write it. Default: only show it.")
@global_options_shown("dry-run", "output", "project", "timeout", "lsp", "quiet", "verbose")
@click.pass_context
def edit_command(context: click.Context, file: Path, old: str, new: str, applies: bool) -> None:
    """Replace OLD, which stands once in FILE, with NEW. Without --apply nothing is written.

    The tool edit_snippet, or for more than a line or two edit_scripts: an edit that would break
    the script is refused, and unity-cli undo takes an applied one back.

    \b
    Examples:
      unity-cli edit Player.cs --replace "health = 100" --with "health = 120"
      unity-cli edit Assets/Player.cs --replace "if (isOn)" --with "" --apply
    """
    if not old:
        raise click.UsageError("--replace is empty. Name text that stands once in FILE.", context)
    operation = {"operation": "replace", "newText": new} if new else {"operation": "delete"}
    change = {
        "path": _named(context, file),
        "instructions": [{**operation, "anchor": {"type": "text", "target": old}}],
    }
    mode = "apply" if applies else "preview"
    options = GlobalOptions.of(context)
    try:
        if max(len(old), len(new)) <= _SMALL:
            run_tool(context, "edit_snippet", {**change, "mode": mode})
        run_tool(context, "edit_scripts", {"changes": [change], "mode": mode})
    except click.exceptions.Exit as end:
        told = "Nothing was written. The same with --apply writes it."
        refused = context.meta.get(REFUSED)
        if refused is not None and refused.details.get("code") == "ambiguous_anchor":
            told = "With edit: give more of the text around it, the same in --replace and --with."
            told += _SEND if refused.details.get("offers") else ""
        elif end.exit_code or applies:
            raise
        if not (options.quiet or options.as_json):
            print_line(told, err=True)
        raise


_SEND = " Or send one of the requests: unity-cli tool call edit_snippet --json 'REQUEST'"

_SMALL = 80
"""So many characters may change in one edit of ``edit_snippet``."""


def _named(context: click.Context, file: Path) -> str:
    """``file`` as the tools take it, in the project that the call is then made in."""
    project = project_of(GlobalOptions.of(context).project, [file])
    if isinstance(project, ToolError):
        return fail(context, project)
    context.find_root().ensure_object(dict)["project"] = project
    path = in_project(project, file)
    return fail(context, path) if isinstance(path, ToolError) else path
