"""``unity-cli symbols``, ``edit``, ``references`` and ``rename``: frequent calls, typed quickly.

Implements docs/design/command-line.md "symbols and edit" and "references and rename". Paths are
taken from the working folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mcp_server.cli.arguments import in_project, project_of
from mcp_server.cli.commands.tool_commands import run_tool
from mcp_server.cli.options import GivenPath, GlobalOptions, global_options_shown
from mcp_server.cli.printing import REFUSED, print_line

_FILE = click.argument("file", metavar="FILE", type=GivenPath(names_file=True))
_SYMBOL = click.argument("symbol", metavar="SYMBOL")
_OF_LINE = click.option(
    "--line",
    metavar="N",
    type=click.IntRange(min=1),
    help="Take SYMBOL as a name that is written in line N, not as a symbol path.",
)


@click.command("references")
@_FILE
@_SYMBOL
@_OF_LINE
@click.option("--limit", metavar="N", type=click.IntRange(1, 500), default=200, show_default=True)
@click.option(
    "--cursor", metavar="TEXT", help="Show the next page. TEXT is the cursor printed with this one."
)
@global_options_shown("output", "project", "timeout", "lsp", "verbose")
@click.pass_context
def references_command(
    context: click.Context,
    file: Path,
    symbol: str,
    line: int | None,
    limit: int,
    cursor: str | None,
) -> None:
    """Find where SYMBOL, declared in FILE, is used: in scripts and assets.

    Calls the tool find_references. SYMBOL is a path as the command symbols lists it.

    \b
    Examples:
      unity-cli references Assets/Scripts/Player.cs Player.TakeDamage
      unity-cli references Enemy.cs player.Hurt --line 12
    """
    params = {"path": tool_path(context, file), **_named(symbol, line), "limit": limit}
    run_tool(context, "find_references", params | ({} if cursor is None else {"cursor": cursor}))


@click.command("rename")
@_FILE
@_SYMBOL
@click.argument("new_name", metavar="NEW_NAME")
@_OF_LINE
@click.option(
    "--assets",
    type=click.Choice(["keep", "rewrite", "code"]),
    default="keep",
    show_default=True,
    help="keep: attributes preserve asset values. rewrite: edit assets. code: leave assets alone.",
)
@click.option(
    "--force", is_flag=True, help="Rename even if Unity calls the symbol by its old name."
)
@click.option(
    "--apply", "applies", is_flag=True, help="Write the files. Default: only show the changes."
)
@global_options_shown("dry-run", "output", "project", "timeout", "lsp", "quiet", "verbose")
@click.pass_context
def rename_command(
    context: click.Context,
    file: Path,
    symbol: str,
    new_name: str,
    line: int | None,
    assets: str,
    force: bool,
    applies: bool,
) -> None:
    """Rename SYMBOL, declared in FILE, in scripts and assets. Without --apply nothing is written.

    Calls the tool rename_symbol. A new name that would change the meaning of other
    code is refused. To take back an applied rename: unity-cli undo.

    \b
    Examples:
      unity-cli rename Assets/Scripts/Player.cs Player.speed pace
      unity-cli rename Assets/Scripts/Player.cs Player Hero --apply
    """
    params: dict[str, Any] = {
        "path": tool_path(context, file),
        **_named(symbol, line),
        "newName": new_name,
        "mode": "apply" if applies else "preview",
        **({} if assets == "keep" else {"assets": assets}),
        **({"force": True} if force else {}),
    }
    options = GlobalOptions.of(context)
    try:
        run_tool(context, "rename_symbol", params)
    except click.exceptions.Exit as end:
        hint = "" if end.exit_code or applies else "Nothing was written. To write it, add --apply."
        refused = context.meta.get(REFUSED)
        offers = () if refused is None else refused.details.get("offers", ())
        if any(each["arguments"].get("force") for each in offers):
            hint = "To rename it all the same, add --force."
        if hint and not (options.quiet or options.as_json):
            print_line(hint, err=True)
        raise


def _named(symbol: str, line: int | None) -> dict[str, Any]:
    return {"symbolPath": symbol} if line is None else {"line": line, "text": symbol}


_SMALL = 80
"""Most characters that one edit of ``edit_snippet`` may change."""


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
    """Return ``file`` as tools take it, and choose its project for the call."""
    project = project_of(context, [file])
    context.find_root().ensure_object(dict)["project"] = project
    return in_project(context, project, file)
