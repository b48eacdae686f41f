"""``unity-cli symbols`` and ``unity-cli edit``: the most frequent calls of tools, in few words.

Implements docs/design/command-line.md "symbols and edit". Paths are taken from the working folder.
"""

from __future__ import annotations

from pathlib import Path

import click

from mcp_server.cli.arguments.script_paths import in_project, project_of
from mcp_server.cli.commands.tool_commands import run_tool
from mcp_server.cli.options import GivenPath, GlobalOptions, global_options_shown
from mcp_server.cli.printing.output import REFUSED, print_line

_FILE = click.argument("file", metavar="FILE", type=GivenPath(names_file=True))

_SMALL = 80
"""Most characters that may change in one edit of ``edit_snippet``."""


@click.command("symbols")
@_FILE
@click.option("--filter", "part", metavar="TEXT", help="Only symbols whose path has this text.")
@global_options_shown("output", "project", "verbose")
@click.pass_context
def symbols_command(context: click.Context, file: Path, part: str | None) -> None:
    """List a script's types and members, with their lines. Calls the tool get_symbols.

    \b
    Examples:
      unity-cli symbols Assets/Scripts/Player.cs
      unity-cli symbols Player.cs --filter damage
    """
    path = tool_path(context, file)
    run_tool(context, "get_symbols", {"path": path, **({} if part is None else {"filter": part})})


@click.command("edit")
@_FILE
@click.option("--replace", "old", metavar="OLD", required=True, help="Text that occurs once.")
@click.option("--with", "new", metavar="NEW", required=True, help="Its new text; '' deletes it.")
@click.option("--apply", "applies", is_flag=True, help="Write it. Default: only show it.")
@global_options_shown("dry-run", "output", "project", "timeout", "lsp", "quiet", "verbose")
@click.pass_context
def edit_command(context: click.Context, file: Path, old: str, new: str, applies: bool) -> None:
    """Replace OLD, which occurs once in FILE, with NEW. Without --apply nothing is written.

    Calls the tool edit_snippet, or edit_scripts for more than a line or two. An edit that would
    break the script is refused. To take back an applied edit: unity-cli undo.

    \b
    Examples:
      unity-cli edit Player.cs --replace "health = 100" --with "health = 120"
      unity-cli edit Assets/Player.cs --replace "if (isOn)" --with "" --apply
    """
    if not old:
        raise click.UsageError("--replace is empty. Give text that occurs once in FILE.", context)
    operation = {"operation": "replace", "newText": new} if new else {"operation": "delete"}
    change = {
        "path": tool_path(context, file),
        "instructions": [{**operation, "anchor": {"type": "text", "target": old}}],
    }
    mode = "apply" if applies else "preview"
    options = GlobalOptions.of(context)
    try:
        if max(len(old), len(new)) <= _SMALL:
            run_tool(context, "edit_snippet", {**change, "mode": mode})
        run_tool(context, "edit_scripts", {"changes": [change], "mode": mode})
    except click.exceptions.Exit as end:
        is_preview = not (end.exit_code or applies or old == new)
        hint = "Nothing was written. To write it, add --apply." if is_preview else ""
        refused = context.meta.get(REFUSED)
        if refused is not None and refused.details.get("code") == "ambiguous_anchor":
            hint = "With edit, give more of the text around it, in both --replace and --with."
            if refused.details.get("offers"):
                hint += " Or send one of the requests: "
                hint += "unity-cli tool call edit_snippet --json 'REQUEST'"
        if hint and not (options.quiet or options.as_json):
            print_line(hint, err=True)
        raise


def tool_path(context: click.Context, file: Path) -> str:
    """Return ``file`` as the tools take it; the call is then made in its project."""
    project = project_of(context, [file])
    context.find_root().ensure_object(dict)["project"] = project
    return in_project(context, project, file)
