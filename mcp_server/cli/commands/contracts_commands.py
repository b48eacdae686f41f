"""``unity-cli contracts export|check``.

Implements docs/design/command-line.md ``contracts``: the public contract as files, and the check
that the files and the code agree.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

import click

from mcp_server.calls.project import find_project
from mcp_server.cli.options import GivenPath, GlobalOptions, global_options_shown
from mcp_server.cli.printing.output import ExitCode, print_json, print_text, refuse
from mcp_server.cli.printing.streams import outlast_readers
from snippet_engine.storage.os_failure import reason_of

_folder = click.option(
    "--dir",
    "folder",
    type=GivenPath(file_okay=False),
    default=Path("contracts"),
    show_default=True,
    help="The contract's folder.",
)


@click.group()
@global_options_shown()
def contracts() -> None:
    """JSON Schemas of every tool, and the table of error codes.

    \b
    Examples:
      unity-cli contracts export --dir schemas
      unity-cli contracts check
    """


@contracts.command()
@_folder
@global_options_shown("dry-run", "output", "quiet")
@click.pass_context
def export(context: click.Context, folder: Path) -> None:
    """Write the contract's files.

    \b
    Examples:
      unity-cli contracts export --dir schemas
      unity-cli --dry-run contracts export
    """
    from mcp_server.contract import contract_files  # noqa: PLC0415 - not for help pages

    options = GlobalOptions.of(context)
    chosen = context.get_parameter_source("folder") is not click.core.ParameterSource.DEFAULT
    project = None if chosen else find_project(Path.cwd())
    if project is not None:
        why = f"{project} is a Unity project: give --dir, the folder to write the files to."
        raise click.UsageError(why, context)
    outlast_readers(context)
    if options.dry_run:
        written = list(contract_files.contract_documents())
    else:
        try:
            written = contract_files.export(folder)
        except OSError as error:
            _fail(context, folder, error)
    if options.as_json:
        print_json({"dry_run": options.dry_run, "files": written})
    elif not options.quiet:
        print_text("\n".join(str(folder / path) for path in written))


@contracts.command()
@_folder
@global_options_shown("output", "quiet")
@click.pass_context
def check(context: click.Context, folder: Path) -> None:
    """Compare the contract's files with this version. Exit code 1: they differ.

    \b
    Examples:
      unity-cli contracts check
      unity-cli contracts check --dir schemas --output json
    """
    from mcp_server.contract import contract_files  # noqa: PLC0415 - not for help pages

    options = GlobalOptions.of(context)
    if not os.path.isdir(folder):
        why = f"--dir: there is no folder {folder}. To make one: unity-cli contracts export"
        refuse(context, why, ExitCode.USAGE)
    try:
        differences = contract_files.check(folder)
    except OSError as error:
        _fail(context, folder, error)
    if options.as_json:
        print_json({"ok": not differences, "differences": differences})
    elif differences or not options.quiet:
        print_text("\n".join(differences) or f"{folder} is up to date")
    context.exit(ExitCode.FAILED if differences else ExitCode.OK)


def _fail(context: click.Context, folder: Path, error: OSError) -> NoReturn:
    refuse(context, f"{error.filename or folder}: {reason_of(error)}.")
